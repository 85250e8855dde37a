"""Every round of a trained model, as a detector of a plan."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection, UsedModel
from spark_deid.core.labels import plain_label
from spark_deid.core.span import Finder, Span


class ModelSettings(PlanSection):
    """A model, and how it decides; these stand at a plan's top level.

    ``model`` is a model folder, or the name of a model that a package ships. ``loss_ratio`` is another L/C than that
    of training, for ``decoding: cost``: the higher, the more is hidden.
    """

    model: Path
    decoding: Literal["viterbi", "cost"] = "cost"
    loss_ratio: float | None = Field(default=None, gt=0)

    @property
    def folder(self) -> Path:
        """Return the model's folder; raises UsageError where the name of a shipped model can't be used."""
        from spark_deid.greedy.shipped import model_folder

        return model_folder(self.model)

    @model_validator(mode="after")
    def _cost_has_the_ratio(self) -> "ModelSettings":
        if self.loss_ratio is not None and self.decoding != "cost":
            raise ValueError("loss_ratio: only decoding: cost weighs losses")
        return self


def model_spans(text: str, *, find: Finder) -> list[Span]:
    """Return what a model's rounds find; the source names the model before the round.

    Labels of models that were trained before labels were plain are made so.
    """
    return [Span(s.start, s.end, plain_label(s.label), s.score, f"model/{s.source}") for s in find(text)]


def _make(settings: ModelSettings, run: MethodContext) -> Finder:
    words = run.plan.placeholders
    if run.spark is None:
        from spark_deid.greedy.sanitizer import load_sanitizer

        sanitizer = load_sanitizer(settings.folder).listing(words)
        sanitizer = sanitizer.decoding_as(settings.decoding, settings.loss_ratio)
        return partial(model_spans, find=sanitizer.detect)
    from spark_deid.greedy.files import model_hash
    from spark_deid.greedy.spark.detect import finder

    find = finder(
        run.spark,
        str(settings.folder),
        model_hash(settings.folder),
        decoding=settings.decoding,
        loss_ratio=settings.loss_ratio,
        placeholders=words,
    )
    return partial(model_spans, find=find)


def _check(settings: ModelSettings) -> None:
    from spark_deid.greedy.sanitizer import load_sanitizer, model_summary

    if not model_summary(settings.folder).rounds:
        raise UsageError(f"model: {settings.model} has no round and finds nothing; train it on more labelled text")
    sanitizer = load_sanitizer(settings.folder)
    sanitizer.decoding_as(settings.decoding, settings.loss_ratio).detect("")


def _models(settings: ModelSettings) -> tuple[UsedModel, ...]:
    from spark_deid.greedy.files import bound_report, model_summary
    from spark_deid.greedy.report import has_counts

    summary = model_summary(settings.folder)
    training = bound_report(settings.folder)
    counted = training if training is not None and has_counts(training) else None
    return (UsedModel(str(settings.model), summary.hash, summary.labels, summary.rounds, counted),)


def _describe(settings: ModelSettings) -> str:
    ratio = "" if settings.loss_ratio is None else f", L/C {settings.loss_ratio:g}"
    return f"apply every round of the model {settings.model} ({settings.decoding} decoding{ratio})"


def _public(settings: ModelSettings) -> Mapping[str, object]:
    public: dict[str, object] = {"decoding": settings.decoding}
    return public if settings.loss_ratio is None else public | {"loss_ratio": settings.loss_ratio}


def _warn(settings: ModelSettings, texts: Sequence[str]) -> tuple[str, ...]:
    """Say why texts may be none that the shipped model of English knows."""
    from spark_deid.greedy.familiarity import doubts, familiarity
    from spark_deid.greedy.shipped import MODELS

    reasons = doubts(familiarity(texts)) if str(settings.model) in MODELS.built_in else ()
    warning = (
        f"the model {settings.model} knows ordinary English, and may find little in this text: {'; '.join(reasons)}"
    )
    return (warning,) if reasons else ()


def _seeks(settings: ModelSettings) -> DetectorScope:
    from spark_deid.greedy.files import model_summary

    return DetectorScope(tuple(map(plain_label, model_summary(settings.folder).labels)))


def _knows() -> tuple[str, ...]:
    """Return the labels of the models that come with this package."""
    from spark_deid.greedy.files import model_summary
    from spark_deid.greedy.shipped import MODELS

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
    seeks=_seeks,
    knows=_knows,
)
