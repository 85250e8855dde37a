"""Operators: dates that fill one slot of a template in many people's texts, found over the whole corpus."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, tuples_of
from spark_deid.core.corpus import Corpus, StoredFrame
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, detector_of
from spark_deid.engine import functions as F
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions, run_tasks
from spark_deid.rewriting.spark.operators import read_annotated
from spark_deid.storage.parts import PartFile, Parts, PartsWriter, in_pieces, read_aligned, read_groups
from spark_deid.surrogates.partial_dates import FOUND, find_all_dates
from spark_deid.surrogates.template_slots import (
    LEAST_PEOPLE,
    LEAST_PERCENTAGE,
    TEMPLATE,
    SlotDate,
    SlotRequest,
    person_hash,
    slot_dates,
)

_DATED, _SLOTS = "dated", "slots"
_SLOT = pa.struct(
    [("start", pa.int32()), ("end", pa.int32()), *((name, pa.string()) for name in ("label", "slot", "day"))]
)
_SLOT_ROWS = pa.schema([(_SLOTS, pa.list_(_SLOT)), ("person", pa.string())])
_MENTION_ROWS = pa.schema([(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT))])
_HASHES = ("slot", "day", "person")
_TOGETHER = 250
"""Documents that are tuples of Python at once."""
_FEW_DOCUMENTS = 50_000
"""Documents whose slots the driver counts."""


@dataclass(frozen=True)
class SlotGatherer:
    """Find the dates of a corpus, and those of templates among them, and write both among the mentions.

    ``place`` returns the local folder of a table.
    """

    request: SlotRequest
    place: Callable[[str], str]

    def __call__(self, corpus: Corpus, edited: Sequence[str]) -> Corpus:
        """Return the corpus with dates as mentions, which are parts next to those of the texts.

        Each text is searched once. Runs a job, a query, and if templates are found, one more job of each. A corpus
        that is in no parts is written first.
        """
        spark = corpus.annotated.sparkSession
        given = corpus.annotated_parts or self._written(corpus.annotated)
        folders = {name: self.place(name) for name in (tables.MENTIONS, _SLOTS)}
        search = partial(_search, folders=folders, request=self.request, detectors=frozenset(edited))
        found = run_tasks(spark, search, given)
        slots = [each[_SLOTS] for each in found]
        if sum(part.rows for part in slots) <= _FEW_DOCUMENTS:
            days = _days_of_few(slots)
        else:
            days = _template_days(read_parts(spark, slots, _SLOT_ROWS))
        if days:
            found = run_tasks(spark, partial(_mark, folder=folders[tables.MENTIONS], days=days), found)
        parts = tuple({**one, tables.MENTIONS: own[tables.MENTIONS]} for one, own in zip(given, found, strict=True))
        frame = read_annotated(spark, parts, has_mentions=True)
        return replace(corpus, annotated=frame, stored=StoredFrame(frame, parts))

    def _written(self, annotated: DataFrame) -> tuple[Parts, ...]:
        """Write documents that Spark has as parts."""
        names = [*tables.ANNOTATED.names, *(name for name in (tables.MENTIONS,) if name in annotated.columns)]
        schema = pa.schema([*tables.ANNOTATED, *(_MENTION_ROWS if len(names) > len(tables.ANNOTATED) else ())])
        write = partial(_write, folder=self.place(_DATED), schema=schema)
        return tuple(each for each in run_partitions(annotated.select(names), write) if each[_DATED].rows)


def _days_of_few(parts: Iterable[PartFile]) -> frozenset[str]:
    """Return what ``_template_days`` does, without a query: planning one costs more than reading few documents."""
    groups = [group for part in parts for group in read_groups(part.path)]
    rows = [
        pa.table([*pc.list_flatten(cells).flatten()[3:], people.take(pc.list_parent_indices(cells))], [*_HASHES])
        for cells, people in (group.columns for group in groups)
    ]
    distinct = pa.concat_tables(rows).group_by([*_HASHES]).aggregate([]) if rows else pa.table({})
    if not distinct.num_rows:
        return frozenset()
    people = distinct.group_by(["slot", "person"]).aggregate([]).group_by("slot").aggregate([([], "count_all")])
    everyone = dict(zip(*(people[name].to_pylist() for name in ("slot", "count_all")), strict=True))
    same = distinct.group_by(["slot", "day"]).aggregate([([], "count_all")])
    often = same.filter(pc.field("count_all") >= LEAST_PEOPLE).to_pylist()
    return frozenset(
        each["day"] for each in often if each["count_all"] * 100 >= everyone[each["slot"]] * LEAST_PERCENTAGE
    )


def _template_days(stored: DataFrame) -> frozenset[str]:
    """Return the slots with days that enough people have, as keyed hashes; one query if there are no such days."""
    rows = stored.select("person", F.explode(_SLOTS).alias("one")).select("person", "one.slot", "one.day")
    same = (
        rows.groupBy("slot", "day").agg(F.count_distinct("person").alias("same")).where(F.col("same") >= LEAST_PEOPLE)
    )
    often = [tuple(row) for row in same.collect()]
    if not often:
        return frozenset()
    slots = rows.join(same.select("slot").distinct(), on="slot", how="left_semi")
    everyone = {row[0]: row[1] for row in slots.groupBy("slot").agg(F.count_distinct("person")).collect()}
    return frozenset(day for slot, day, number in often if number * 100 >= everyone[slot] * LEAST_PERCENTAGE)


def _write(incoming: Iterator[pa.RecordBatch], *, folder: str, schema: pa.Schema) -> Parts:
    with PartsWriter({_DATED: folder}, {_DATED: schema}) as writer:
        for batch in incoming:
            writer.write({_DATED: batch.cast(schema)})
        return writer.close()


def _search(given: Parts, *, folders: Mapping[str, str], request: SlotRequest, detectors: frozenset[str]) -> Parts:
    """Write the mentions of documents with their dates, and the slots of these dates."""
    with PartsWriter(folders, {tables.MENTIONS: _MENTION_ROWS, _SLOTS: _SLOT_ROWS}) as writer:
        for group in read_aligned(given):
            mentions, slots, people = list[list[LinkedMention]](), list[list[SlotDate]](), list[str]()
            for batch in in_pieces([group], _TOGETHER):
                for document, pieces in _documents(batch, detectors):
                    dates = find_all_dates(document.text, label=request.label)
                    found = (LinkedMention(date.start, date.end, date.label, None, FOUND) for date in dates)
                    mentions.append([*document.mentions, *found])
                    slots.append([*slot_dates(document, pieces, dates, request)])
                    people.append(person_hash(document, request.key))
            of_slots = [lists_of(slots, _SLOT), pa.array(people, pa.string())]
            writer.write(
                {
                    tables.MENTIONS: _of_mentions(mentions),
                    _SLOTS: pa.RecordBatch.from_arrays(of_slots, schema=_SLOT_ROWS),
                }
            )
        return writer.close()


def _mark(found: Parts, *, folder: str, days: frozenset[str]) -> Parts:
    """Write the mentions again, with the dates whose slot and day are those of many people."""
    with PartsWriter({tables.MENTIONS: folder}, {tables.MENTIONS: _MENTION_ROWS}) as writer:
        for mentions, slots in zip(*(read_groups(found[name].path) for name in (tables.MENTIONS, _SLOTS)), strict=True):
            cells = zip(tuples_of(mentions.column(tables.MENTIONS)), tuples_of(slots.column(_SLOTS)), strict=True)
            marked = [[*own, *_of_templates(dates, days)] for own, dates in cells]
            writer.write({tables.MENTIONS: _of_mentions(marked)})
        return writer.close()


def _of_templates(dates: Sequence[tuple[Any, ...]], days: frozenset[str]) -> Iterator[LinkedMention]:
    for start, end, label, _, day in dates:
        if day in days:
            yield LinkedMention(start, end, label, None, TEMPLATE)


def _of_mentions(mentions: Sequence[Sequence[tuple[object, ...]]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([lists_of(mentions, tables.MENTION_STRUCT)], schema=_MENTION_ROWS)


def _documents(batch: pa.RecordBatch, detectors: frozenset[str]) -> Iterator[tuple[Document, tuple[Span, ...]]]:
    """Yield documents with the pieces of their edited spans, as rules will get them."""
    has_any = tables.MENTIONS in batch.schema.names
    mentions = tuples_of(batch.column(tables.MENTIONS)) if has_any else ([] for _ in range(batch.num_rows))
    given = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text"))
    for doc_id, subject, text, spans, own in zip(*given, spans_in(batch.column("spans")), mentions, strict=True):
        pieces = resolve_overlaps(text, [span for span in spans if detector_of(span.source) in detectors])
        yield Document(doc_id, text, subject, mentions=tuple(map(LinkedMention._make, own))), pieces
