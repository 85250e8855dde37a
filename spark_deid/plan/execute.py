"""Carry out a plan from its input to edits, in an open workspace."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.errors import CorpusError
from spark_deid.corpus.spark.read import Reading, read_corpus
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.corpus import Corpus
from spark_deid.plan.detectors import stages_of
from spark_deid.plan.stages import Checkpoint, Plan
from spark_deid.release.spark.tables import read_scratch, write_scratch, write_table
from spark_deid.release.workspace import Workspace
from spark_deid.rewriting.spark.operators import DECISIONS

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What carrying out a plan gave, before anything is released; ``seconds`` by stage, in order.

    ``decisions`` has a row a document (columns of DECISIONS), which the tables of the corpus were written from.
    """

    corpus: Corpus
    decisions: DataFrame
    reading: Reading
    totals: "Totals"
    seconds: dict[str, float]


@dataclass(frozen=True)
class Totals:
    """Counts over the documents of a run."""

    documents: int
    words: int
    published_words: int
    gold_unedited: int
    named_by_file: int

    @property
    def publish_ratio(self) -> float:
        """Return the share of word tokens that no edit touches; 1 where there is no word."""
        return self.published_words / self.words if self.words else 1.0


def execute(settings: PlanSettings, spark: SparkSession, workspace: Workspace, progress: Progress) -> Outcome:
    """Read, detect and decide; every table of it lies in the workspace afterwards.

    Runs one action for each table that it writes and one for the totals. Raises CorpusError where nothing is readable.
    """
    clock = Clock(progress)
    materialize = partial(_materialize, workspace)
    clock.start("read", f"read {settings.input.path}")
    reading = read_corpus(
        spark,
        settings.input.path,
        settings.input.format,
        options=settings.input.options,
        stage=partial(materialize, "parsed"),
    )
    corpus = Corpus.empty(spark).read(reading.documents, reading.annotated, reading.rejects)
    corpus = Checkpoint(("documents", "rejects"), materialize)(corpus)
    plan = Plan(stages_of(settings, materialize), lambda stage: clock.start(stage.name, stage.describe()))
    corpus = plan(corpus)
    clock.start("count")
    decisions = read_scratch(spark, workspace, "decisions", tables.ddl(DECISIONS))
    totals = _totals(decisions)
    if not totals.documents:
        raise CorpusError(f"{settings.input.path}: no readable document; {_reasons(corpus.rejects)}")
    return Outcome(corpus, decisions, reading, totals, clock.stop())


def _materialize(workspace: Workspace, name: str, rows: DataFrame) -> DataFrame:
    return write_table(rows, workspace, name) if name in tables.TABLES else write_scratch(rows, workspace, name)


def _totals(decisions: DataFrame) -> Totals:
    row = decisions.agg(
        F.count("doc_id").alias("documents"),
        F.coalesce(F.sum(F.col("doc_id").rlike("#[0-9]+$").cast("long")), F.lit(0)).alias("named_by_file"),
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in ("words", "published_words", "gold_unedited")),
    ).first()
    assert row is not None  # an aggregate without groups has one row
    return Totals(**row.asDict())


def _reasons(rejects: DataFrame) -> str:
    counts = rejects.groupBy("reason").count().orderBy("reason").collect()
    return "rejected: " + (", ".join(f"{row['reason']} {row['count']}" for row in counts) or "nothing")


class Clock:
    """Time stages and say when each begins."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self._name = ""
        self._began = 0.0

    def start(self, name: str, description: str = "") -> None:
        """End the stage before, and say that this one begins."""
        self.stop()
        self._progress(description or name)
        self._name, self._began = name, time.monotonic()

    def stop(self) -> dict[str, float]:
        """End the stage; return the seconds of all so far."""
        if self._name:
            seconds = self._seconds.get(self._name, 0.0) + time.monotonic() - self._began
            self._seconds[self._name] = round(seconds, 3)
            self._name = ""
        return dict(self._seconds)
