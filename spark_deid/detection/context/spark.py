"""Operators: association rules over a corpus, and the places of their terms."""

from collections.abc import Iterator, Sequence
from functools import partial, reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, lists_of, spans_in
from spark_deid.core.span import Span, detector_of
from spark_deid.detection.context.rules import CorrelationSettings, context_spans, identifier_words, terms_of
from spark_deid.engine import functions as F
from spark_deid.engine.tables import union_all

WORDS = pa.schema([("doc_id", pa.string()), ("label", pa.string()), ("word", pa.string())])
"""A word of a document, once: an identifier word of a category, or, where the label is null, a term."""
_SPANS = tables.ddl(pa.schema([("doc_id", pa.string()), ("added", pa.list_(tables.SPAN_STRUCT))]))


def words_by_document(
    annotated: DataFrame, correlations: Sequence[CorrelationSettings], *, detectors: Sequence[str]
) -> DataFrame:
    """Return terms and identifier words, each once a document (columns of WORDS), in one scan of each partition.

    ``annotated`` has ``doc_id``, ``text`` and ``spans``, a list of structs; those of ``detectors`` are the identifiers.
    """
    function = partial(_word_batches, correlations=tuple(correlations), detectors=tuple(detectors))
    return annotated.select("doc_id", "text", "spans").mapInArrow(function, tables.ddl(WORDS))


def find_rules(words: DataFrame, documents: DataFrame, correlations: Sequence[CorrelationSettings]) -> DataFrame:
    """Return the rules that hold (columns of ASSOCIATIONS); counts are by document. Runs no action.

    Lift bounds how common either side of a rule can be, so frequent words are omitted before words are paired, and
    pairs grow with rare words only.
    """
    counted = documents.agg(F.count(F.lit(1)).alias("documents"))
    return reduce(union_all, [_rules_of(words, counted, wanted) for wanted in correlations])


def term_spans(annotated: DataFrame, words: DataFrame, rules: DataFrame, *, detectors: Sequence[str]) -> DataFrame:
    """Return the places of the rules' terms: ``doc_id`` and ``added``, a list of spans."""
    chosen = rules.groupBy("term").agg(F.min("label").alias("label"))
    terms = words.where(F.col("label").isNull()).select("doc_id", F.col("word").alias("term"))
    found = terms.join(F.broadcast(chosen), on="term", how="inner").groupBy("doc_id")
    by_document = found.agg(F.sort_array(F.collect_list(F.struct("term", "label"))).alias("terms"))
    rows = annotated.select("doc_id", "text", "spans").join(by_document, on="doc_id", how="inner")
    return rows.mapInArrow(partial(_span_batches, detectors=tuple(detectors)), _SPANS)


def with_context(annotated: DataFrame, terms: DataFrame) -> DataFrame:
    """Return the documents with the places of terms (``term_spans``) among their spans; every other column passes."""
    joined = annotated.join(terms, on="doc_id", how="left")
    spans = F.concat("spans", F.coalesce("added", F.array())).alias("spans")
    return joined.select(*(spans if name == "spans" else F.col(name) for name in annotated.columns))


def _rules_of(words: DataFrame, counted: DataFrame, wanted: CorrelationSettings) -> DataFrame:
    short = F.size(F.split("word", " ")) <= wanted.max_words
    terms = _of_middling_frequency(words.where(F.col("label").isNull() & short), counted, wanted, "term")
    values = _of_middling_frequency(words.where(F.col("label") == wanted.label), counted, wanted, "value")
    pairs = terms.join(values, on="doc_id", how="inner")
    constant = ("term", "value", "term_documents", "value_documents")
    support = pairs.groupBy(*constant).agg(F.count(F.lit(1)).alias("support"))
    rules = support.crossJoin(F.broadcast(counted)).where(_holds(wanted))
    confidence = F.col("support") / F.col("term_documents")
    lift = F.col("support") * F.col("documents") / (F.col("term_documents") * F.col("value_documents"))
    rows = rules.select(
        F.lit(wanted.label).alias("label"), *rules.columns, confidence.alias("confidence"), lift.alias("lift")
    )
    return rows.select(*tables.ASSOCIATIONS.names)


def _of_middling_frequency(words: DataFrame, counted: DataFrame, wanted: CorrelationSettings, name: str) -> DataFrame:
    number = f"{name}_documents"
    frequent = words.groupBy("word").agg(F.count(F.lit(1)).alias(number)).where(F.col(number) >= wanted.min_support)
    bounded = frequent.crossJoin(F.broadcast(counted)).where(F.col(number) <= F.col("documents") / wanted.min_lift)
    chosen = words.select("doc_id", "word").join(bounded.drop("documents"), on="word", how="inner")
    return chosen.withColumnRenamed("word", name)


def _holds(wanted: CorrelationSettings) -> Column:
    support, term_documents = F.col("support"), F.col("term_documents")
    return (
        (support >= wanted.min_support)
        & (support >= wanted.min_confidence * term_documents)
        & (support * F.col("documents") >= wanted.min_lift * term_documents * F.col("value_documents"))
    )


def _word_batches(
    incoming: Iterator[pa.RecordBatch], *, correlations: tuple[CorrelationSettings, ...], detectors: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    max_words = max(wanted.max_words for wanted in correlations)
    labels = sorted({wanted.label for wanted in correlations})
    for batch in incoming:
        ids, texts = (batch.column(name).to_pylist() for name in ("doc_id", "text"))
        documents = zip(ids, texts, _identifiers(batch, detectors), strict=True)
        yield from gather_batches((row for each in documents for row in _words(*each, labels, max_words)), WORDS)


def _words(
    doc_id: str, text: str, spans: Sequence[Span], labels: Sequence[str], max_words: int
) -> Iterator[tuple[str, str | None, str]]:
    for label in labels:
        yield from ((doc_id, label, word) for word in sorted(identifier_words(text, spans, label)))
    yield from ((doc_id, None, term) for term in sorted({term for term, _ in terms_of(text, spans, max_words)}))


def _span_batches(incoming: Iterator[pa.RecordBatch], *, detectors: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts, terms = (batch.column(name).to_pylist() for name in ("text", "terms"))
        found = [
            context_spans(text, spans, {each["term"]: each["label"] for each in chosen})
            for text, spans, chosen in zip(texts, _identifiers(batch, detectors), terms, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(
            [batch.column("doc_id"), lists_of(found, tables.SPAN_STRUCT)], names=["doc_id", "added"]
        )


def _identifiers(batch: pa.RecordBatch, detectors: tuple[str, ...]) -> Iterator[list[Span]]:
    for spans in spans_in(batch.column("spans")):
        yield [span for span in spans if detector_of(span.source) in detectors]
