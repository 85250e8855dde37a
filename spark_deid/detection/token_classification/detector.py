"""The detector ``onnx``: a token classifier of one's own, such as one of Hugging Face that was exported to ONNX."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import Field, model_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection, UsedModel
from spark_deid.core.labels import Label, plain_label
from spark_deid.core.plurals import is_or_are
from spark_deid.core.span import Finder, Span
from spark_deid.detection.token_classification.classifier import load_classifier
from spark_deid.detection.token_classification.export import TokenClassifierExport, read_export
from spark_deid.detection.token_classification.shipped import ENGLISH_NEURAL, classifier_folder
from spark_deid.text.language import doubts_of_said, doubts_of_texts, listed_languages
from spark_deid.text.ordinary_words import refine_english
from spark_deid.text.segments import find_in_records

USUAL: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("PER", "PERS", "PERSON"), "NAME"),
        **dict.fromkeys(("LOC", "GPE"), "LOCATION"),
        "ORG": "ORGANIZATION",
    }
)
"""The labels of this package for names that models have for the same; other names of models stay as they are."""

_BLIND_SPOTS = ("names in text that differs from the training text: forms, uppercase text, other languages",)


class OnnxSettings(PlanSection):
    """A token classifier: the name of an installed one, such as ``english-neural``, or a folder that holds one.

    ``onnx: english-neural`` is short for ``onnx: {model: english-neural}``; a name that is a folder here as well is
    refused. A folder has ``model.onnx``, ``tokenizer.json``, and ``config.json`` with ``id2label``, as ``optimum-cli
    export onnx --task token-classification`` writes it. ``labels`` gives the model's entities other labels; ``null``
    leaves one out; without it PER, LOC, GPE and ORG are NAME, LOCATION and ORGANIZATION, and others stay as they are.
    A word is marked where a token of it is in an entity with at least the probability ``threshold``: the lower, the
    more is hidden; by default it is the model's own, as its ``config.json`` says, or 0.5. Words are marked whole.
    Probabilities are the model's own, or those of a ``calibration.json`` in its folder (``temperature`` and ``bias`` of
    the log-odds of entities).
    """

    model: Path
    labels: dict[str, Label | None] = Field(default_factory=dict)
    threshold: float | None = Field(default=None, gt=0, lt=1)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        """Read the name of a model, or a folder, as plans may write it in short."""
        return {"model": given} if isinstance(given, str | Path) else given

    @property
    def folder(self) -> Path:
        """Return the model's folder; raises UsageError where nothing is there, or installed by this name."""
        return classifier_folder(self.model)

    def export(self) -> TokenClassifierExport:
        """Return what the folder holds; raises ModelError, and UsageError where there is none."""
        return read_export(self.folder)

    def threshold_of(self, export: TokenClassifierExport) -> float:
        """Return the threshold of the plan, or else of the model."""
        return export.threshold if self.threshold is None else self.threshold

    def labels_of(self, export: TokenClassifierExport) -> dict[str, str | None]:
        """Return the label of each entity of a model; raises UsageError for entities that it does not know."""
        if unknown := sorted({*self.labels} - {*export.entities}):
            raise UsageError(f"onnx: labels: the model has no entity {unknown[0]}. It has {', '.join(export.entities)}")
        usual = {entity: plain_label(USUAL.get(entity, entity)) for entity in export.entities}
        return usual | self.labels


def _entities(
    text: str, *, export: TokenClassifierExport, labels: Mapping[str, str | None], threshold: float
) -> list[Span]:
    return load_classifier(export).spans(text, labels, threshold)


def _make(settings: OnnxSettings, run: MethodContext) -> Finder:
    find = _whole_finder(settings, run)
    if not run.plan.reads_segments:
        return find
    refine = partial(refine_english, source="onnx/words") if str(settings.model) == ENGLISH_NEURAL else None
    return partial(find_in_records, find=find, reads_codes=False, refine=refine)


def _whole_finder(settings: OnnxSettings, run: MethodContext) -> Finder:
    export = settings.export()
    labels, threshold = settings.labels_of(export), settings.threshold_of(export)
    if run.spark is None:
        return partial(_entities, export=export, labels=labels, threshold=threshold)
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.detection.token_classification.spark import finder

    return finder(run.spark, export, labels, threshold)


def _check(settings: OnnxSettings) -> None:
    """Load the model, and let it look at a word."""
    export = settings.export()
    load_classifier(export).spans("a", settings.labels_of(export), settings.threshold_of(export))


def _labels(settings: OnnxSettings) -> tuple[str, ...]:
    known = settings.labels_of(settings.export()).values()
    return tuple(dict.fromkeys(label for label in known if label is not None))


def _models(settings: OnnxSettings) -> tuple[UsedModel, ...]:
    return (UsedModel(str(settings.model), settings.export().sha256, _labels(settings)),)


def _describe(settings: OnnxSettings) -> str:
    threshold = settings.threshold_of(settings.export())
    return f"find entities with the token classifier {settings.model} (probability {threshold:g} or more)"


def _public(settings: OnnxSettings) -> Mapping[str, object]:
    return {"threshold": settings.threshold_of(settings.export())}


def _seeks(settings: OnnxSettings) -> DetectorScope:
    return DetectorScope(_labels(settings), blind_spots=_BLIND_SPOTS)


def _warn(settings: OnnxSettings, texts: Sequence[str]) -> tuple[str, ...]:
    """Say how many texts are in another language than the model's, where it says one."""
    language = settings.export().language
    return doubts_of_texts(texts, {language}, partial(_unknown, settings, language)) if language else ()


def _warn_of_said(settings: OnnxSettings, languages: Mapping[str, int]) -> tuple[str, ...]:
    """Say how many texts are said to be in another language than the model's, where it says one."""
    language = settings.export().language
    return doubts_of_said(languages, {language}, partial(_unknown, settings, language)) if language else ()


def _unknown(settings: OnnxSettings, language: str, languages: Mapping[str, int]) -> str:
    return (
        f"{is_or_are(sum(languages.values()))} in a language that {settings.model.name} does not know "
        f"({listed_languages(languages)}). It finds few names there, because it knows only {language}"
    )


KIND = DetectorKind(
    settings=OnnxSettings,
    describe=_describe,
    legend="token classifier",
    make=_make,
    public=_public,
    check=_check,
    example="onnx: english-neural",
    models=_models,
    seeks=_seeks,
    warn=_warn,
    warn_of_said=_warn_of_said,
)
