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


def labels_of(spans: DataFrame) -> set[str]:
    """Return the labels that spans have; one job."""
    return {row["label"] for row in spans.select("label").distinct().collect()}


def other_names(gold: DataFrame, predicted: DataFrame, known: set[str], found: set[str]) -> dict[str, str]:
    """Return labels of gold that nothing found has, each with the label that most of its spans were found by.

    ``known`` and ``found`` are all labels of gold and of what was found. Only a label that gold doesn't have stands for
    another, and only where it touches half of the spans at least.
    """
    if known <= found or found <= known:
        return {}
    place = ("doc_id", "start", "end", "label")
    missed = gold.where(F.col("label").isin(*sorted(known - found))).select(*place).distinct()
    others = predicted.where(F.col("label").isin(*sorted(found - known))).select(
        "doc_id", F.col("start").alias("begin"), F.col("end").alias("stop"), F.col("label").alias("other")
    )
    touches = (F.col("start") < F.col("stop")) & (F.col("begin") < F.col("end"))
    pairs = missed.join(others, on="doc_id").where(touches).select(*place, "other").distinct()
    wholes = {row["label"]: int(row["count"]) for row in missed.groupBy("label").count().collect()}
    counts = sorted(
        (-int(row["count"]), row["label"], row["other"]) for row in pairs.groupBy("label", "other").count().collect()
    )
    names: dict[str, str] = {}
    for count, label, other in counts:
        if -2 * count >= wholes[label]:
            names.setdefault(label, other)
    return dict(sorted(names.items()))


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
