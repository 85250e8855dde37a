"""Every round of a trained model, as a detector of a plan."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, field_validator, model_validator

from spark_deid.core.arrow import rows_of
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection, UsedModel
from spark_deid.core.labels import plain_label
from spark_deid.core.missed_names import MissedEstimator, NoEstimate
from spark_deid.core.span import Finder, Span
from spark_deid.greedy.decoding import whole_words
from spark_deid.greedy.familiarity import languages_among, warnings_of_language, warnings_of_said
from spark_deid.greedy.files import bound_report, model_hash, model_record, model_summary
from spark_deid.greedy.missed_names.estimate import choose_ratio, estimate_missed, outside_range
from spark_deid.greedy.missed_names.table import CELLS, read_table
from spark_deid.greedy.missed_names.word_forms import FORMS, count_forms
from spark_deid.greedy.report import has_counts
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import LANGUAGES, MODELS, check_named, model_folder
from spark_deid.text.language import RELATIVES, known_languages
from spark_deid.text.ordinary_words import refine_english
from spark_deid.text.segments import BORDER, find_in_records

_BORDER = f"{BORDER}\n" * 5
"""Placeholders between records. They are always O, so no transition crosses them, and no template reaches across 5."""

if TYPE_CHECKING:
    from spark_deid.greedy.missed_names.table import MissedTable


class ModelSettings(PlanSection):
    """A model, or one per language, and how they decide, at the top level of a plan.

    ``model`` is a model folder, or the name of a model that a package ships; or a mapping of languages (ISO 639) to
    such: then each text scans the models of the languages that it may be in (``text.language``), or of the one
    that ``language_column`` states.
    ``loss_ratio`` is another L/C than that of training, for ``decoding: cost``: the higher, the more is hidden.
    ``target`` chooses it by the text: at most this fraction of the words of names is estimated to be missed.
    """

    model: Path | dict[str, Path]
    decoding: Literal["viterbi", "cost"] = "cost"
    loss_ratio: float | None = Field(default=None, gt=0)
    target: float | None = Field(default=None, gt=0, lt=1)

    @property
    def places(self) -> dict[str, Path]:
        """Return what the plan names, by language; a model that is for every text is under ``""``."""
        return self.model if isinstance(self.model, dict) else {"": self.model}

    @property
    def folders(self) -> dict[str, Path]:
        """Return the models' folders by language; raises UsageError where a shipped model's name can't be used."""
        return {language: model_folder(place) for language, place in self.places.items()}

    @property
    def folder(self) -> Path | None:
        """Return the folder of the one model that is for every text; None where there is one for each language."""
        return self.folders.get("")

    @field_validator("model", mode="before")
    @classmethod
    def _languages(cls, given: object) -> object:
        """Take near relatives for their language: ``nb`` is ``no``, which YAML takes for false unless it is quoted."""
        if not isinstance(given, dict):
            return given
        if False in given:
            raise ValueError("model: YAML reads no as false. Write nb, or no in quotation marks")
        return {RELATIVES.get(language, language): place for language, place in given.items()}

    @model_validator(mode="after")
    def _cost_has_the_ratio(self) -> "ModelSettings":
        if self.loss_ratio is not None and self.decoding != "cost":
            raise ValueError("loss_ratio: needs decoding: cost")
        if self.target is not None and self.decoding != "cost":
            raise ValueError("target: needs decoding: cost, because it changes the loss ratio")
        if self.target is not None and self.loss_ratio is not None:
            raise ValueError(
                "target: it chooses the loss ratio, so loss_ratio is not allowed with it. Remove one of them"
            )
        if not self.places:
            raise ValueError("model: expected a model, or one per language such as {en: english}")
        return self


