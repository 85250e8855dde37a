"""Operators: what stands for the values of a scope over all its documents, and each document with what it shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import batches, lists_of, spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.kinds import MethodContext
from spark_deid.core.span import Span, detector_of, resolve_overlaps
from spark_deid.surrogates.scoped import WORD, AssignedText, ScopedTechnique, scope_of
from spark_deid.surrogates.surrogate_work import REMOVED

VALUES = pa.schema([("scope", pa.string()), ("pool", pa.string()), ("value", pa.string())])
ASSIGNED = pa.schema(
    [
        ("scope", pa.string()),
        ("family", pa.string()),
        ("value", pa.string()),
        ("text", pa.string()),
        ("is_composed", pa.bool_()),
    ]
)
"""What stands for a value of a scope; kept in the workspace, it is as secret as the key."""
_OF_DOCUMENTS = pa.schema([("doc_id", pa.string()), *VALUES])
_EARLIER = "earlier"
_ASSIGNED_STRUCT = pa.struct([(name, ASSIGNED.field(name).type) for name in ASSIGNED.names if name != "scope"])


def assign_corpus(
    corpus: Corpus, edited: Sequence[str], *, work: ScopedTechnique, run: MethodContext, earlier: str | None = None
) -> Corpus:
    """Assign what stands for values, and write for each document what its mentions show (column MENTIONS).

    ``edited`` are the detectors whose spans are edited; ``earlier`` is the workspace of a run whose assignments stay.
    Runs an action that writes the assignments.
    """
    annotated, detectors = corpus.annotated, frozenset(edited)
    shown = [tables.MENTIONS] if tables.MENTIONS in annotated.columns else []
    columns = annotated.select(*tables.ANNOTATED.names, *shown)
    find = partial(_value_batches, work=work, detectors=detectors)
    values = columns.mapInArrow(find, tables.ddl(_OF_DOCUMENTS))
    wanted = values.select(*VALUES.names, F.lit(False).alias(_EARLIER), F.lit(None).cast("string").alias("text"))
    known = None if earlier is None else _known_of(annotated, earlier, work.technique)
    rows = (wanted if known is None else wanted.unionByName(known)).distinct()
    grouped = rows.repartition("scope").sortWithinPartitions("scope", "pool", "value")
    assigned = _kept(grouped.mapInArrow(partial(_assign_batches, work=work), tables.ddl(ASSIGNED)), work, run)
    family = F.when(F.col("pool").isin(*work.alike), F.lit(WORD)).otherwise(F.col("pool")).alias("family")
    own = values.where(F.col("pool") != REMOVED).select("doc_id", "scope", family, "value").distinct()
    struct = F.struct(*(name for name in ASSIGNED.names if name != "scope"))
    joined = own.join(assigned, on=["scope", "family", "value"], how="inner")
    given = joined.groupBy("doc_id").agg(F.collect_list(struct).alias("assigned"))
    with_given = annotated.join(given, on="doc_id", how="left")
    schema = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    show = partial(_show_batches, work=work, detectors=detectors)
    replaced = with_given.select(*tables.ANNOTATED.names, *shown, "assigned").mapInArrow(show, tables.ddl(schema))
    return replace(corpus, annotated=replaced)


def _kept(assigned: DataFrame, work: ScopedTechnique, run: MethodContext) -> DataFrame:
    """Write the assignments beside the tables of the workspace, where a later run finds them."""
    place = f"file://{run.place(f'{work.technique}s')}"
    assigned.write.mode("overwrite").parquet(place)
    return assigned.sparkSession.read.schema(tables.ddl(ASSIGNED)).parquet(place)


def _known_of(annotated: DataFrame, workspace: str, technique: str) -> DataFrame:
    """Read the assignments of an earlier run, as rows beside those that are wanted now."""
    kept = annotated.sparkSession.read.parquet(f"file://{Path(workspace).resolve()}/{technique}s")
    return kept.where(F.col("text").isNotNull()).select(
        "scope", F.col("family").alias("pool"), "value", F.lit(True).alias(_EARLIER), "text"
    )


def _documents(batch: pa.RecordBatch, detectors: frozenset[str]) -> Iterator[tuple[Document, tuple[Span, ...]]]:
    """Yield documents with the pieces of their edited spans, as rules will get them."""
    ids, subjects, texts = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text"))
    rows = zip(ids, subjects, texts, spans_in(batch.column("spans")), _mentions(batch), strict=True)
    for doc_id, subject, text, spans, mentions in rows:
        pieces = resolve_overlaps(text, [span for span in spans if detector_of(span.source) in detectors])
        yield Document(doc_id, text, subject, mentions=tuple(map(LinkedMention._make, mentions))), pieces


def _mentions(batch: pa.RecordBatch) -> Iterable[Sequence[tuple[Any, ...]]]:
    """Return what was written of each document's mentions before, such as whose they are."""
    has_any = tables.MENTIONS in batch.schema.names
    return tuples_of(batch.column(tables.MENTIONS)) if has_any else ([] for _ in range(batch.num_rows))


def _value_batches(
    incoming: Iterator[pa.RecordBatch], *, work: ScopedTechnique, detectors: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        yield from batches(
            (
                (document.doc_id, scope_of(document, by_subject=work.by_subject), *one)
                for document, pieces in _documents(batch, detectors)
                for one in dict.fromkeys(work.values(document, pieces))
            ),
            _OF_DOCUMENTS,
        )


def _assign_batches(incoming: Iterator[pa.RecordBatch], *, work: ScopedTechnique) -> Iterator[pa.RecordBatch]:
    rows = (
        row
        for batch in incoming
        for row in zip(*(batch.column(name).to_pylist() for name in (*VALUES.names, _EARLIER, "text")), strict=True)
    )
    assigned = ((scope, *each) for scope, own in groupby(rows, key=_scope) for each in _assigned(scope, own, work))
    yield from batches(assigned, ASSIGNED)


def _scope(row: tuple[str, ...]) -> str:
    return row[0]


def _assigned(scope: str, rows: Iterable[tuple[str, ...]], work: ScopedTechnique) -> Iterable[AssignedText]:
    values, earlier = [], []
    for _, pool, value, is_earlier, text in rows:
        if is_earlier:
            earlier.append(AssignedText(pool, value, text))
        else:
            values.append((pool, value))
    return work.assign(scope, values, earlier)


def _show_batches(
    incoming: Iterator[pa.RecordBatch], *, work: ScopedTechnique, detectors: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        given = tuples_of(batch.column("assigned"))
        shown = [
            [*document.mentions, *work.replacements(document, pieces, _by_value(own))]
            for (document, pieces), own in zip(_documents(batch, detectors), given, strict=True)
        ]
        arrays = [*(batch.column(name) for name in tables.ANNOTATED.names), lists_of(shown, tables.MENTION_STRUCT)]
        yield pa.RecordBatch.from_arrays(arrays, names=[*tables.ANNOTATED.names, tables.MENTIONS])


def _by_value(rows: Iterable[tuple[str, str, str | None, bool]]) -> Mapping[tuple[str, str], AssignedText]:
    return {(family, value): AssignedText(family, value, text, made) for family, value, text, made in rows}
