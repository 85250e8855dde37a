"""Operators: find spans, decide what becomes of them, and rewrite; three steps, in one pass or by themselves."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, tuples_of
from spark_deid.core.document import NO_META, Document
from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.span import GOLD, Finder, Span, detector_of
from spark_deid.core.words import WORD, count_words
from spark_deid.rewriting.decide import Decided, decide
from spark_deid.rewriting.rules import PreparedRules


class Editing(NamedTuple):
    """What edits are decided by: rules, and the detectors whose spans they go for."""

    rules: PreparedRules
    detectors: frozenset[str]


def annotate(annotated: DataFrame, finders: Sequence[Finder]) -> DataFrame:
    """Add what finders find to the spans of documents (columns of ANNOTATED), in one pass over each partition."""
    function = partial(_annotate_batches, finders=tuple(finders))
    return annotated.select(*tables.ANNOTATED.names).mapInArrow(function, tables.ddl(tables.ANNOTATED))


def decide_edits(
    annotated: DataFrame, rules: PreparedRules, detectors: Iterable[str], *, finders: Sequence[Finder] = ()
) -> DataFrame:
    """Decide the edits of the spans of the named detectors, without rewriting (columns of DECIDED)."""
    return _in_one_pass(annotated, finders, rules, detectors, tables.DECIDED)


def rewrite_decided(
    annotated: DataFrame, rules: PreparedRules, detectors: Iterable[str], *, finders: Sequence[Finder] = ()
) -> DataFrame:
    """Find spans, decide edits and rewrite, in one pass over each partition (columns of DECISIONS)."""
    return _in_one_pass(annotated, finders, rules, detectors, tables.DECISIONS)


def _in_one_pass(
    annotated: DataFrame,
    finders: Sequence[Finder],
    rules: PreparedRules,
    detectors: Iterable[str],
    schema: pa.Schema,
) -> DataFrame:
    editing = Editing(rules, frozenset(detectors))
    rewrites = schema is tables.DECISIONS
    function = partial(_decide_batches, finders=tuple(finders), editing=editing, rewrites=rewrites)
    return annotated.select(*tables.ANNOTATED.names).mapInArrow(function, tables.ddl(schema))


def spans_of_decisions(decisions: DataFrame) -> DataFrame:
    """Write the spans of decisions as the spans table."""
    return _explode(decisions, "spans", tables.SPANS)


def edits_of_decisions(decisions: DataFrame) -> DataFrame:
    """Write the edits of decisions as the edits table."""
    return _explode(decisions, "edits", tables.EDITS)


def published_of_decisions(decisions: DataFrame) -> DataFrame:
    """Write the rewritten texts of decisions as documents."""
    columns = {name: F.col("published" if name == "text" else name) for name in tables.DOCUMENTS.names}
    return decisions.select(*(column.alias(name) for name, column in columns.items()))


def rewrite(documents: DataFrame, edits: DataFrame) -> DataFrame:
    """Apply the edits table to the texts; every other column of the documents passes."""
    joined = documents.join(_nest(edits, "edits", tables.EDITS), on="doc_id", how="left")
    schema = documents.schema
    rewritten = joined.select(*documents.columns, "edits").mapInArrow(
        _rewrite_batches, f"{_ddl_of(documents)}, `edits` int"
    )
    return rewritten.select(*schema.names)


def _nest(rows: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    struct = F.struct(*(F.col(column) for column in schema.names if column != "doc_id"))
    return rows.groupBy("doc_id").agg(F.sort_array(F.collect_list(struct)).alias(name))


def _explode(decisions: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    rows = decisions.select("doc_id", F.explode(name).alias("row"))
    return rows.select(*(F.col(n if n == "doc_id" else f"row.{n}").alias(n) for n in schema.names))


def _ddl_of(frame: DataFrame) -> str:
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)


def _annotate_batches(incoming: Iterator[pa.RecordBatch], *, finders: tuple[Finder, ...]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        spans = lists_of(_found(batch, finders), tables.SPAN_STRUCT)
        yield batch.set_column(batch.schema.get_field_index("spans"), "spans", spans)


def _found(batch: pa.RecordBatch, finders: tuple[Finder, ...]) -> list[Sequence[Span]]:
    """Return the spans of each document: those it came with, and what the finders find."""
    given = spans_in(batch.column("spans"))
    if not finders:
        return list(given)
    texts = batch.column("text").to_pylist()
    return [
        [*spans, *chain.from_iterable(find(text) for find in finders)] for text, spans in zip(texts, given, strict=True)
    ]


def _decide_batches(
    incoming: Iterator[pa.RecordBatch], *, finders: tuple[Finder, ...], editing: Editing, rewrites: bool
) -> Iterator[pa.RecordBatch]:
    is_edited = _memo(editing.detectors)
    for batch in incoming:
        found = _found(batch, finders)
        documents = _documents(batch)
        decided = [
            decide(document, [span for span in spans if is_edited[span.source]], editing.rules)
            for document, spans in zip(documents, found, strict=True)
        ]
        arrays = [
            *(batch.column(name) for name in tables.DOCUMENTS.names),
            lists_of(found, tables.SPAN_STRUCT),
            lists_of((each.edits for each in decided), tables.EDIT_STRUCT),
            lists_of((each.handed_back for each in decided), tables.HANDED_BACK_STRUCT),
        ]
        if not rewrites:
            yield pa.RecordBatch.from_arrays(arrays, names=tables.DECIDED.names)
            continue
        rows = [_rewritten(*each) for each in zip(documents, found, decided, strict=True)]
        columns = zip(*rows, strict=True) if rows else [()] * len(_COUNTED)
        arrays += [
            pa.array(column, type=tables.DECISIONS.field(name).type)
            for name, column in zip(_COUNTED, columns, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=tables.DECISIONS.names)


class _memo(dict[str, bool]):
    """Tell of sources whether their detector's spans are edited; there are few sources and many spans."""

    def __init__(self, detectors: frozenset[str]) -> None:
        super().__init__()
        self._detectors = detectors

    def __missing__(self, source: str) -> bool:
        self[source] = known = detector_of(source) in self._detectors
        return known