def model_spans(text: str, *, find: Finder, is_counted: bool = True) -> list[Span]:
    """Return what a model's rounds find; the source names the model before the round.

    Labels of models that were trained before labels were plain are made so. ``is_counted`` is a model whose training
    counted what it leaves: its spans remain as they were counted. Those of others are fitted to whole words.
    """
    found = tuple(find(text)) if is_counted else tuple(whole_words(text, tuple(find(text))))
    if not found:
        return []
    starts, ends, labels, scores, sources, _ = zip(*found, strict=True)
    named = {source: f"model/{source}" for source in {*sources}}
    names = [named[source] for source in sources]
    return rows_of(Span, starts, ends, map(plain_label, labels), scores, names, repeat(None))


def spans_by_language(text: str, *, finders: Mapping[str, Finder]) -> list[Span]:
    """Return what the models find of the languages that a text states, or else may have."""
    several = dict.fromkeys(finders[language] for language in languages_among(text, finders))
    plain = str(text)
    return [span for find in several for span in find(plain)]


def _make(settings: ModelSettings, run: MethodContext) -> Finder:
    folders = settings.folders
    if "" in folders:
        return _finder(settings, folders[""], run)
    by_folder = {folder: _finder(settings, folder, run) for folder in {*folders.values()}}
    return partial(spans_by_language, finders={language: by_folder[folder] for language, folder in folders.items()})


def _finder(settings: ModelSettings, folder: Path, run: MethodContext) -> Finder:
    find = _text_finder(settings, folder, run)
    if not run.plan.reads_segments:
        return find
    refine = partial(refine_english, source="model/words") if folder == model_folder("english") else None
    return partial(find_in_records, find=find, border=_BORDER, reads_codes=False, refine=refine)


def _text_finder(settings: ModelSettings, folder: Path, run: MethodContext) -> Finder:
    words = (*run.plan.placeholders, BORDER) if run.plan.reads_segments else run.plan.placeholders
    if run.spark is None:
        sanitizer = load_sanitizer(folder).listing(words)
        sanitizer = sanitizer.decoding_as(settings.decoding, settings.loss_ratio)
        return partial(model_spans, find=sanitizer.detect, is_counted=_counted_training(folder) is not None)
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.greedy.spark import finder

    find = finder(
        run.spark,
        str(folder),
        model_hash(folder),
        decoding=settings.decoding,
        loss_ratio=settings.loss_ratio,
        placeholders=words,
    )
    return partial(model_spans, find=find, is_counted=_counted_training(folder) is not None)


def _counted_training(folder: Path) -> Mapping[str, Any] | None:
    """Return a training report that counted what the model leaves, which a certificate may rest on; None of others."""
    training = bound_report(folder)
    return training if training is not None and has_counts(training) else None


def _check(settings: ModelSettings) -> None:
    _check_languages([language for language in settings.places if language])
    for place in settings.places.values():
        check_named(place)
    for language, folder in settings.folders.items():
        if not model_summary(folder).rounds:
            place = settings.places[language]
            raise UsageError(f"model: {place} has no round and finds no identifiers. Train it on more labelled text")
        sanitizer = load_sanitizer(folder)
        sanitizer.decoding_as(settings.decoding, settings.loss_ratio).detect("")
    if settings.target is not None:
        _check_target(settings)


def _check_target(settings: ModelSettings) -> None:
    """Raise UsageError where nothing is known by which a target could be aimed at."""
    if settings.folder is None:
        raise UsageError(
            "target: needs a single model, because it changes the threshold of one. Choose one of the models"
        )
    if _table_of(settings.folder) is None:
        raise UsageError(
            f"target: the model {settings.places['']} has no missed.json, the measurement of missed names in "
            "other kinds of text. Set loss_ratio instead of target, or choose a model that has it, such as "
            "english"
        )


def _check_languages(given: Sequence[str]) -> None:
    if not given:
        return
    if unknown := sorted({*given} - (known := known_languages())):
        raise UsageError(
            f"model: expected languages such as en, es or pt, got {unknown[0]!r}. Known: {', '.join(sorted(known))}"
        )


def _table_of(folder: Path) -> "MissedTable | None":
    return read_table(folder, model_hash(folder))


