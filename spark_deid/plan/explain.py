"""Say what a plan would do."""

from collections.abc import Iterator
from typing import NoReturn

from pyspark.sql import DataFrame

from spark_deid.plan.config import PlanSettings
from spark_deid.plan.detectors import check_detectors, stages_of
from spark_deid.storage.disjoint_paths import check_disjoint


def explain(settings: PlanSettings) -> str:
    """Describe every stage of a plan, what it writes where, and what it leaves unedited; touches no data.

    Raises UsageError or ModelError where a run would refuse the plan: places that contain one another, or a detector
    that can't be had.
    """
    check_disjoint(settings.input.path, settings.workspace, settings.release)
    check_detectors(settings)
    return "\n".join(_lines(settings))


def _lines(settings: PlanSettings) -> Iterator[str]:
    yield f"input      {settings.input.path} ({settings.input.format})"
    yield f"workspace  {settings.workspace} (private: originals, spans, edits, full manifest)"
    yield f"release    {settings.release} (doc_id, text{''.join(f', {name}' for name in settings.metadata)})"
    yield ""
    yield "1. read the input; what can't be read goes to rejects with a reason"
    for number, stage in enumerate(stages_of(settings, _never), 2):
        yield f"{number}. {stage.describe()}"
    yield "   then: check that every marked character is edited, publish with one commit"
    demand = settings.guarantees.residual_risk
    if demand is not None:
        asked = ", ".join(f"{name} {value:g}" for name, value in demand.model_dump().items() if value is not None)
        yield f"   residual risk must be certified by the model's training ({asked}), or nothing is read and released"
    yield ""
    unused = {
        "model": settings.model,
        "patterns": settings.patterns,
        "context": settings.correlations("remove") or None,
        "repeats": settings.repeats,
    }
    for name, configured in unused.items():
        if configured is not None and name not in settings.sources:
            yield f"note: {name} is run, but sources does not name it: its spans are kept for you to see and not edited"
    for name in settings.detectors:
        if name not in settings.sources:
            yield f"note: {name} is run, but sources does not name it: its spans are kept for you to see and not edited"
    if "gold" not in settings.sources:
        yield "note: imported annotations (gold) are kept in spans and not edited; sources does not name gold"
    if settings.release_ids == "keep":
        yield "note: the release keeps document ids as they are (release_ids: keyed replaces them by keyed hashes)"


def _never(name: str, rows: DataFrame) -> NoReturn:
    raise AssertionError(name)  # an explained plan materializes nothing