def _documents(batch: pa.RecordBatch) -> list[Document]:
    ids, subjects, texts, metas = (batch.column(name).to_pylist() for name in tables.DOCUMENTS.names)
    return [
        Document(doc_id, text, subject_id, meta=dict(meta) if meta else NO_META)
        for doc_id, subject_id, text, meta in zip(ids, subjects, texts, metas, strict=True)
    ]


class Rewritten(NamedTuple):
    """A rewritten text and what is counted of it; the last columns of DECISIONS."""

    published: str
    words: int
    published_words: int
    gold_unedited: int


_COUNTED = Rewritten._fields


def _rewritten(document: Document, spans: Sequence[Span], decided: Decided) -> Rewritten:
    edits = decided.edits
    words, published = count_words(document.text, [(edit.start, edit.end) for edit in edits])
    ends = [edit.end for edit in edits]
    gold = [span for span in spans if span.source == GOLD]
    unedited = sum(_keeps_a_word(document.text, span, edits, ends) for span in gold)
    return Rewritten(apply_edits(document.text, edits), words, published, unedited)


def _keeps_a_word(text: str, span: Span, edits: Sequence[LabelledEdit], ends: Sequence[int]) -> bool:
    """Tell whether some word character of a span stands outside all edits; ``ends`` are the edits' ends, in order."""
    position = span.start
    for edit in islice(edits, bisect_right(ends, position), None):
        if edit.start >= span.end:
            break
        if WORD.search(text, position, max(position, edit.start)):
            return True
        position = edit.end
    return position < span.end and WORD.search(text, position, span.end) is not None


def _rewrite_batches(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts = batch.column("text").to_pylist()
        cells: list[list[Any]] = [list(map(Edit._make, cell)) for cell in tuples_of(batch.column("edits"))]
        rewritten = [apply_edits(text, edits) for text, edits in zip(texts, cells, strict=True)]
        edited = pa.array(list(map(len, cells)), type=pa.int32())
        batch = batch.set_column(batch.schema.get_field_index("text"), "text", pa.array(rewritten, type=pa.string()))
        yield batch.set_column(batch.schema.get_field_index("edits"), "edits", edited)
