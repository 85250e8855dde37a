"""Plans that are carried out without files, and decisions that are counted against the tables beside them."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, Materialize, MethodContext, NoSettings
from spark_deid.core.span import Finder
from spark_deid.corpus.spark.store import store_frame
from spark_deid.engine.tables import read_parts
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.coverage import Placeholders
from spark_deid.guarantees.every_character import KIND as COVERAGE
from spark_deid.guarantees.spark import DecisionCounts, count_decisions
from spark_deid.pipeline.detecting import carry_out
from spark_deid.plan.clock import StageClock, say_nothing
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.load import check_methods
from spark_deid.repeats.spark.compared_texts import compare_decisions
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.spark.operators import EditingRules, store_decisions
from spark_deid.rewriting.suppress import placeholder
from spark_deid.storage.parts import PartFile, Parts, PartsWriter

Row = tuple[object, ...]
_SCHEMAS = {**tables.TABLES, "decisions": tables.DECISIONS}

SUPPRESSED: Placeholders = {"suppress": placeholder}


def as_they_are(_: str, rows: DataFrame) -> DataFrame:
    """Write nothing."""
    return rows


def annotated_of(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    """Make documents with spans, columns of ANNOTATED."""
    return spark.createDataFrame(list(rows), tables.ddl(tables.ANNOTATED))


def plan_of(content: Mapping[str, Any]) -> MethodSettings:
    """Check what a plan states about methods."""
    return check_methods(content, "plan")


def place_in(spark: SparkSession) -> Callable[[str], str]:
    """Make a folder among those of the tests' session; a table has a folder in it."""
    local = spark.sparkContext.getConf().get("spark.local.dir")
    return partial(_made, tempfile.mkdtemp(dir=local))


def _made(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    return path


def stored(annotated: DataFrame, place: Callable[[str], str]) -> tuple[Parts, ...]:
    """Write documents with spans as a reading does."""
    return store_frame(annotated, {name: place(name) for name in ("documents", "imported")})


def carried_out(
    settings: MethodSettings, annotated: DataFrame, *, subjects: int = 0, materialize: Materialize = as_they_are
) -> Corpus:
    """Carry out a plan on documents with spans."""
    spark = annotated.sparkSession
    place = place_in(spark)
    read = stored(annotated, place)
    documents = read_parts(spark, (parts["documents"] for parts in read), tables.DOCUMENTS)
    corpus = replace(Corpus.empty(spark), read=read, documents=documents)
    return carry_out(
        settings,
        corpus,
        MethodContext(spark, settings, materialize, place(""), place, subjects),
        StageClock(say_nothing),
    )


def decisions_of(
    annotated: DataFrame, rules: PreparedRules, detectors: Sequence[str], *, finders: Sequence[Finder] = ()
) -> DataFrame:
    """Find, decide and rewrite in one pass."""
    place = place_in(annotated.sparkSession)
    folders = {name: place(name) for name in ("decisions", "spans", "edits")}
    editing, read = EditingRules(rules, frozenset(detectors)), stored(annotated, place)
    decided = store_decisions(annotated.sparkSession, read, editing, folders, finding=DocumentFinders(tuple(finders)))
    return read_parts(annotated.sparkSession, (parts["decisions"] for parts in decided), tables.DECISIONS)


def spans_of(decisions: DataFrame) -> DataFrame:
    """Write the spans of decisions, or of annotated documents, as the spans table."""
    return _exploded(decisions, "spans", tables.SPANS)


def edits_of(decisions: DataFrame) -> DataFrame:
    """Write the edits of decisions as the edits table."""
    return _exploded(decisions, "edits", tables.EDITS)


def _exploded(decisions: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    rows = decisions.select("doc_id", F.explode(name).alias("row"))
    return rows.select(*(F.col(n if n == "doc_id" else f"row.{n}").alias(n) for n in schema.names))


def workspace_of(decisions: DataFrame, **changed: DataFrame) -> Corpus:
    """Write the tables that a workspace should have beside decisions, some of them changed."""
    place = place_in(decisions.sparkSession)
    frames = {
        "documents": decisions.select(*tables.DOCUMENTS.names),
        "spans": spans_of(decisions),
        "edits": edits_of(decisions),
        "decisions": decisions,
    } | changed
    parts = {name: _one_part(frame, place(name), _SCHEMAS[name]) for name, frame in frames.items()}
    decided = {name: parts[name] for name in ("decisions", "spans", "edits")}
    corpus: Any = partial(replace, Corpus.empty(decisions.sparkSession), **frames)
    written: Corpus = corpus(read=({"documents": parts["documents"]},), decided=(decided,))
    return written


def _one_part(rows: DataFrame, folder: str, schema: pa.Schema) -> PartFile:
    [group] = rows.toArrow().cast(schema).combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema)]
    with PartsWriter({"rows": folder}, {"rows": schema}) as writer:
        writer.write({"rows": group})
        return writer.close()["rows"]


def counted(
    decisions: DataFrame, *, exempt: Sequence[str], scored: bool = False, placeholders: Placeholders = SUPPRESSED
) -> DecisionCounts:
    """Count decisions against the tables that a workspace should have."""
    return counted_against(workspace_of(decisions), exempt=exempt, scored=scored, placeholders=placeholders)


def counted_against(
    corpus: Corpus, *, exempt: Sequence[str], scored: bool = False, placeholders: Placeholders = SUPPRESSED
) -> DecisionCounts:
    """Count the decisions of a corpus against its tables."""
    checking = CheckSettings(tuple(exempt), placeholders, scored)
    return count_decisions(corpus, checking)


def coverage_of(settings: MethodSettings, corpus: Corpus, counts: DecisionCounts) -> AssessmentResult:
    """Assess the guarantee of every release."""
    compared = compare_decisions(corpus.decisions)
    documents = corpus.documents.count()
    evidence = GuaranteeEvidence(settings, corpus, compared, counts.faults._asdict(), documents, subjects=0)
    return COVERAGE.assess(NoSettings(), evidence)
