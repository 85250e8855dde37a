"""Every round of a trained model, as a detector of a plan."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, ModelRecord, Run, Settings
from spark_deid.core.span import Finder, Span


class ModelSettings(Settings):
    """A model folder, and how it decides; both stand at a plan's top level."""

    model: Path
    decoding: Literal["viterbi", "cost"] = "cost"


def model_spans(text: str, *, find: Finder) -> list[Span]:
    """Return what a model's rounds find; the source names the model before the round."""
    return [Span(start, end, label, score, f"model/{source}") for start, end, label, score, source, _ in find(text)]


def _make(settings: ModelSettings, run: Run) -> Finder:
    words = run.plan.placeholders
    if run.spark is None:
        from spark_deid.greedy.sanitizer import load_sanitizer

        sanitizer = load_sanitizer(settings.model).listing(words).decoding_as(settings.decoding)
        return partial(model_spans, find=sanitizer.detect)
    from spark_deid.greedy.files import model_hash
    from spark_deid.greedy.spark.detect import finder

    digest = model_hash(settings.model)
    find = finder(run.spark, str(settings.model), digest, decoding=settings.decoding, placeholders=words)
    return partial(model_spans, find=find)


def _check(settings: ModelSettings) -> None:
    from spark_deid.greedy.sanitizer import load_sanitizer, model_stamp, model_summary

    if not model_summary(settings.model).rounds:
        raise UsageError(f"model: {settings.model} has no round and finds nothing; train it on more labelled text")
    checked = model_stamp(settings.model)
    load_sanitizer(settings.model, checked=checked).decoding_as(settings.decoding).detect("")


def _models(settings: ModelSettings) -> tuple[ModelRecord, ...]:
    from spark_deid.greedy.files import model_summary, read_training_report

    summary = model_summary(settings.model)
    training = read_training_report(settings.model)
    return (ModelRecord(str(settings.model), summary.hash, summary.labels, summary.rounds, training),)


def _describe(settings: ModelSettings) -> str:
    return f"apply every round of the model {settings.model} ({settings.decoding} decoding)"


def _public(settings: ModelSettings) -> Mapping[str, object]:
    return {"decoding": settings.decoding}


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
)
