"""Operator: whether what is to be published covers what was detected, by joins of tables."""

from collections.abc import Iterator, Sequence
from functools import cache, partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, add_faults, faults_of, is_exempt

_FAULTS = pa.schema([(name, pa.int32()) for name in CoverageFaults._fields])


def check_release(
    documents: DataFrame,
    published: DataFrame,
    spans: DataFrame,
    edits: DataFrame,
    *,
    checking: CheckSettings,
) -> CoverageFaults:
    """Count what is wrong with what is to be published; one Spark job.

    ``published`` has the columns ``doc_id`` (the original one) and ``text``. Spans of every source must be covered but
    those that ``checking`` lets stand. Every document, span and edit is looked at, those without a counterpart too.
    """
    joined = (
        documents.select("doc_id", F.col("text").alias("original"))
        .join(published.select("doc_id", F.col("text").alias("published")), on="doc_id", how="full")
        .join(_nest(spans, "spans", ("start", "end", "label", "source")), on="doc_id", how="full")
        .join(_nest(edits, "edits", CheckedEdit._fields[:4]), on="doc_id", how="full")
    )
    rows = joined.mapInArrow(partial(_check_batches, checking=checking), tables.ddl(_FAULTS))
    totals = rows.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in CoverageFaults._fields)).collect()[0]
    return CoverageFaults(*(int(total) for total in totals))


def _nest(rows: DataFrame, name: str, columns: Sequence[str]) -> DataFrame:
    return rows.groupBy("doc_id").agg(F.collect_list(F.struct(*columns)).alias(name))


def _check_batches(incoming: Iterator[pa.RecordBatch], *, checking: CheckSettings) -> Iterator[pa.RecordBatch]:
    is_free = cache(partial(is_exempt, exempt=checking.exempt))
    known = checking.placeholders, checking.listed, checking.recounted
    for batch in incoming:
        total = CoverageFaults()
        texts = (batch.column(name).to_pylist() for name in ("original", "published"))
        rows = zip(*texts, tuples_of(batch.column("spans")), tuples_of(batch.column("edits")), strict=True)
        for original, published, spans, edits in rows:
            marked = [
                (start, end, label)
                for start, end, label, source in spans
                if not is_free(source) and checking.must_be_edited(original or "", start, end, label, source)
            ]
            replaced = [CheckedEdit(*edit) for edit in edits]
            total = add_faults(total, faults_of(original, published, marked, replaced, *known))
        yield to_batch([total], _FAULTS)
