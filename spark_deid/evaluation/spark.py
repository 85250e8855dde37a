"""Scores over tables: documents remain where they are, only counts come to the driver."""

from collections.abc import Iterable, Iterator
from functools import partial
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import named_of, spans_in, to_batch
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.engine import functions as F
from spark_deid.evaluation.counts import CountCell, MatchCounts, count_documents
from spark_deid.evaluation.residual_text import (
    JudgedDocument,
    JudgedRules,
    JudgedText,
    count_mistakes,
    count_residuals,
    judged_pieces,
)
from spark_deid.evaluation.score import MatchScores

_MISTAKES = pa.schema([("doc_id", pa.string()), ("missed", pa.int64()), ("vain", pa.int64())])
_COUNTS = pa.schema([(name, pa.string()) for name in CountCell._fields] + [("value", pa.int64())])


def evaluate_corpus(documents: DataFrame, gold: DataFrame, predicted: DataFrame) -> MatchScores:
    """Score predicted spans against gold spans, joined with their documents by ``doc_id``.

    Runs one action, which collects one row a measure, label and kind. Every row of ``gold`` and ``predicted`` counts,
    whatever its source: select the layers first. Spans of other documents are in no score; ``MatchScores.strays`` has
    their number.
    """
    return MatchScores(_collected(count_corpus(documents, gold, predicted)))


def judged_decisions(decisions: DataFrame, gold: DataFrame) -> DataFrame:
    """Return decisions with the gold spans of their documents: what ``count_residual_text`` and others take."""
    return decisions.select("doc_id", "text", "spans", "edits").join(_gathered(gold, "gold"), on="doc_id", how="left")


def count_residual_text(judged: DataFrame, rules: JudgedRules) -> MatchCounts:
    """Count what edits leave of gold. Runs one action, which collects one row a measure, label and kind."""
    return _collected(_summed(judged.mapInArrow(partial(_residual_batches, rules=rules), tables.ddl(_COUNTS))))


def worst_documents(judged: DataFrame, rules: JudgedRules, most: int) -> list[JudgedDocument]:
    """Return the first ``most`` documents by their missed words, then by other hidden words.

    Runs one action; texts come to the driver.
    """
    counted = judged.mapInArrow(partial(_mistake_batches, rules=rules), tables.ddl(_MISTAKES))
    order = (F.desc("missed"), F.desc("vain"), "doc_id")
    worst = F.broadcast(counted.orderBy(*order).limit(most))
    batches = judged.join(worst, on="doc_id").orderBy(*order).toArrow().to_batches()
    return [
        JudgedDocument(doc_id, missed, vain, judged_pieces(document, rules))
        for batch in batches
        for document, doc_id, missed, vain in zip(
            _documents_in(batch), *(batch.column(name).to_pylist() for name in _MISTAKES.names), strict=True
        )
    ]


def _documents_in(batch: pa.RecordBatch) -> list[JudgedText]:
    layers = (list(spans_in(batch.column(name))) for name in ("gold", "spans"))
    edits = named_of(batch.column("edits"), LabelledEdit)
    return [JudgedText(*row) for row in zip(batch.column("text").to_pylist(), *layers, edits, strict=True)]


def _residual_batches(batches: Iterable[pa.RecordBatch], *, rules: JudgedRules) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _cells_of(count_residuals(_documents_in(batch), rules))


def _mistake_batches(batches: Iterable[pa.RecordBatch], *, rules: JudgedRules) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        mistakes = (count_mistakes(document, rules) for document in _documents_in(batch))
        rows = [(name, *each) for name, each in zip(batch.column("doc_id").to_pylist(), mistakes, strict=True)]
        yield to_batch(rows, _MISTAKES)


def _collected(counted: DataFrame) -> MatchCounts:
    rows = counted.collect()
    cells = {CountCell(row["measure"], row["label"], row["kind"]): int(row["value"]) for row in rows}
    return MatchCounts(MappingProxyType(cells))


def count_corpus(documents: DataFrame, gold: DataFrame, predicted: DataFrame) -> DataFrame:
    """Count per measure, label and kind; columns ``measure, label, kind, value``."""
    joined = (
        documents.select("doc_id", "text")
        .join(_gathered(gold, "gold"), on="doc_id", how="full_outer")
        .join(_gathered(predicted, "predicted"), on="doc_id", how="full_outer")
        .select("text", "gold", "predicted")
    )
    return _summed(joined.mapInArrow(_count_batches, tables.ddl(_COUNTS)))


def _summed(counted: DataFrame) -> DataFrame:
    summed = counted.groupBy(*CountCell._fields).agg(F.sum("value").alias("value"))
    return summed.select(*CountCell._fields, "value")


def labels_of(spans: DataFrame) -> set[str]:
    """Return the labels that spans have; one job."""
    return {row["label"] for row in spans.select("label").distinct().collect()}


def other_names(gold: DataFrame, predicted: DataFrame, known: set[str], found: set[str]) -> dict[str, str]:
    """Return labels of gold that nothing found has, each with the label that most of its spans were found by.

    ``known`` and ``found`` are all labels of gold and of what was found. Only a label that gold doesn't have represents
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
        yield _cells_of(counts)


def _cells_of(counts: MatchCounts) -> pa.RecordBatch:
    cells = [{**cell._asdict(), "value": value} for cell, value in counts.cells.items()]
    return pa.RecordBatch.from_pylist(cells, schema=_COUNTS)
