"""Operators: dates that fill one slot of a template in many people's texts, found over the whole corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, detector_of
from spark_deid.surrogates.template_slots import (
    LEAST_PEOPLE,
    LEAST_PERCENTAGE,
    TEMPLATE,
    SlotRequest,
    slot_dates,
    template_dates,
)

_SLOTS = pa.schema([("slot", pa.string()), ("day", pa.string()), ("person", pa.string())])
_SHOWN = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))


@dataclass(frozen=True)
class SlotGatherer:
    """Find dates of templates, and write them among the mentions of their documents."""

    request: SlotRequest

    def __call__(self, corpus: Corpus, edited: Sequence[str]) -> Corpus:
        """Return the corpus with the dates of templates as mentions; runs one job."""
        annotated = corpus.annotated
        columns = [*tables.ANNOTATED.names, *(n for n in (tables.MENTIONS,) if n in annotated.columns)]
        chosen = annotated.select(*columns)
        detectors = frozenset(edited)
        days = _template_days(chosen, self.request, detectors)
        if not days:
            return corpus
        mark = partial(_mark_batches, request=self.request, detectors=detectors, days=days)
        return replace(corpus, annotated=chosen.mapInArrow(mark, tables.ddl(_SHOWN)), stored=None)


def _template_days(annotated: DataFrame, request: SlotRequest, detectors: frozenset[str]) -> frozenset[str]:
    """Return the slots with days that enough people have, as keyed hashes."""
    show = partial(_slot_batches, request=request, detectors=detectors)
    rows = annotated.mapInArrow(show, tables.ddl(_SLOTS)).distinct()
    people = rows.groupBy("slot").agg(F.countDistinct("person").alias("all"))
    same = rows.groupBy("slot", "day").agg(F.count("*").alias("same")).where(F.col("same") >= LEAST_PEOPLE)
    often = same.join(people, on="slot").where(F.col("same") * 100 >= F.col("all") * LEAST_PERCENTAGE)
    return frozenset(row["day"] for row in often.select("day").collect())


def _slot_batches(
    incoming: Iterator[pa.RecordBatch], *, request: SlotRequest, detectors: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        documents = _documents(batch, detectors)
        found = (each for document, pieces in documents for each in slot_dates(document, pieces, request))
        yield to_batch([(each.slot, each.day, each.person) for each in found], _SLOTS)


def _mark_batches(
    incoming: Iterator[pa.RecordBatch], *, request: SlotRequest, detectors: frozenset[str], days: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        mentions = []
        for document, pieces in _documents(batch, detectors):
            found = template_dates(document, pieces, request, days)
            own = (LinkedMention(each.start, each.end, each.label, None, TEMPLATE) for each in found)
            mentions.append([*document.mentions, *own])
        columns = [*(batch.column(name) for name in tables.ANNOTATED.names), lists_of(mentions, tables.MENTION_STRUCT)]
        yield pa.RecordBatch.from_arrays(columns, names=_SHOWN.names).cast(_SHOWN)


def _documents(batch: pa.RecordBatch, detectors: frozenset[str]) -> Iterator[tuple[Document, tuple[Span, ...]]]:
    """Yield documents with the pieces of their edited spans, as rules will get them."""
    has_any = tables.MENTIONS in batch.schema.names
    mentions = tuples_of(batch.column(tables.MENTIONS)) if has_any else ([] for _ in range(batch.num_rows))
    given = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text"))
    for doc_id, subject, text, spans, own in zip(*given, spans_in(batch.column("spans")), mentions, strict=True):
        pieces = resolve_overlaps(text, [span for span in spans if detector_of(span.source) in detectors])
        yield Document(doc_id, text, subject, mentions=tuple(map(LinkedMention._make, own))), pieces
