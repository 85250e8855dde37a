"""What is rare in a document that no shard holds whole, from what was counted in its segments."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Bools, UInt16s
from spark_deid.repeats.extension import character_lengths
from spark_deid.repeats.findings import Batches, write_findings
from spark_deid.repeats.kernels.marks import EXCLUDED, EXCLUDED_CHARACTER
from spark_deid.repeats.rare import HiddenRuns, RarityGrid, cover_text, hidden_by_length, hidden_runs
from spark_deid.repeats.shards.files import ShardContents, ShardFolder, read_array, write_arrays
from spark_deid.repeats.shards.search import CutDocument, SegmentPlace, ShardSearch
from spark_deid.repeats.shards.tries import close_shard
from spark_deid.repeats.text import TextLayout


def segments_in(number: int, search: ShardSearch) -> list[tuple[str, int, SegmentPlace]]:
    """List the segments of a shard: document's id, number of the segment, and where it is."""
    contents = ShardFolder(search.shard(number).place, 0).read_contents()
    rows = np.flatnonzero(contents.segments >= 0).tolist()
    documents = contents.document_of[rows].tolist()
    return [
        (
            contents.ids[row],
            int(contents.segments[row]),
            SegmentPlace(number, document, _characters(contents, document)),
        )
        for row, document in zip(rows, documents, strict=True)
    ]


def cover_document(document: CutDocument, search: ShardSearch) -> int:
    """Cover a document that is cut; write what is hidden, and return how many characters changed."""
    doc_id, segments = document
    text, lengths, _ = _joined(search, segments)
    hidden = cover_text(text, lengths, search.rarity)
    write_arrays(_place(search, search.count, doc_id), {"hidden": hidden})
    before = read_hidden(search, search.count - 1, doc_id) if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def read_hidden(search: ShardSearch, count: int, doc_id: str) -> Bools:
    """Read what is hidden of the characters of a document that is cut."""
    return read_array(_place(search, count, doc_id), "hidden")


def find_document(document: CutDocument, search: ShardSearch) -> Batches:
    """Yield the row of FINDINGS of a document that is cut."""
    doc_id, segments = document
    text, _, lengths = _joined(search, segments)
    runs = hidden_runs(text, read_hidden(search, search.count, doc_id))
    yield from write_findings(pa.chunked_array([pa.array([doc_id])]), text, runs, lengths, np.zeros(1, np.int64))


def tally_document(document: CutDocument, search: ShardSearch, grid: RarityGrid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a document that is cut."""
    text, lengths, _ = _joined(search, document[1])
    yield from hidden_by_length(text, lengths, search.rarity, grid)


def _characters(contents: ShardContents, document: int) -> int:
    begin = int(contents.text.bounds[document])
    data = contents.text.data[begin : begin + int(contents.cores[document])]
    return int(((data & 0xC0) != 0x80).sum() - (data == EXCLUDED - 1).sum())


def _joined(search: ShardSearch, segments: Sequence[SegmentPlace]) -> tuple[TextLayout, UInt16s, UInt16s]:
    """Return a document that is cut as it came, with its lengths by character in this count and in the first."""
    data, lengths, firsts = [], [], []
    for segment in segments:
        shard = search.shard(segment.shard)
        first = ShardFolder(shard.place, 0)
        contents = first.read_contents()
        begin, character = int(contents.text.bounds[segment.document]), int(contents.text.characters[segment.document])
        data.append(contents.text.data[begin : begin + int(contents.cores[segment.document])])
        lengths.append(shard.read_lengths()[character : character + segment.characters])
        firsts.append(first.read_lengths()[character : character + segment.characters])
    end = np.array([EXCLUDED_CHARACTER], np.uint16)
    whole = np.concatenate([*data, np.full(9, EXCLUDED, np.uint8)])
    text = TextLayout(whole, np.array([0, len(whole) - 8], np.int64), np.zeros(1, np.int32))
    return text, np.concatenate([*lengths, end]), np.concatenate([*firsts, end])


def _place(search: ShardSearch, count: int, doc_id: str) -> Path:
    # No file name is long enough for every id.
    name = hashlib.sha256(doc_id.encode("utf-8", "surrogatepass")).hexdigest()
    return Path(search.folder) / "documents" / name / f"count-{count}"


# What is rare in a shard, from what its rounds have counted.


def lengths_of(search: ShardSearch, number: int, rounds: int, text: TextLayout) -> UInt16s:
    """Return the extension lengths by character that the rounds have found."""
    return character_lengths(text, close_shard(text.size, search.shard(number).read_depths(rounds)))


def find_in_shard(number: int, search: ShardSearch, rounds: int) -> Batches:
    """Cover a shard of whole documents; yield its rows of FINDINGS."""
    contents = search.shard(number).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    runs = hidden_runs(contents.text, cover_text(contents.text, lengths, search.rarity))
    yield from _findings(contents, runs, lengths)


def cover_shard(number: int, search: ShardSearch, rounds: int) -> int:
    """Cover a shard and write what is hidden; return how many characters are hidden more than the count before hid."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    original = first.read_contents()
    lengths = lengths_of(search, number, rounds, shard.read_text())
    hidden = cover_text(original.text, lengths, search.rarity)
    for segment in set(original.document_of[original.segments >= 0].tolist()):
        # What is hidden of a document that is cut is decided where it is whole.
        hidden[original.text.characters[segment] : original.text.characters[segment + 1]] = False
    shard.write_result(lengths, hidden)
    before = ShardFolder(shard.place, search.count - 1).read_hidden() if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def find_written(number: int, search: ShardSearch) -> Batches:
    """Yield the rows of FINDINGS of a shard's whole documents, by what was written; lengths are those first counted."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    contents = first.read_contents()
    yield from _findings(contents, hidden_runs(contents.text, shard.read_hidden()), first.read_lengths())


def _findings(contents: ShardContents, runs: HiddenRuns, lengths: UInt16s) -> Batches:
    whole = np.flatnonzero(contents.segments < 0)
    ids = pa.chunked_array([pa.array([contents.ids[row] for row in whole], pa.string())])
    yield from write_findings(ids, contents.text, runs, lengths, contents.document_of[whole])


def tally_shard(number: int, search: ShardSearch, rounds: int, grid: RarityGrid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a shard's whole documents; write the lengths for those that are cut."""
    shard = search.shard(number)
    contents = ShardFolder(shard.place, 0).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    if number in search.groups:
        shard.write_result(lengths, np.zeros(0, np.bool_))
    # Copies are hidden alike, and count as often as they are there.
    rows = np.bincount(contents.document_of[contents.segments < 0], minlength=len(contents.text.units))
    yield from hidden_by_length(contents.text, lengths, search.rarity, grid, rows)
