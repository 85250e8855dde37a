"""Operator: terms of ``allow`` that are words of replaced values in any text of the same person."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.span import Span
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions
from spark_deid.rewriting.spared_terms import SparedTerms, without_terms
from spark_deid.storage.parts import Parts, PartsWriter
from spark_deid.storage.spool import whole_groups

_SPARED = "spared"


@dataclass(frozen=True)
class TermGatherer:
    """Replace the terms that are words of values which are replaced in another text of the same person.

    ``kept`` labels remain by a rule, and ``place`` returns the local folder of a table.
    """

    kept: frozenset[str]
    place: Callable[[str], str]

    def __call__(self, corpus: Corpus, edited: Sequence[str]) -> Corpus:
        """Return the corpus with these spans no longer spared. Runs an action: documents are sorted by person."""
        annotated, spark = corpus.annotated, corpus.annotated.sparkSession
        schema = tables.ANNOTATED
        if tables.MENTIONS in annotated.columns:
            schema = schema.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
        scope = F.coalesce(F.concat(F.lit("subject "), "subject_id"), F.concat(F.lit("document "), "doc_id"))
        rows = annotated.select(scope.alias("scope"), *schema.names)
        ordered = sort_partitions(rows.repartition("scope"), "scope", "doc_id")
        folder = self.place(_SPARED)
        store = partial(_store, folder=folder, schema=schema, detectors=frozenset(edited), kept=self.kept)
        parts = tuple(each for each in run_partitions(ordered, store) if each[_SPARED].rows)
        frame = read_parts(spark, (each[_SPARED] for each in parts), schema)
        return replace(corpus, annotated=frame, stored=StoredFrame(frame, parts))


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    folder: str,
    schema: pa.Schema,
    detectors: frozenset[str],
    kept: frozenset[str],
) -> Parts:
    with PartsWriter({_SPARED: folder}, {_SPARED: schema}) as writer:
        for spool in whole_groups(incoming, "scope", folder):
            terms: dict[str, SparedTerms] = {}
            for batch in spool.batches():
                for scope, text, spans in _documents(batch):
                    terms.setdefault(scope, SparedTerms(detectors, kept)).take(text, spans)
            replaced = {scope: each.replaced() for scope, each in terms.items()}
            for batch in spool.batches():
                settled = [
                    without_terms(text, spans, replaced[scope]) if replaced[scope] else spans
                    for scope, text, spans in _documents(batch)
                ]
                columns = [batch.column(name) for name in schema.names]
                columns[schema.names.index("spans")] = lists_of(settled, tables.SPAN_STRUCT)
                writer.write({_SPARED: pa.RecordBatch.from_arrays(columns, names=schema.names).cast(schema)})
        return writer.close()


def _documents(batch: pa.RecordBatch) -> Iterator[tuple[str, str, Sequence[Span]]]:
    """Yield the scope, the text and the spans of each document."""
    scopes, texts = (batch.column(name).to_pylist() for name in ("scope", "text"))
    return zip(scopes, texts, spans_in(batch.column("spans")), strict=True)
