"""Operators: count the words of a sample of documents by their odds of being part of a name."""

from collections.abc import Sequence
from functools import partial

from pyspark.sql import SparkSession

from spark_deid.core.arrow import tuples_of
from spark_deid.core.missed_names import MissedEstimator, OddsCounts
from spark_deid.core.span import detector_of, is_allowed
from spark_deid.engine.tasks import run_tasks
from spark_deid.rewriting.counts import OddsCounter, add_counts
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.storage.parts import Parts, read_aligned, read_groups


def count_after_edits(
    spark: SparkSession, decided: Sequence[Parts], estimator: MissedEstimator, share: float
) -> OddsCounts:
    """Count the words of decisions, after all edits. Runs one job, which returns nothing but counts."""
    count = partial(_count_decided, estimator=estimator, share=share)
    return add_counts(run_tasks(spark, count, decided), estimator.cells, estimator.forms)


def count_after_finders(
    spark: SparkSession,
    read: Sequence[Parts],
    estimator: MissedEstimator,
    share: float,
    *,
    finding: DocumentFinders,
    detectors: frozenset[str],
) -> OddsCounts:
    """Count the words of documents as they were read, as if what these detectors find were edited. Runs one job."""
    count = partial(_count_found, estimator=estimator, share=share, finding=finding, detectors=detectors)
    return add_counts(run_tasks(spark, count, read), estimator.cells, estimator.forms)


def _count_decided(parts: Parts, *, estimator: MissedEstimator, share: float) -> OddsCounts:
    counter = OddsCounter(estimator, share)
    for batch in read_groups(parts["decisions"].path, ["doc_id", "text", "edits"]):
        places = counter.chosen(batch.column("doc_id").to_pylist())
        if not places:
            continue
        rows = batch.take(places)
        ids, texts = (rows.column(name).to_pylist() for name in ("doc_id", "text"))
        for doc_id, text, edits in zip(ids, texts, tuples_of(rows.column("edits")), strict=True):
            counter.add(doc_id, text, [edit[:2] for edit in edits])
    return counter.counts


def _count_found(
    parts: Parts, *, estimator: MissedEstimator, share: float, finding: DocumentFinders, detectors: frozenset[str]
) -> OddsCounts:
    counter = OddsCounter(estimator, share)
    for batch in read_aligned(parts):
        places = counter.chosen(batch.column("doc_id").to_pylist())
        if not places:
            continue
        rows = batch.take(places)
        ids, texts = (rows.column(name).to_pylist() for name in ("doc_id", "text"))
        for doc_id, text, spans in zip(ids, texts, finding.found_in(rows), strict=True):
            edited = [
                (span.start, span.end)
                for span in spans
                if detector_of(span.source) in detectors and not is_allowed(span.source)
            ]
            counter.add(doc_id, text, edited)
    return counter.counts
