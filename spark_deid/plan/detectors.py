"""The stages that a plan's settings stand for."""

from spark_deid.core.errors import UsageError
from spark_deid.detection.installed import find_detector
from spark_deid.greedy.sanitizer import load_sanitizer, model_hash, model_stamp, model_summary
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.stages import (
    Checkpoint,
    DetectContext,
    DetectInstalled,
    DetectModel,
    DetectPatterns,
    DetectRare,
    Materialize,
    Stage,
    Suppress,
)
from spark_deid.release.workspace import SCRATCH
from spark_deid.storage.files import is_remote, local_path
from spark_deid.text.patterns import CustomPattern, PatternDetector


def stages_of(settings: PlanSettings, materialize: Materialize) -> tuple[Stage, ...]:
    """List the stages from detection to edits."""
    detectors: list[Stage] = [DetectInstalled(name) for name in settings.detectors]
    if settings.patterns is not None:
        detectors.append(DetectPatterns(pattern_detector(settings)))
    if settings.model is not None:
        detectors.append(
            DetectModel(settings.model, model_hash(settings.model), settings.decoding, settings.placeholders)
        )
    if correlations := settings.correlations("remove"):
        others = tuple(source for source in settings.sources if source not in ("context", "repeats"))
        detectors.append(DetectContext(correlations, others, materialize))
    if settings.repeats is not None:
        others = tuple(source for source in settings.sources if source != "repeats")
        detectors.append(
            DetectRare(settings.repeats, others, settings.placeholders, materialize, _shards_folder(settings))
        )
    return (
        *detectors,
        Suppress(tuple(settings.sources), materialize),
        Checkpoint(("spans", "edits"), materialize),
    )


def _shards_folder(settings: PlanSettings) -> str:
    workspace = settings.workspace if is_remote(settings.workspace) else str(local_path(settings.workspace))
    return f"{workspace.rstrip('/')}/{SCRATCH}/shards"


def pattern_detector(settings: PlanSettings) -> PatternDetector:
    """Make the pattern detector that a plan asks for; one without patterns finds nothing."""
    if settings.patterns is None:
        return PatternDetector(kinds=())
    custom = tuple(CustomPattern(**p.model_dump()) for p in settings.patterns.custom)
    if settings.patterns.kinds == "all":
        return PatternDetector(custom=custom)
    return PatternDetector(kinds=settings.patterns.kinds, custom=custom)


def check_detectors(settings: PlanSettings) -> None:
    """Check that every detector of a plan can be had, the model with the plan's decoding.

    Raises UsageError or ModelError.
    """
    pattern_detector(settings)
    for name in settings.detectors:
        find_detector(name)
    if settings.model is not None and not model_summary(settings.model).rounds:
        raise UsageError(f"model: {settings.model} has no round and finds nothing; train it on more labelled text")
    if settings.model is not None:
        load_sanitizer(settings.model, checked=model_stamp(settings.model)).decoding_as(settings.decoding).detect("")
