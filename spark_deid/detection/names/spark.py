"""Operator: words of removed names in all texts of a person."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.kinds import MethodContext
from spark_deid.core.span import Span, detector_of
from spark_deid.detection.names.words import NameWords, merge_names, name_spans, name_words
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions
from spark_deid.storage.parts import Parts, PartsWriter
from spark_deid.storage.spool import whole_groups
from spark_deid.text.terms.sparing import unspared_spans
from spark_deid.text.terms.term_list import PreparedTerms

_ANNOTATED = "annotated"


def propagate(
    corpus: Corpus,
    run: MethodContext,
    *,
    labels: frozenset[str],
    detectors: frozenset[str],
    allowed: tuple[PreparedTerms, ...],
) -> Corpus:
    """Add spans on the words of names that edits of ``detectors`` remove from any text of the same person.

    Runs an action. Documents are sorted by person. A task reads the texts of a person twice: first for names, then for
    places. Documents without a person pass as they are.
    """
    annotated, spark = corpus.annotated, corpus.annotated.sparkSession
    has_mentions = tables.MENTIONS in annotated.columns
    schema = tables.ANNOTATED
    if has_mentions:
        schema = schema.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    scope = F.coalesce(F.concat(F.lit("subject "), "subject_id"), F.concat(F.lit("document "), "doc_id")).alias("scope")
    rows = sort_partitions(annotated.select(scope, *schema.names).repartition("scope"), "scope", "doc_id")
    folder = run.place(_ANNOTATED)
    store = partial(_store, folder=folder, schema=schema, labels=labels, detectors=detectors, allowed=allowed)
    parts = tuple(each for each in run_partitions(rows, store) if each[_ANNOTATED].rows)
    frame = read_parts(spark, (each[_ANNOTATED] for each in parts), schema)
    return replace(corpus, annotated=frame, stored=StoredFrame(frame, parts))


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    folder: str,
    schema: pa.Schema,
    labels: frozenset[str],
    detectors: frozenset[str],
    allowed: tuple[PreparedTerms, ...],
) -> Parts:
    with PartsWriter({_ANNOTATED: folder}, {_ANNOTATED: schema}) as writer:
        for spool in whole_groups(incoming, "scope", folder):
            names: dict[str, NameWords] = {}
            several: set[str] = set()
            for batch in spool.batches():
                for scope, text, spans in _documents(batch):
                    found = name_words(text, _edited(spans, detectors), labels)
                    if scope in names:
                        several.add(scope)
                        found = merge_names((names[scope], found))
                    names[scope] = found
            for batch in spool.batches():
                extended = [
                    _extended(text, spans, names[scope], detectors, allowed) if scope in several else spans
                    for scope, text, spans in _documents(batch)
                ]
                shown = [*(name for name in schema.names)]
                columns = [batch.column(name) for name in shown]
                columns[shown.index("spans")] = lists_of(extended, tables.SPAN_STRUCT)
                writer.write({_ANNOTATED: pa.RecordBatch.from_arrays(columns, names=shown).cast(schema)})
        return writer.close()


def _documents(batch: pa.RecordBatch) -> Iterator[tuple[str, str, Sequence[Span]]]:
    """Yield the scope, the text and the spans of each document."""
    scopes, texts = (batch.column(name).to_pylist() for name in ("scope", "text"))
    return zip(scopes, texts, spans_in(batch.column("spans")), strict=True)


def _edited(spans: Sequence[Span], detectors: frozenset[str]) -> list[Span]:
    return [span for span in spans if detector_of(span.source) in detectors]


def _extended(
    text: str,
    spans: Sequence[Span],
    names: NameWords,
    detectors: frozenset[str],
    allowed: tuple[PreparedTerms, ...],
) -> list[Span]:
    """Return the spans of a document, and those of the person's names that are elsewhere in it."""
    extend = partial(_added, names=names, detectors=detectors)
    return [*spans, *(unspared_spans(text, spans, extend=extend, lists=allowed) if allowed else extend(text, spans))]


def _added(text: str, spans: Sequence[Span], *, names: NameWords, detectors: frozenset[str]) -> list[Span]:
    return name_spans(text, _edited(spans, detectors), names)
