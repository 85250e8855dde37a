"""How many words of names a run misses: an estimate without labels, and the threshold that a target takes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from spark_deid.core.errors import GateRefused
from spark_deid.core.kinds import MethodContext
from spark_deid.core.missed_names import MissedEstimate, MissedEstimator, NoEstimate, TextDoubt
from spark_deid.pipeline.run import PipelineRun, TargetOutcome
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import detectors_of, document_finders_of
from spark_deid.rewriting.spark.odds import count_after_edits, count_after_finders

LOOKED_AT_DOCUMENTS = 500
"""About how many documents tell what is missed: their number adds little to how far kinds of text lie apart."""
MOST_STRANGE = 0.05
"""The largest share of documents in languages that no model knows by which an estimate still is one of the corpus."""


def estimator_of(settings: MethodSettings, methods: MethodContext) -> MissedEstimator | NoEstimate | None:
    """Return what estimates the names that a plan misses, or why nothing does; None where no detector could."""
    found = [kind.missed(section, methods) for _, kind, section in detectors_of(settings) if kind.missed is not None]
    return found[0] if found else None


def is_doubted(doubts: Iterable[str]) -> bool:
    """Tell whether detectors may not know the text of more documents than some."""
    return any(doubt.share > MOST_STRANGE for doubt in doubts if isinstance(doubt, TextDoubt))


def aim(run: PipelineRun) -> None:
    """Let the target of a plan choose its loss ratio, by a sample of the documents as they were read; one job.

    Raises GateRefused if the text gets no estimate: no ratio can then be known to reach the target.
    """
    estimator = estimator_of(run.settings, run.methods)
    if not isinstance(estimator, MissedEstimator) or estimator.target is None:
        return
    if run.is_doubted:
        raise GateRefused(_no_target(estimator.target, NoEstimate.DOUBTS))
    run.clock.start("aim", f"choose the loss ratio by which at most {estimator.target:.1%} of names is missed")
    finding = document_finders_of(run.settings, run.methods)
    edited = frozenset(run.settings.edited)
    counts = count_after_finders(
        run.spark, run.corpus.read, estimator, _sampled(run), finding=finding, detectors=edited
    )
    if outside := estimator.outside(counts):
        raise GateRefused(_no_target(estimator.target, NoEstimate.RANGE, outside))
    choice = estimator.choose(counts, estimator.target)
    run.aimed = TargetOutcome(estimator.target, choice.loss_ratio, choice.reached)
    run.settings = run.settings.model_copy(update=dict(choice.settings))
    run.methods = replace(run.methods, plan=run.settings)
    run.clock.say(f"loss ratio {choice.loss_ratio:g}")


def _no_target(target: float, why: NoEstimate, outside: Iterable[str] = ()) -> str:
    """Return why a plan with a target is refused.

    >>> _no_target(0.05, NoEstimate.RANGE, ["uppercase"]).partition(":")[0]
    'nothing is released'
    """
    reason = "the run doubts that the model knows this text"
    if why is NoEstimate.RANGE:
        reason = f"the text is unlike the labelled corpora, by its words of these forms: {', '.join(outside)}"
    return (
        f"nothing is released: target: {target:g} is not available, because missed names cannot be estimated: "
        f"{reason}. Set loss_ratio instead, and label a sample of the release (spark-deid sample)"
    )


def estimate_missed(run: PipelineRun) -> None:
    """Estimate the words of names that the edits of a run miss, by a sample of its documents; one job.

    Nothing is estimated if the run doubts the text, if the text is unlike the labelled corpora, if texts went through
    several models, and if no one measured what the model misses in text of other kinds. The run then states which.
    """
    estimator = estimator_of(run.settings, run.methods)
    if isinstance(estimator, MissedEstimator) and run.is_doubted:
        estimator = NoEstimate.DOUBTS
    if not isinstance(estimator, MissedEstimator):
        run.missed = estimator
        return
    run.clock.start("estimate", "estimate the number of missed names")
    counts = count_after_edits(run.spark, run.corpus.decided, estimator, _sampled(run))
    run.missed = NoEstimate.RANGE if estimator.outside(counts) else estimator.estimate(counts)


def statement_of(run: PipelineRun) -> Mapping[str, object]:
    """Return what manifests say of the names that are missed; nothing where no detector could tell."""
    if run.missed is None:
        return {}
    record = run.missed.to_json() if isinstance(run.missed, MissedEstimate) else {"none": run.missed.value}
    return {**record, **({} if run.aimed is None else run.aimed._asdict())}


def warnings_of_target(run: PipelineRun) -> tuple[str, ...]:
    """Say that a target was not reached."""
    if run.aimed is None or run.aimed.reached:
        return ()
    return (
        f"target: {run.aimed.target:g} is not reached. Even with the highest loss ratio, "
        f"{run.aimed.loss_ratio:g}, the upper end of the interval exceeds it. This ratio hides many ordinary "
        "words",
    )


def _sampled(run: PipelineRun) -> float:
    """Return the share of documents that are looked at."""
    return min(1.0, LOOKED_AT_DOCUMENTS / max(1, run.contents.inventory.documents))
