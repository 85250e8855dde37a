"""Operators: dates that fill one slot of a template in many people's texts, found over the whole corpus."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, to_batch, tuples_of
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, detector_of
from spark_deid.engine import functions as F
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions
from spark_deid.storage.parts import Parts, PartsWriter
from spark_deid.surrogates.partial_dates import FOUND, find_all_dates
from spark_deid.surrogates.template_slots import (
    LEAST_PEOPLE,
    LEAST_PERCENTAGE,
    TEMPLATE,
    SlotRequest,
    slot_dates,
    template_dates,
)

_DATED, _SLOTS = "dated", "slots"
_SLOT_ROWS = pa.schema([("slot", pa.string()), ("day", pa.string()), ("person", pa.string())])
_SHOWN = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))


@dataclass(frozen=True)
class SlotGatherer:
    """Find the dates of a corpus, and those of templates among them, and write both among the mentions.

    ``place`` returns the local folder of a table.
    """

    request: SlotRequest
    place: Callable[[str], str]

    def __call__(self, corpus: Corpus, edited: Sequence[str]) -> Corpus:
        """Return the corpus with dates as mentions. Each text is searched once; runs one job or two."""
        annotated, spark, detectors = corpus.annotated, corpus.annotated.sparkSession, frozenset(edited)
        columns = [*tables.ANNOTATED.names, *(n for n in (tables.MENTIONS,) if n in annotated.columns)]
        folders = {_DATED: self.place(_DATED), _SLOTS: self.place(_SLOTS)}
        store = partial(_store, folders=folders, request=self.request, detectors=detectors)
        written = run_partitions(annotated.select(columns), store)
        parts = tuple({_DATED: each[_DATED]} for each in written if each[_DATED].rows)
        dated = read_parts(spark, (each[_DATED] for each in parts), _SHOWN)
        days = _template_days(read_parts(spark, (each[_SLOTS] for each in written if each[_SLOTS].rows), _SLOT_ROWS))
        if not days:
            return replace(corpus, annotated=dated, stored=StoredFrame(dated, parts))
        mark = partial(_mark_batches, request=self.request, detectors=detectors, days=days)
        return replace(corpus, annotated=dated.mapInArrow(mark, tables.ddl(_SHOWN)), stored=None)


def _template_days(rows: DataFrame) -> frozenset[str]:
    """Return the slots with days that enough people have, as keyed hashes; one query if there are no such days."""
    same = (
        rows.groupBy("slot", "day").agg(F.count_distinct("person").alias("same")).where(F.col("same") >= LEAST_PEOPLE)
    )
    often = [tuple(row) for row in same.collect()]
    if not often:
        return frozenset()
    slots = rows.join(same.select("slot").distinct(), on="slot", how="left_semi")
    everyone = {row[0]: row[1] for row in slots.groupBy("slot").agg(F.count_distinct("person")).collect()}
    return frozenset(day for slot, day, number in often if number * 100 >= everyone[slot] * LEAST_PERCENTAGE)


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    folders: Mapping[str, str],
    request: SlotRequest,
    detectors: frozenset[str],
) -> Parts:
    with PartsWriter(folders, {_DATED: _SHOWN, _SLOTS: _SLOT_ROWS}) as writer:
        for batch in incoming:
            mentions, rows = list[list[LinkedMention]](), set[tuple[str, str, str]]()
            for document, pieces in _documents(batch, detectors):
                dates = find_all_dates(document.text, label=request.label)
                rows |= {(each.slot, each.day, each.person) for each in slot_dates(document, pieces, dates, request)}
                found = (LinkedMention(date.start, date.end, date.label, None, FOUND) for date in dates)
                mentions.append([*document.mentions, *found])
            writer.write({_DATED: _with_mentions(batch, mentions), _SLOTS: to_batch(sorted(rows), _SLOT_ROWS)})
        return writer.close()


def _mark_batches(
    incoming: Iterator[pa.RecordBatch], *, request: SlotRequest, detectors: frozenset[str], days: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        mentions = []
        for document, pieces in _documents(batch, detectors):
            dates = [Span(each.start, each.end, each.label) for each in document.mentions if each.reason == FOUND]
            found = template_dates(document, pieces, dates, request, days)
            own = (LinkedMention(each.start, each.end, each.label, None, TEMPLATE) for each in found)
            mentions.append([*document.mentions, *own])
        yield _with_mentions(batch, mentions)


def _with_mentions(batch: pa.RecordBatch, mentions: Sequence[Sequence[LinkedMention]]) -> pa.RecordBatch:
    columns = [*(batch.column(name) for name in tables.ANNOTATED.names), lists_of(mentions, tables.MENTION_STRUCT)]
    return pa.RecordBatch.from_arrays(columns, names=_SHOWN.names).cast(_SHOWN)


def _documents(batch: pa.RecordBatch, detectors: frozenset[str]) -> Iterator[tuple[Document, tuple[Span, ...]]]:
    """Yield documents with the pieces of their edited spans, as rules will get them."""
    has_any = tables.MENTIONS in batch.schema.names
    mentions = tuples_of(batch.column(tables.MENTIONS)) if has_any else ([] for _ in range(batch.num_rows))
    given = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text"))
    for doc_id, subject, text, spans, own in zip(*given, spans_in(batch.column("spans")), mentions, strict=True):
        pieces = resolve_overlaps(text, [span for span in spans if detector_of(span.source) in detectors])
        yield Document(doc_id, text, subject, mentions=tuple(map(LinkedMention._make, own))), pieces
