"""Operators: spans to edits, edits to text."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import EDIT_STRUCT, SPAN_STRUCT, lists_of, spans_in, tuples_of
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.core.words import WORD, count_words
from spark_deid.rewriting.suppress import suppress

Policy = Callable[[str, Iterable[Span]], tuple[Edit, ...]]
Finder = Callable[[str], Iterable[Span]]
"""What finds spans in a text; it travels to workers, so it is a function with plain arguments."""

DECISIONS = pa.schema(
    [
        *tables.DOCUMENTS,
        ("spans", pa.list_(SPAN_STRUCT)),
        ("edits", pa.list_(EDIT_STRUCT)),
        ("published", pa.string()),
        ("words", pa.int64()),
        ("published_words", pa.int64()),
        ("gold_unedited", pa.int64()),
    ]
)


def sanitize(
    annotated: DataFrame, finders: Sequence[Finder], *, sources: Sequence[str], policy: Policy = suppress
) -> DataFrame:
    """Find spans, decide edits and rewrite, in one pass over each partition: a row a document (columns of DECISIONS).

    ``annotated`` has the columns of documents and ``spans``, a list of structs, to which what the finders find is
    added. ``sources`` names the detectors whose spans are edited: a span's source is one of them, or begins with one
    and a colon or hyphen (``model`` stands for every ``round-``). ``published`` is the rewritten text;
    ``gold_unedited`` counts the gold annotations of which some word keeps an unedited character.
    """
    function = partial(_sanitize_batches, finders=tuple(finders), policy=policy, sources=tuple(sources))
    return annotated.select(*tables.DOCUMENTS.names, "spans").mapInArrow(function, tables.ddl(DECISIONS))


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


def names_source(source: str, sources: Sequence[str]) -> bool:
    """Tell whether a span's source belongs to one of the named detectors.

    >>> names_source("round-2", ("model",)), names_source("pattern:email", ("patterns",)), names_source("gold", ())
    (True, True, False)
    """
    group = "model" if source.startswith("round-") else "patterns" if source.startswith("pattern:") else source
    return group in sources or source in sources


def _sanitize_batches(
    incoming: Iterator[pa.RecordBatch], *, finders: tuple[Finder, ...], policy: Policy, sources: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    is_edited = cache(partial(names_source, sources=sources))
    for batch in incoming:
        texts = batch.column("text").to_pylist()
        found = [
            [*given, *chain.from_iterable(find(text) for find in finders)]
            for text, given in zip(texts, spans_in(batch.column("spans")), strict=True)
        ]
        decided = [_decision(text, spans, policy, is_edited) for text, spans in zip(texts, found, strict=True)]
        edits, *others = zip(*decided, strict=True) if decided else [()] * len(Decision._fields)
        arrays = [
            *(batch.column(name) for name in tables.DOCUMENTS.names),
            lists_of(found, SPAN_STRUCT),
            lists_of(edits, EDIT_STRUCT),
            *(pa.array(column, type=DECISIONS.field(name).type) for name, column in zip(_COUNTED, others, strict=True)),
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=DECISIONS.names)


class Decision(NamedTuple):
    """What became of one document; the last columns of DECISIONS."""

    edits: tuple[Edit, ...]
    published: str
    words: int
    published_words: int
    gold_unedited: int


_COUNTED = Decision._fields[1:]


def _decision(text: str, spans: Sequence[Span], policy: Policy, is_edited: Callable[[str], bool]) -> Decision:
    edits = policy(text, [span for span in spans if is_edited(span.source)])
    words, published = count_words(text, [(e.start, e.end) for e in edits])
    ends = [edit.end for edit in edits]
    unedited = sum(_keeps_a_word(text, span, edits, ends) for span in spans if span.source == "gold")
    return Decision(edits, apply_edits(text, edits), words, published, unedited)


def _keeps_a_word(text: str, span: Span, edits: Sequence[Edit], ends: Sequence[int]) -> bool:
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
        cells = [list(map(Edit._make, cell)) for cell in tuples_of(batch.column("edits"))]
        rewritten = [apply_edits(text, edits) for text, edits in zip(texts, cells, strict=True)]
        edited = pa.array(list(map(len, cells)), type=pa.int32())
        batch = batch.set_column(batch.schema.get_field_index("text"), "text", pa.array(rewritten, type=pa.string()))
        yield batch.set_column(batch.schema.get_field_index("edits"), "edits", edited)
