"""Scores over tables: documents stay where they are, only counts come to the driver."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import spans_in
from spark_deid.core.span import Span
from spark_deid.evaluation.counts import CountCell, MatchCounts, count_documents
from spark_deid.evaluation.score import MatchScores

_COUNTS = pa.schema([(name, pa.string()) for name in CountCell._fields] + [("value", pa.int64())])


def evaluate_corpus(documents: DataFrame, gold: DataFrame, predicted: DataFrame) -> MatchScores:
    """Score predicted spans against gold spans, joined with their documents by ``doc_id``.

    Runs one action, which collects one row a measure, label and kind. Every row of ``gold`` and ``predicted`` counts,
    whatever its source: select the layers first. Spans of other documents are in no score; ``MatchScores.strays`` has
    their number.
    """
    rows = count_corpus(documents, gold, predicted).collect()
    cells = {CountCell(row["measure"], row["label"], row["kind"]): int(row["value"]) for row in rows}
    return MatchScores(MatchCounts(MappingProxyType(cells)))


def count_corpus(documents: DataFrame, gold: DataFrame, predicted: DataFrame) -> DataFrame:
    """Count per measure, label and kind; columns ``measure, label, kind, value``."""
    joined = (
        documents.select("doc_id", "text")
        .join(_gathered(gold, "gold"), on="doc_id", how="full_outer")
        .join(_gathered(predicted, "predicted"), on="doc_id", how="full_outer")
        .select("text", "gold", "predicted")
    )
    return (
        joined.mapInArrow(_count_batches, tables.ddl(_COUNTS))
        .groupBy(*CountCell._fields)
        .agg(F.sum("value").alias("value"))
        .select(*CountCell._fields, "value")
    )


def _gathered(spans: DataFrame, name: str) -> DataFrame:
    """Gather the spans of a document into an array, in any order: scores are over sets."""
    return spans.groupBy("doc_id").agg(F.collect_list(F.struct(*Span._fields)).alias(name)).select("doc_id", name)


def _count_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        layers = (list(spans_in(batch.column(name))) for name in ("gold", "predicted"))
        rows = list(zip(batch.column("text").to_pylist(), *layers, strict=True))
        counts = count_documents(row for row in rows if row[0] is not None)
        strays = sum(len(gold) + len(predicted) for text, gold, predicted in rows if text is None)
        counts += MatchCounts({CountCell("strays", "", "all"): strays})
        cells = [{**cell._asdict(), "value": value} for cell, value in counts.cells.items()]
        yield pa.RecordBatch.from_pylist(cells, schema=_COUNTS)
