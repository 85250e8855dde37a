"""Operators: what stands for the values of a scope over all its documents, and each document with what it shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.kinds import MethodContext
from spark_deid.core.span import Span, detector_of, resolve_overlaps
from spark_deid.storage.parts import Parts, PartsWriter
from spark_deid.storage.spark.tasks import read_parts, run_partitions
from spark_deid.surrogates.scope_assignments import ScopeAssignments
from spark_deid.surrogates.scoped import ScopedTechnique, scope_of

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
_SHOWN = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
_VALUE = pa.struct([("pool", pa.string()), ("value", pa.string()), ("text", pa.string())])
_EARLIER, _VALUES, _DOCUMENT = range(3)
"""The steps in which a scope is gone through: what was assigned earlier, values, and documents, one after the other."""
_SHOWN_TABLE, _ASSIGNED_TABLE = "annotated", "assigned"
_SPREAD = pa.schema([("scope", pa.string()), ("step", pa.int8()), ("values", pa.list_(_VALUE)), *_SHOWN])
"""Rows of a scope: values (with what stands for them, if earlier), or a document."""


def assign_corpus(
    corpus: Corpus, edited: Sequence[str], *, work: ScopedTechnique, run: MethodContext, earlier: str | None = None
) -> Corpus:
    """Assign what stands for values, and write for each document what its mentions show (column MENTIONS).

    ``edited`` are the detectors whose spans are edited; ``earlier`` is the workspace of a run whose assignments stay.
    Runs an action: documents are sorted by scope, the values of each before its documents, and what a task keeps is
    the values of one scope.
    """
    annotated, detectors = corpus.annotated, frozenset(edited)
    spark = annotated.sparkSession
    shown = [tables.MENTIONS] if tables.MENTIONS in annotated.columns else []
    columns = annotated.select(*tables.ANNOTATED.names, *shown)
    spread = columns.mapInArrow(partial(_spread_batches, work=work, detectors=detectors), tables.ddl(_SPREAD))
    if earlier is not None:
        spread = spread.unionByName(_known_of(spark, earlier, work.technique), allowMissingColumns=True)
    sorted_rows = spread.repartition("scope").sortWithinPartitions("scope", "step", "doc_id")
    folders = {_SHOWN_TABLE: run.place("annotated"), _ASSIGNED_TABLE: run.place(f"{work.technique}s")}
    stored = run_partitions(sorted_rows, partial(_store, work=work, detectors=detectors, folders=folders))
    return replace(corpus, annotated=read_parts(spark, (parts[_SHOWN_TABLE] for parts in stored), _SHOWN))


def _known_of(spark: SparkSession, workspace: str, technique: str) -> DataFrame:
    """Read the assignments of an earlier run, as rows of their scopes."""
    folder = f"file://{Path(workspace).resolve()}/{technique}s"
    kept = spark.read.schema(tables.ddl(ASSIGNED)).parquet(folder).where(F.col("text").isNotNull())
    one = F.struct(F.col("family").alias("pool"), "value", "text")
    return kept.select("scope", F.lit(_EARLIER).cast("tinyint").alias("step"), F.array(one).alias("values"))


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


def _spread_batches(
    incoming: Iterator[pa.RecordBatch], *, work: ScopedTechnique, detectors: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the documents of each batch, and the values of each scope in it."""
    for batch in incoming:
        scopes: list[str] = []
        values: dict[str, dict[tuple[str, str], None]] = {}
        for document, pieces in _documents(batch, detectors):
            scopes.append(scope_of(document, by_subject=work.by_subject))
            values.setdefault(scopes[-1], {}).update(dict.fromkeys(work.values(document, pieces)))
        yield _documents_spread(batch, scopes)
        yield _values_spread({scope: [*own] for scope, own in values.items()})


def _documents_spread(batch: pa.RecordBatch, scopes: Sequence[str]) -> pa.RecordBatch:
    number = batch.num_rows
    given = dict(zip(batch.schema.names, batch.columns, strict=True))
    given |= {"scope": pa.array(scopes, pa.string()), "step": pa.array([_DOCUMENT] * number, pa.int8())}
    return _spread_of(given, number)


def _values_spread(values: Mapping[str, Sequence[tuple[str, str]]]) -> pa.RecordBatch:
    number = len(values)
    given = {
        "scope": pa.array(values, pa.string()),
        "step": pa.array([_VALUES] * number, pa.int8()),
        "values": lists_of(([(*one, None) for one in own] for own in values.values()), _VALUE),
    }
    return _spread_of(given, number)


def _spread_of(given: Mapping[str, pa.Array], number: int) -> pa.RecordBatch:
    """Return so many rows of _SPREAD; columns that are not given are null."""
    arrays = [given.get(each.name, pa.nulls(number, each.type)).cast(each.type) for each in _SPREAD]
    return pa.RecordBatch.from_arrays(arrays, schema=_SPREAD)


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    work: ScopedTechnique,
    detectors: frozenset[str],
    folders: Mapping[str, str],
) -> Parts:
    """Write documents with what their mentions show, and what was assigned in their scopes."""
    assigning = ScopeAssignments(work)
    with PartsWriter(folders, {_SHOWN_TABLE: _SHOWN, _ASSIGNED_TABLE: ASSIGNED}) as writer:
        for batch in incoming:
            kept = batch.filter(pc.equal(batch.column("step"), _DOCUMENT)).select(_SHOWN.names)
            shown = [*_linked_mentions(batch, _documents(kept, detectors), assigning)]
            mentions = lists_of(shown, tables.MENTION_STRUCT)
            group = kept.set_column(kept.schema.get_field_index(tables.MENTIONS), tables.MENTIONS, mentions).cast(
                _SHOWN
            )
            writer.write({_SHOWN_TABLE: group, _ASSIGNED_TABLE: to_batch(assigning.rows(), ASSIGNED)})
        writer.write({_ASSIGNED_TABLE: to_batch(assigning.rows(is_end=True), ASSIGNED)})
        return writer.close()


def _linked_mentions(
    batch: pa.RecordBatch, documents: Iterator[tuple[Document, tuple[Span, ...]]], assigning: ScopeAssignments
) -> Iterator[Sequence[LinkedMention]]:
    """Yield what the mentions of each document show; rows of values are taken before those of their documents."""
    told = (batch.column(name).to_pylist() for name in ("scope", "step"))
    for scope, step, values in zip(*told, tuples_of(batch.column("values")), strict=True):
        if step == _DOCUMENT:
            document, pieces = next(documents)
            replacements = assigning.work.replacements(document, pieces, assigning.of_scope(scope))
            yield [*document.mentions, *replacements]
        else:
            assigning.take(scope, values, is_earlier=step == _EARLIER)
