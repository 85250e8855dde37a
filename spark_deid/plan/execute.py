"""Carry out a plan from its input to decisions, in an open workspace."""

from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import CorpusError
from spark_deid.core.kinds import Run
from spark_deid.corpus.spark.read import Reading, read_corpus
from spark_deid.plan.clock import Clock
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.phases import carry_out
from spark_deid.plan.secret import Secret
from spark_deid.release.spark.tables import write_scratch, write_table
from spark_deid.release.workspace import Workspace


@dataclass(frozen=True)
class Outcome:
    """What carrying out a plan gave, before anything is checked or released."""

    corpus: Corpus
    reading: Reading
    run: Run


def execute(settings: PlanSettings, spark: SparkSession, workspace: Workspace, secret: Secret, clock: Clock) -> Outcome:
    """Read, detect and decide; every table of it lies in the workspace afterwards.

    Runs one action for each table that it writes. Raises CorpusError where nothing is readable.
    """
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
    corpus = replace(
        corpus, documents=materialize("documents", corpus.documents), rejects=materialize("rejects", corpus.rejects)
    )
    if not reading.inventory.documents:
        raise CorpusError(f"{settings.input.path}: no readable document; {_reasons(reading)}")
    run = Run(
        spark=spark,
        plan=settings,
        materialize=materialize,
        scratch=workspace.scratch.uri.removeprefix("file://"),
        subjects=reading.inventory.documents_with_subject,
        secret=secret.key,
    )
    corpus = carry_out(settings, corpus, run, clock)
    clock.start("write spans and edits")
    corpus = replace(corpus, spans=materialize("spans", corpus.spans), edits=materialize("edits", corpus.edits))
    return Outcome(corpus, reading, run)


def _materialize(workspace: Workspace, name: str, rows: DataFrame) -> DataFrame:
    return write_table(rows, workspace, name) if name in tables.TABLES else write_scratch(rows, workspace, name)


def _reasons(reading: Reading) -> str:
    counts = sorted(reading.inventory.rejects.items())
    return "rejected: " + (", ".join(f"{reason} {count}" for reason, count in counts) or "nothing")
