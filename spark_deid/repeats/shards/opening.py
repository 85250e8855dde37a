"""Lay out and sort what a shard owns."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.repeats.findings import DistinctDocuments, DocumentBatch, collapse_duplicates, gather_documents
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.shards.cut_documents import read_hidden
from spark_deid.repeats.shards.files import ShardContents, ShardFolder
from spark_deid.repeats.shards.search import Documents, ShardSearch
from spark_deid.repeats.shards.tries import (
    FIRST_DEPTH,
    ActiveSuffixes,
    LeafSample,
    UnitWeights,
    open_shard,
    sample_prefixes,
)
from spark_deid.repeats.text import exclude_characters, lay_out_bytes


class OpenedShard(NamedTuple):
    """A shard before a round: bytes of text, active suffixes, and a sample of the leaves that they make."""

    shard: int
    size: int
    active: int
    leaves: int
    prefixes: list[bytes]


def open_rows(
    batches: Iterable[pa.RecordBatch], number: int, search: ShardSearch, placeholders: tuple[str, ...]
) -> OpenedShard | None:
    """Lay out what a shard owns, sort it, and write both; None where that is nothing.

    ``batches`` have the columns doc_id, subject_id, text, edits, segment and core, and a unit's rows one after another.
    They are read once, and of copies one is kept.
    """
    rows = _Rows([], [], [])
    # In a segment a placeholder could be seen where the whole has none; those of the whole are in its edits.
    is_cut = number in search.groups
    gathered = (rows.gather(batch, () if is_cut else placeholders) for batch in batches if batch.num_rows)
    per_occurrence = search.rarity.unit is CountingUnit.OCCURRENCE
    found = (
        _as_they_come(gathered, per_occurrence=per_occurrence)
        if is_cut
        else collapse_duplicates(gathered, search.rarity.unit)
    )
    if not rows.ids:
        return None
    text = lay_out_bytes(found.texts, found.units)
    exclude_characters(text, enumerate(found.excluded))
    # A unit that is cut is in the shard as it came; else whole documents are searched to their ends.
    cores = np.array(rows.cores, np.int64) if is_cut else np.zeros(0, np.int64)
    sizes = np.diff(text.bounds) - 1
    searched = np.where(cores < 0, sizes, cores) if is_cut else sizes
    weights = UnitWeights(found.weights, per_occurrence)
    contents = ShardContents(text, weights, rows.ids, np.array(rows.segments, np.int32), found.document_of, searched)
    shard = search.shard(number)
    shard.write_contents(contents)
    shard.write_text(text)
    return sort_shard(contents, number, search)


class _Rows(NamedTuple):
    """What is kept of each row: its document, and which segment of it and how many searched bytes, where it is cut."""

    ids: list[str]
    segments: list[int]
    cores: list[int]

    def gather(self, batch: pa.RecordBatch, placeholders: tuple[str, ...]) -> DocumentBatch:
        """Note the rows of a batch, and return the documents in it."""
        gathered = gather_documents([batch], placeholders)
        for column, name in ((self.ids, "doc_id"), (self.segments, "segment"), (self.cores, "core")):
            column.extend(batch.column(name).to_pylist())
        return gathered


def _as_they_come(batches: Iterable[DocumentBatch], *, per_occurrence: bool) -> DistinctDocuments:
    """Take each row separately: all are of one unit, or units themselves."""
    pairs = [pair for batch in batches for pair in zip(batch.texts, batch.excluded, strict=True)]
    number = len(pairs)
    units = np.arange(number) if per_occurrence else np.zeros(number, np.int64)
    weights = np.ones(number if per_occurrence else 1, np.int64)
    texts, excluded = [text for text, _ in pairs], [intervals for _, intervals in pairs]
    return DistinctDocuments(texts, excluded, units.astype(np.int32), weights, np.arange(number))


def reopen_shard(number: int, search: ShardSearch, documents: Documents) -> OpenedShard:
    """Hide in a shard's text what the count before found, sort it again, and write both."""
    before = ShardFolder(search.shard(number).place, search.count - 1)
    contents = before.read_contents()
    hidden = before.read_hidden()
    for doc_id, segments in documents.items():
        if all(segment.shard != number for segment in segments):
            continue
        flags = read_hidden(search, search.count - 1, doc_id)
        offset = 0
        for segment in segments:
            if segment.shard == number:
                begin, end = contents.text.characters[segment.document : segment.document + 2]
                inside = flags[offset : offset + int(end - begin) - 1]
                hidden[begin : begin + len(inside)] = inside
            offset += segment.characters
    text = contents.text.hiding(hidden)
    search.shard(number).write_text(text)
    return sort_shard(
        ShardContents(text, contents.weights, contents.ids, contents.segments, contents.document_of, contents.cores),
        number,
        search,
    )


def sort_shard(contents: ShardContents, number: int, search: ShardSearch) -> OpenedShard:
    """Sort a shard's suffixes, and write what goes into the first round."""
    rarity = search.rarity
    active = open_shard(contents.text, contents.weights, unit=rarity.unit, cap=rarity.cap, cores=contents.cores)
    search.shard(number).write_active(0, active)
    drawn = sample_prefixes(contents.text, active, depth=min(FIRST_DEPTH, rarity.cap), number=search.samples)
    return describe_shard(number, contents.text.size, active, drawn)


def describe_shard(number: int, size: int, active: ActiveSuffixes, drawn: LeafSample) -> OpenedShard:
    """Return for a shard what the next round needs to know."""
    return OpenedShard(number, size, len(active.suffixes), drawn.leaves, drawn.prefixes)
