"""Carry a plan out over labelled text whose labels it does not see, and count what it leaves; nothing is written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from spark_deid.app.figures import ResidualText
from spark_deid.app.inputs import Progress
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.guarantee_kind import AssessmentResult
from spark_deid.core.hashing import fingerprint, read_key
from spark_deid.core.span import GOLD
from spark_deid.corpus.frame import FrameColumns
from spark_deid.corpus.spark.read import CorpusReading
from spark_deid.engine import functions as F
from spark_deid.evaluation.residual_text import JudgedDocument, JudgedRules
from spark_deid.evaluation.spark import count_residual_text, judged_decisions, worst_documents
from spark_deid.greedy.files import KEY
from spark_deid.greedy.spark import count_seen
from spark_deid.greedy.training_fingerprints import read_seen
from spark_deid.pipeline.frame_sink import FrameSink, checkpoints, private_folder
from spark_deid.pipeline.run import PipelineRun, RunInfo
from spark_deid.pipeline.steps import run_to_score
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.explain import check_detectors, check_guarantees
from spark_deid.plan.load import check_methods, read_content
from spark_deid.plan.secret import find_secret
from spark_deid.rewriting.keep import labels_that_stay
from spark_deid.surrogates.reading import GENERIC
from spark_deid.surrogates.settings import SHIFT

_SHOWN = 200
"""Documents of a page at most."""
_NO_REFUSAL = {"max_rejects": None}
"""A limit for the plan's own input: gold is another one."""


class ScoredPlan(NamedTuple):
    """A plan that was carried out over labelled text, and the labels that its figures count."""

    run: PipelineRun
    gold: DataFrame

    @property
    def predicted(self) -> DataFrame:
        """Return the spans that the plan edits: not those that a rule or ``allow`` keeps."""
        settings, spans = self.run.settings, self.run.corpus.spans
        detector = F.split("source", "/")
        is_spared = F.col("source").endswith("/allowed")
        is_kept = F.col("label").isin(*sorted(labels_that_stay(settings)))
        return spans.where(detector[0].isin(*settings.edited) & ~is_spared & ~is_kept)

    def residual(self) -> ResidualText:
        """Count what the plan leaves, and name the guarantees that do not hold. Runs one action."""
        judged = judged_decisions(self.run.corpus.decisions, self.gold)
        assessed = self.run.checked.assessed
        failed = tuple(reason for each in assessed if not each.assessment.satisfied for reason in _reasons(each))
        return ResidualText(count_residual_text(judged, self._rules), (*self.run.refusals, *failed))

    def worst(self) -> list[JudgedDocument]:
        """Return the worst documents first. Runs one action."""
        return worst_documents(judged_decisions(self.run.corpus.decisions, self.gold), self._rules, _SHOWN)

    @property
    def _rules(self) -> JudgedRules:
        settings = self.run.settings
        return JudgedRules(frozenset(settings.edited), labels_that_stay(settings), GENERIC, frozenset((SHIFT,)))


def plan_to_score(path: Path, overrides: Mapping[str, str]) -> MethodSettings:
    """Read a plan for labelled text: its input, workspace and release are ignored. Raises UsageError."""
    content = read_content(path, [f"{key}={value}" for key, value in overrides.items()])
    return check_methods(content, str(path))


def check_scored(settings: MethodSettings) -> None:
    """Raise UsageError for a plan that would see the annotations that it is scored against, or can't be carried out."""
    if GOLD in settings.edited:
        raise UsageError(
            "sources contains gold, so the plan would edit the annotations that it is scored against. Remove "
            "gold from sources"
        )
    check_detectors(settings)


@contextmanager
def scored_plan(
    spark: SparkSession,
    settings: MethodSettings,
    reading: CorpusReading,
    documents: DataFrame,
    scratch: Path | None,
    progress: Progress,
) -> Iterator[ScoredPlan]:
    """Carry a plan out over the documents of a reading; what is temporary is gone at the end.

    Guarantees that fail are reported and refuse nothing.
    """
    settings = settings.model_copy(update=_NO_REFUSAL)
    refusals: tuple[str, ...] = ()
    try:
        check_guarantees(settings)
    except GateRefused as error:
        refusals = (str(error),)
    plan = settings.resolved()
    info = RunInfo(plan, fingerprint(plan), datetime.now(UTC))
    with private_folder(spark, scratch) as folder, checkpoints() as materialize:
        unseen = _unseen(reading, documents)
        sink = FrameSink(lambda _: unseen, FrameColumns(), materialize, folder)
        key = find_secret(settings.key_file).key
        run = PipelineRun(settings, spark, sink, key, info, StageClock(progress), refusals=refusals)
        run_to_score(run)
        yield ScoredPlan(run, reading.spans)


def models_trained_on(settings: MethodSettings, documents: DataFrame) -> dict[str, int]:
    """Count the documents that each model of a plan was trained on, by the model's name; one action a model."""
    found: dict[str, int] = {}
    for model in settings.models:
        if seen := read_seen(Path(model.path)):
            found[Path(model.path).name] = count_seen(documents, seen, read_key(Path(model.path) / KEY))
    return {name: count for name, count in found.items() if count}


def _unseen(reading: CorpusReading, documents: DataFrame) -> CorpusReading:
    """Return a reading of the documents without their annotations."""
    kind = reading.annotated.schema["spans"].dataType
    annotated = documents.withColumn("spans", F.array().cast(kind))
    inventory = reading.inventory
    if documents is not reading.documents:
        counts = documents.agg(F.count("*"), F.count("subject_id")).collect()[0]
        inventory = replace(inventory, documents=counts[0], documents_with_subject=counts[1])
    return replace(reading, annotated=annotated, documents=documents, inventory=replace(inventory, annotations=0))


def _reasons(result: AssessmentResult) -> tuple[str, ...]:
    """Return why a guarantee does not hold."""
    return result.reasons or (f"{result.assessment.guarantee} does not hold",)
