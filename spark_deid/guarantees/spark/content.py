"""Operator: whether what is to be published covers what was detected, by joins of tables."""

from collections.abc import Iterator, Sequence
from functools import cache, partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.guarantees.allowed import AllowedTexts
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, Placeholders, add, faults_of, is_exempt

NONE_ALLOWED = AllowedTexts()
_FAULTS = pa.schema([(name, pa.int32()) for name in CoverageFaults._fields])


def check_release(
    documents: DataFrame,
    published: DataFrame,
    spans: DataFrame,
    edits: DataFrame,
    *,
    exempt: Sequence[str],
    placeholders: Placeholders,
    listed: Sequence[str] = (),
    recounted: Sequence[str] = (),
    allowed: AllowedTexts = NONE_ALLOWED,
) -> CoverageFaults:
    """Count what is wrong with what is to be published; one Spark job.

    ``published`` has the columns ``doc_id`` (the original one) and ``text``. Spans of every source must be covered but
    those of detectors that are ``exempt``; ``placeholders`` are what techniques write for labels, ``listed`` words
    that they may put back, ``recounted`` techniques that a guarantee of their own looks at, ``allowed`` terms that are
    spared. Every
    document, span and edit is looked at, those without a counterpart too.
    """
    joined = (
        documents.select("doc_id", F.col("text").alias("original"))
        .join(published.select("doc_id", F.col("text").alias("published")), on="doc_id", how="full")
        .join(_nest(spans, "spans", ("start", "end", "label", "source")), on="doc_id", how="full")
        .join(_nest(edits, "edits", CheckedEdit._fields[:4]), on="doc_id", how="full")
    )
    check = partial(_check_batches, exempt=tuple(exempt), placeholders=placeholders, listed=tuple(listed))
    check = partial(check, recounted=tuple(recounted), allowed=allowed)
    rows = joined.mapInArrow(check, tables.ddl(_FAULTS))
    totals = rows.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in CoverageFaults._fields)).collect()[0]
    return CoverageFaults(*(int(total) for total in totals))


def _nest(rows: DataFrame, name: str, columns: Sequence[str]) -> DataFrame:
    return rows.groupBy("doc_id").agg(F.collect_list(F.struct(*columns)).alias(name))


def _check_batches(
    incoming: Iterator[pa.RecordBatch],
    *,
    exempt: tuple[str, ...],
    placeholders: Placeholders,
    listed: tuple[str, ...],
    recounted: tuple[str, ...],
    allowed: AllowedTexts,
) -> Iterator[pa.RecordBatch]:
    is_free = cache(partial(is_exempt, exempt=exempt))
    for batch in incoming:
        total = CoverageFaults()
        texts = (batch.column(name).to_pylist() for name in ("original", "published"))
        rows = zip(*texts, tuples_of(batch.column("spans")), tuples_of(batch.column("edits")), strict=True)
        for original, published, spans, edits in rows:
            marked = [
                (start, end, label)
                for start, end, label, source in spans
                if not (is_free(source) or allowed.is_spared(original or "", start, end, source))
            ]
            replaced = [CheckedEdit(*edit) for edit in edits]
            total = add(total, faults_of(original, published, marked, replaced, placeholders, listed, recounted))
        yield to_batch([total], _FAULTS)
