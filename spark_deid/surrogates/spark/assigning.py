"""Operators: what represents the values of a scope over all its documents, and each document with what it shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, to_batch, tuples_of
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.kinds import Gatherer, MethodContext
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, detector_of
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tables import read_files, read_parts
from spark_deid.engine.tasks import run_partitions
from spark_deid.storage.parts import Parts, PartsWriter, remove_others
from spark_deid.storage.spool import whole_groups
from spark_deid.surrogates.scoped import ScopeAssignments, ScopedTechnique

ASSIGNED = pa.schema(
    [
        ("scope", pa.string()),
        ("family", pa.string()),
        ("value", pa.string()),
        ("text", pa.string()),
        ("is_composed", pa.bool_()),
        ("is_older", pa.bool_()),
    ]
)
"""The replacement of a value of a scope; kept in the workspace, it is as secret as the key.

``is_older`` is true if an older version assigned it, whose workspaces lack this column.
"""
_SHOWN = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
_ANNOTATED, _EARLIER = "annotated", "earlier"
ScopedDocument = tuple[str, Document, tuple[Span, ...]]


@dataclass(frozen=True)
class ScopeGatherer:
    """Assign what represents values in all documents of a person, for one technique or for several at once.

    ``earlier`` are workspaces of runs whose assignments remain, by technique.
    """

    works: tuple[ScopedTechnique, ...]
    run: MethodContext
    earlier: Mapping[str, str]

    def __call__(self, corpus: Corpus, edited: Sequence[str]) -> Corpus:
        """Write for each document what its mentions show; runs an action."""
        return assign_corpus(corpus, edited, works=self.works, run=self.run, earlier=self.earlier)

    def joined(self, other: Gatherer) -> Gatherer | None:
        """Return what assigns for both in one pass; None where the other is of another kind."""
        if not isinstance(other, ScopeGatherer):
            return None
        return replace(self, works=self.works + other.works, earlier={**self.earlier, **other.earlier})


def assign_corpus(
    corpus: Corpus,
    edited: Sequence[str],
    *,
    works: Sequence[ScopedTechnique],
    run: MethodContext,
    earlier: Mapping[str, str],
) -> Corpus:
    """Assign what represents values, and write for each document what its mentions show (column MENTIONS).

    ``edited`` are the detectors whose spans are edited; ``earlier`` are workspaces of runs whose assignments remain, by
    technique. People are the scopes of every technique. Runs an action: documents are sorted by scope, each scope is
    gone through twice, and what a task keeps is the values of a few scopes, or of a large one.
    """
    annotated, spark = corpus.annotated, corpus.annotated.sparkSession
    shown = [tables.MENTIONS] if tables.MENTIONS in annotated.columns else []
    scope = scope_column(has_mentions=bool(shown)).alias("scope")
    rows = annotated.select(scope, *tables.ANNOTATED.names, *shown)
    for technique, workspace in earlier.items():  # rows of a scope that are not documents
        rows = rows.unionByName(_known_of(spark, workspace, technique), allowMissingColumns=True)
    sorted_rows = sort_partitions(rows.repartition("scope"), "scope", "doc_id")
    folders = {_ANNOTATED: run.place(_ANNOTATED)} | {w.technique: run.place(f"{w.technique}s") for w in works}
    store = partial(_store, works=tuple(works), detectors=frozenset(edited), folders=folders)
    stored = run_partitions(sorted_rows, store)
    for work in works:
        remove_others(folders[work.technique], (parts[work.technique] for parts in stored))
    shown_parts = tuple({_ANNOTATED: parts[_ANNOTATED]} for parts in stored if parts[_ANNOTATED].rows)
    frame = read_parts(spark, (parts[_ANNOTATED] for parts in shown_parts), _SHOWN)
    return replace(corpus, annotated=frame, stored=StoredFrame(frame, shown_parts))


def scope_column(*, has_mentions: bool) -> Column:
    """Return what ``scope_of`` states about each document, of which people are scopes."""
    person = F.concat(F.lit("subject "), "subject_id")
    if not has_mentions:
        return F.coalesce(person, F.concat(F.lit("document "), "doc_id"))
    linked = F.get(F.filter(tables.MENTIONS, lambda each: each["subject"].isNotNull()), 0)["subject"]
    inferred = F.when(linked.startswith("document "), linked).otherwise(F.concat(F.lit("subject "), linked))
    return F.coalesce(person, inferred, F.concat(F.lit("document "), "doc_id"))


def read_assigned_texts(spark: SparkSession, workspace: str, technique: str) -> DataFrame:
    """Read the replacements that an earlier run assigned."""
    folder = f"{Path(workspace).resolve()}/{technique}s"
    kept = read_files(spark, [folder], tables.ddl(ASSIGNED)).where(F.col("text").isNotNull())
    return kept.withColumn("is_older", F.coalesce("is_older", F.lit(True)))


def _known_of(spark: SparkSession, workspace: str, technique: str) -> DataFrame:
    """Read the replacements that an earlier run assigned, as rows of their scopes."""
    one = F.struct(F.lit(technique).alias("technique"), "family", "value", "text", "is_older")
    kept = read_assigned_texts(spark, workspace, technique)
    return kept.select("scope", F.array(one).alias(_EARLIER))


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    works: tuple[ScopedTechnique, ...],
    detectors: frozenset[str],
    folders: Mapping[str, str],
) -> Parts:
    """Write documents with what their mentions show, and what was assigned in their scopes."""
    schemas = dict.fromkeys(folders, ASSIGNED) | {_ANNOTATED: _SHOWN}
    with PartsWriter(folders, schemas) as writer:
        for spool in whole_groups(incoming, "scope", folders[_ANNOTATED]):
            assignments = ScopeAssignments(works)
            held: list[list[ScopedDocument]] = []
            for batch in spool.batches():
                documents = _scoped_documents(batch, detectors)
                held.append([*documents] if not spool.is_spilled else [])
                for each in held[-1] or documents:
                    assignments.take(*each)
                for scope, rows in _earlier(batch):
                    assignments.take_earlier(scope, rows)
            for batch, known in zip(spool.batches(), held, strict=True):
                documents = iter(known) if known else _scoped_documents(batch, detectors)
                shown = lists_of((assignments.mentions(*each) for each in documents), tables.MENTION_STRUCT)
                writer.write({_ANNOTATED: _with_mentions(batch, shown)})
            writer.write({work.technique: to_batch([*assignments.rows(work.technique)], ASSIGNED) for work in works})
        return writer.close()


def _scoped_documents(batch: pa.RecordBatch, detectors: frozenset[str]) -> Iterator[ScopedDocument]:
    """Yield scopes and documents with the pieces of their edited spans, as rules will get them."""
    batch = _of_documents(batch)
    given = (batch.column(name).to_pylist() for name in ("scope", "doc_id", "subject_id", "text"))
    for scope, doc_id, subject, text, spans, mentions in zip(
        *given, spans_in(batch.column("spans")), _mentions(batch), strict=True
    ):
        pieces = resolve_overlaps(text, [span for span in spans if detector_of(span.source) in detectors])
        yield scope, Document(doc_id, text, subject, mentions=tuple(map(LinkedMention._make, mentions))), pieces


def _mentions(batch: pa.RecordBatch) -> Iterable[Sequence[tuple[Any, ...]]]:
    """Return what was written of each document's mentions before, such as whose they are."""
    has_any = tables.MENTIONS in batch.schema.names
    return tuples_of(batch.column(tables.MENTIONS)) if has_any else ([] for _ in range(batch.num_rows))


def _earlier(batch: pa.RecordBatch) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yield scopes and what was assigned in them earlier."""
    if _EARLIER in batch.schema.names:
        yield from zip(batch.column("scope").to_pylist(), tuples_of(batch.column(_EARLIER)), strict=True)


def _of_documents(batch: pa.RecordBatch) -> pa.RecordBatch:
    ids = batch.column("doc_id")
    return batch.filter(pc.is_valid(ids)) if ids.null_count else batch


def _with_mentions(batch: pa.RecordBatch, mentions: pa.ListArray) -> pa.RecordBatch:
    """Return the documents of a batch with what their mentions show."""
    of_documents = _of_documents(batch)
    columns = [*(of_documents.column(name) for name in tables.ANNOTATED.names), mentions]
    return pa.RecordBatch.from_arrays(columns, names=_SHOWN.names).cast(_SHOWN)