def _missed(settings: ModelSettings, run: MethodContext) -> MissedEstimator | NoEstimate:
    """Return what estimates the words of names that a run misses, or why nothing does."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.greedy.spark import weigher

    folder = settings.folder
    if folder is None:
        return NoEstimate.MODELS
    table = _table_of(folder)
    if table is None or run.spark is None:
        return NoEstimate.TABLE
    ratio = model_record(folder).loss_ratio
    return MissedEstimator(
        weigher(
            run.spark,
            str(folder),
            model_hash(folder),
            decoding=settings.decoding,
            loss_ratio=settings.loss_ratio,
            placeholders=run.plan.placeholders,
        ),
        CELLS,
        estimate=partial(estimate_missed, table),
        choose=partial(choose_ratio, table, own_ratio=ratio),
        count_forms=count_forms,
        forms=len(FORMS),
        outside=partial(outside_range, table),
        target=settings.target,
    )


def _models(settings: ModelSettings) -> tuple[UsedModel, ...]:
    used = {folder: str(settings.places[language]) for language, folder in settings.folders.items()}
    return tuple(_used(place, folder) for folder, place in used.items())


def _used(place: str, folder: Path) -> UsedModel:

    summary = model_summary(folder)
    return UsedModel(place, summary.hash, summary.labels, summary.rounds, _counted_training(folder))


def _describe(settings: ModelSettings) -> str:
    ratio = "" if settings.loss_ratio is None else f", L/C {settings.loss_ratio:g}"
    if settings.target is not None:
        ratio = f", with L/C chosen for the text so that at most an estimated {settings.target:.1%} of names is missed"
    if "" in settings.places:
        which = f"the model {settings.places['']}"
    else:
        message = ", ".join(f"{place} ({language})" for language, place in settings.places.items())
        which = f"the model of the text's language: {message}"
    return f"find identifiers with {which} ({settings.decoding} decoding{ratio})"


def _public(settings: ModelSettings) -> Mapping[str, object]:
    public: dict[str, object] = {"decoding": settings.decoding}
    if "" not in settings.places:
        public["languages"] = sorted(settings.places)
    return public if settings.loss_ratio is None else public | {"loss_ratio": settings.loss_ratio}


def _warn(settings: ModelSettings, texts: Sequence[str]) -> tuple[str, ...]:
    """State why texts may be none that shipped models know, and which languages no model of the plan knows."""
    models = _models_by_language(settings)
    return warnings_of_language(texts, models) if models else ()


def _warn_of_said(settings: ModelSettings, languages: Mapping[str, int]) -> tuple[str, ...]:
    """Return a warning of the stated languages of texts that no model of the plan knows."""
    models = _models_by_language(settings)
    return warnings_of_said(languages, models) if models else ()


def _models_by_language(settings: ModelSettings) -> dict[str, str]:
    """Return the models of a plan by their languages; none for a user's own that represents every text."""
    if "" not in settings.places:
        return {language: str(place) for language, place in settings.places.items()}
    name = str(settings.places[""])
    return {LANGUAGES[name]: name} if name in LANGUAGES else {}


_BLIND_SPOTS = (
    "names that are also words, if the context does not show that they are names (the Whites, will)",
    "names in text that differs from the training text: other languages, forms, jargon",
)


def _seeks(settings: ModelSettings) -> DetectorScope:

    labels = (label for folder in settings.folders.values() for label in model_summary(folder).labels)
    return DetectorScope(tuple(dict.fromkeys(map(plain_label, labels))), blind_spots=_BLIND_SPOTS)


def _knows() -> tuple[str, ...]:
    """Return the labels of the models that come with this package."""
    folders = (MODELS.find(name) for name in MODELS.built_in)
    return tuple(dict.fromkeys(label for folder in folders for label in model_summary(folder).labels))


KIND = DetectorKind(
    settings=ModelSettings,
    describe=_describe,
    legend="trained model",
    make=_make,
    public=_public,
    check=_check,
    example="model: FOLDER",
    inline=True,
    models=_models,
    warn=_warn,
    warn_of_said=_warn_of_said,
    missed=_missed,
    seeks=_seeks,
    knows=_knows,
)
