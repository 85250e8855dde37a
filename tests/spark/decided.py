"""Plans that are carried out without files, and decisions that are counted against the tables beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import Assessed, Evidence, Materialize, NoSettings, Run
from spark_deid.guarantees.every_character import KIND as COVERAGE
from spark_deid.guarantees.spark.content import measure
from spark_deid.guarantees.spark.counting import Checking, Counted, count_decisions
from spark_deid.plan.clock import Clock, silent
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.load import check_methods
from spark_deid.plan.phases import carry_out
from spark_deid.repeats.spark.comparison import compare_decisions
from spark_deid.rewriting.spark.operators import edits_of_decisions, spans_of_decisions

Row = tuple[object, ...]


def as_they_are(_: str, rows: DataFrame) -> DataFrame:
    """Write nothing."""
    return rows


def annotated_of(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    """Make documents with spans, columns of ANNOTATED."""
    return spark.createDataFrame(list(rows), tables.ddl(tables.ANNOTATED))


def plan_of(content: Mapping[str, Any]) -> MethodSettings:
    """Check what a plan says of methods."""
    return check_methods(content, "plan")


def carried_out(
    settings: MethodSettings, annotated: DataFrame, *, subjects: int = 0, materialize: Materialize = as_they_are
) -> Corpus:
    """Carry out a plan on documents with spans."""
    spark = annotated.sparkSession
    empty = Corpus.empty(spark)
    corpus = empty.read(annotated.select(*tables.DOCUMENTS.names), annotated, empty.rejects)
    return carry_out(settings, corpus, Run(spark, settings, materialize, "", subjects), Clock(silent))


def workspace_of(decisions: DataFrame, **changed: Any) -> Corpus:
    """Return the tables that a workspace should have beside decisions, some of them changed."""
    corpus = replace(
        Corpus.empty(decisions.sparkSession),
        documents=decisions.select(*tables.DOCUMENTS.names),
        spans=spans_of_decisions(decisions),
        edits=edits_of_decisions(decisions),
        decisions=decisions,
    )
    return replace(corpus, **changed)


def counted(
    decisions: DataFrame, *, exempt: Sequence[str], scored: bool = False, placeholders: Sequence[str] = ("suppress",)
) -> Counted:
    """Count decisions against the tables that a workspace should have."""
    return counted_against(workspace_of(decisions), exempt=exempt, scored=scored, placeholders=placeholders)


def counted_against(
    corpus: Corpus, *, exempt: Sequence[str], scored: bool = False, placeholders: Sequence[str] = ("suppress",)
) -> Counted:
    """Count the decisions of a corpus against its tables."""
    checking = Checking(tuple(exempt), tuple(placeholders), scored)
    return count_decisions(corpus.decisions, corpus, measure(corpus.documents), checking)


def coverage_of(settings: MethodSettings, corpus: Corpus, counts: Counted) -> Assessed:
    """Assess the guarantee of every release."""
    compared = compare_decisions(corpus.decisions)
    documents = corpus.documents.count()
    evidence = Evidence(settings, corpus, compared, counts.faults._asdict(), documents, subjects=0)
    return COVERAGE.assess(NoSettings(), evidence)
