"""Operators: spans to edits, edits to text."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import EDIT_STRUCT, spans_in, to_batch, tuples_of
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.core.words import WORD, count_words
from spark_deid.rewriting.suppress import suppress

Policy = Callable[[str, Iterable[Span]], tuple[Edit, ...]]

DECISIONS = pa.schema(
    [
        ("doc_id", pa.string()),
        ("edits", pa.list_(EDIT_STRUCT)),
        ("words", pa.int64()),
        ("published_words", pa.int64()),
        ("gold_unedited", pa.int64()),
    ]
)


def decide(documents: DataFrame, spans: DataFrame, *, sources: Sequence[str], policy: Policy = suppress) -> DataFrame:
    """Turn spans into edits, a row a document (columns of DECISIONS).

    ``sources`` names the detectors whose spans are edited: a span's source is one of them, or begins with one and a
    colon or hyphen (``model`` stands for every ``round-``). ``gold_unedited`` counts the gold annotations of which
    some word keeps an unedited character.
    """
    nested = _nest(spans, "spans", tables.SPANS)
    joined = documents.select("doc_id", "text").join(nested, on="doc_id", how="left")
    function = partial(_decide_batches, policy=policy, sources=tuple(sources))
    return joined.mapInArrow(function, tables.ddl(DECISIONS))


def edits_of_decisions(decisions: DataFrame) -> DataFrame:
    """Write the decisions of ``decide`` as the edits table."""
    rows = decisions.select("doc_id", F.explode("edits").alias("edit"))
    return rows.select(*(_edit_column(name) for name in tables.EDITS.names))


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


def _edit_column(name: str) -> Column:
    return F.col("doc_id") if name == "doc_id" else F.col(f"edit.{name}").alias(name)


def _ddl_of(frame: DataFrame) -> str:
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)


def names_source(source: str, sources: Sequence[str]) -> bool:
    """Tell whether a span's source belongs to one of the named detectors.

    >>> names_source("round-2", ("model",)), names_source("pattern:email", ("patterns",)), names_source("gold", ())
    (True, True, False)
    """
    group = "model" if source.startswith("round-") else "patterns" if source.startswith("pattern:") else source
    return group in sources or source in sources


def _decide_batches(
    incoming: Iterator[pa.RecordBatch], *, policy: Policy, sources: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        is_edited = cache(partial(names_source, sources=sources))
        ids, texts = (batch.column(name).to_pylist() for name in ("doc_id", "text"))
        rows = zip(ids, texts, spans_in(batch.column("spans")), strict=True)
        yield to_batch([_decision(*row, policy, is_edited) for row in rows], DECISIONS)


def _decision(
    doc_id: str, text: str, spans: Sequence[Span], policy: Policy, is_edited: Callable[[str], bool]
) -> tuple[object, ...]:
    edits = policy(text, [span for span in spans if is_edited(span.source)])
    words, published = count_words(text, [(e.start, e.end) for e in edits])
    ends = [edit.end for edit in edits]
    unedited = sum(_keeps_a_word(text, span, edits, ends) for span in spans if span.source == "gold")
    return doc_id, edits, words, published, unedited


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
