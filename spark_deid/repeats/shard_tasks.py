"""What a task does with a shard or a range, from batches of rows to rows; its state is in files."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_deid.repeats.duplicates import collapse
from spark_deid.repeats.extension import character_lengths
from spark_deid.repeats.findings import Batch, findings, gather
from spark_deid.repeats.grid import Grid, hidden_by_length
from spark_deid.repeats.kernels.marks import APART, APART_CHARACTER
from spark_deid.repeats.kernels.trie import Splitters
from spark_deid.repeats.rare import Runs, cover_text, hidden_runs
from spark_deid.repeats.settings import Rarity, Unit
from spark_deid.repeats.shard import (
    FIRST_DEPTH,
    Range,
    Sample,
    Weights,
    answer,
    close_shard,
    open_shard,
    ranges_of,
    sample,
    take_answers,
    trie_of,
)
from spark_deid.repeats.shard_files import Contents, ShardFolder, read_array, write_arrays
from spark_deid.repeats.text import LaidOut, keep_apart, lay_out_bytes, number_units

CODEC = "zstd"
WHOLE = -1
"""The piece of a document that is not cut."""

OPENED = pa.schema(
    [
        ("shard", pa.int32()),
        ("bytes", pa.int64()),
        ("active", pa.int64()),
        ("leaves", pa.int64()),
        ("prefixes", pa.list_(pa.binary())),
    ]
)
SENT = pa.schema(
    [
        ("range", pa.int32()),
        ("shard", pa.int32()),
        ("sizes", pa.list_(pa.int64())),
        ("left", pa.binary()),
        ("right", pa.binary()),
        ("leaves", pa.binary()),
    ]
)
ANSWERED = pa.schema([("shard", pa.int32()), ("range", pa.int32()), ("size", pa.int64()), ("depths", pa.binary())])


@dataclass(frozen=True)
class Search:
    """One count of a corpus in shards: where its state is, which one it is from 0 on, and what is rare.

    ``groups`` numbers the units that are in several shards, by shard; ``samples`` is how many prefixes a shard draws.
    """

    folder: str
    count: int
    rarity: Rarity
    groups: dict[int, int]
    samples: int

    def shard(self, number: int) -> ShardFolder:
        """Return the files of a shard."""
        return ShardFolder(Path(self.folder) / f"shard-{number}", self.count)


class Step(NamedTuple):
    """One round: its number, and between which depths it goes."""

    number: int
    low: int
    high: int


class Piece(NamedTuple):
    """Where a piece of a document is: which document of which shard."""

    shard: int
    document: int


def open_rows(batches: Sequence[pa.RecordBatch], number: int, search: Search, placeholders: tuple[str, ...]) -> Any:
    """Lay out what a shard owns, sort it, and write both.

    ``batches`` have the columns doc_id, subject_id, text, edits, piece and core. Returns a row of OPENED.
    """
    # In a piece a placeholder could be seen where the whole has none; those of the whole are in its edits.
    is_cut = number in search.groups
    batch = gather(batches, () if is_cut else placeholders)
    table = pa.Table.from_batches(batches).select(["piece", "core"])
    contents = _contents(batch, search, table["piece"].to_numpy(), table["core"].to_numpy(), is_cut=is_cut)
    shard = search.shard(number)
    shard.write_contents(contents)
    shard.write_text(contents.text)
    return sort_shard(contents, number, search)


def _contents(
    batch: Batch, search: Search, pieces: NDArray[np.int32], cores: NDArray[np.int64], *, is_cut: bool
) -> Contents:
    unit = search.rarity.unit
    each = unit is Unit.OCCURRENCE
    if is_cut:
        rows = list(range(len(batch.texts)))
        units = number_units(rows if each else [0] * len(rows))
        weights, document_of = np.ones(len(rows) if each else 1, np.int64), np.arange(len(rows))
    else:
        rows, units, weights, document_of = collapse(batch, unit)
    text = lay_out_bytes([batch.texts[row] for row in rows], units)
    keep_apart(text, enumerate([batch.apart[row] for row in rows]))
    sizes = np.diff(text.bounds) - 1
    chosen = cores[rows].astype(np.int64) if len(rows) else np.zeros(0, np.int64)
    searched = np.where(chosen < 0, sizes, chosen)
    ids: list[str] = batch.ids.to_pylist()
    return Contents(text, Weights(weights, each), ids, pieces.astype(np.int32), document_of, searched)


def reopen(number: int, search: Search, documents: dict[str, list[Piece]]) -> Any:
    """Hide in a shard's text what the count before found, sort it again, and write both; returns a row of OPENED.

    ``documents`` are those that are cut, with their pieces in order.
    """
    before = ShardFolder(search.shard(number).place, search.count - 1)
    contents = before.read_contents()
    hidden = before.read_hidden()
    for doc_id, pieces in documents.items():
        flags = None
        for order, piece in enumerate(pieces):
            if piece.shard == number:
                flags = read_document(search, search.count - 1, doc_id, "hidden") if flags is None else flags
                begin, end = contents.text.characters[piece.document : piece.document + 2]
                offset = sum(_core_characters(search, each) for each in pieces[:order])
                inside = flags[offset : offset + int(end - begin) - 1]
                hidden[begin : begin + len(inside)] = inside
    text = contents.text.hiding(hidden)
    search.shard(number).write_text(text)
    return sort_shard(
        Contents(text, contents.weights, contents.ids, contents.pieces, contents.document_of, contents.cores),
        number,
        search,
    )


def sort_shard(contents: Contents, number: int, search: Search) -> Any:
    """Sort a shard's suffixes, write what goes into the first round; return a row of OPENED."""
    rarity = search.rarity
    active = open_shard(contents.text, contents.weights, unit=rarity.unit, cap=rarity.cap, cores=contents.cores)
    search.shard(number).write_active(0, active)
    drawn = sample(contents.text, active, depth=min(FIRST_DEPTH, rarity.cap), number=search.samples)
    return opened(number, contents.text.size, len(active.suffixes), drawn)


def opened(number: int, size: int, active: int, drawn: Sample) -> dict[str, object]:
    """Return a row of OPENED."""
    return {"shard": number, "bytes": size, "active": active, "leaves": drawn.leaves, "prefixes": drawn.prefixes}


def send(number: int, search: Search, step: Step, splitters: Splitters) -> Iterator[dict[str, object]]:
    """Build a shard's trie for a round; yield rows of SENT, one a range."""
    shard = search.shard(number)
    text, active = shard.read_text(), shard.read_active(step.number)
    trie = trie_of(text, active, shard.read_weights(), splitters, low=step.low, high=step.high, k=search.rarity.k)
    shard.write_begins(step.number, trie.begins)
    codec = pa.Codec(CODEC)
    for place, part in enumerate(ranges_of(text, active, trie, splitters)):
        narrow = depth_type(step.high)
        blob = b"".join(
            np.ascontiguousarray(array).tobytes()
            for array in (part.shared.astype(narrow), part.lengths.astype(narrow), part.symbols, part.counts)
        )
        yield {
            "range": place,
            "shard": number,
            "sizes": [len(part.shared), len(part.symbols)],
            "left": part.left.tobytes(),
            "right": part.right.tobytes(),
            "leaves": codec.compress(blob, asbytes=True),
        }


def depth_type(high: int) -> Any:
    """Return the smallest type that holds depths up to ``high``."""
    return np.uint8 if high <= np.iinfo(np.uint8).max else np.uint16


def _received(row: dict[str, Any], high: int) -> Range:
    leaves, edges = row["sizes"]
    narrow = np.dtype(depth_type(high))
    size = 2 * (leaves * narrow.itemsize + edges)
    data = pa.Codec(CODEC).decompress(row["leaves"], decompressed_size=size, asbytes=True)
    depths = np.frombuffer(data, narrow, 2 * leaves).astype(np.uint16)
    bytes_of = np.frombuffer(data, np.uint8, 2 * edges, offset=2 * leaves * narrow.itemsize)
    paths = (np.frombuffer(row[side], np.uint8) for side in ("left", "right"))
    return Range(depths[:leaves], depths[leaves:], bytes_of[:edges], bytes_of[edges:], *paths)


def answer_range(
    rows: Sequence[dict[str, Any]], search: Search, step: Step, splitters: Splitters
) -> Iterator[dict[str, object]]:
    """Merge what all shards sent to a range; yield rows of ANSWERED, one a shard."""
    groups = [search.groups.get(row["shard"], -1) for row in rows]
    parts = [_received(row, step.high) for row in rows]
    found = answer(parts, groups, splitters, rows[0]["range"], low=step.low, high=step.high, k=search.rarity.k)
    codec = pa.Codec(CODEC)
    for row, depths in zip(rows, found, strict=True):
        blob = codec.compress(depths.astype(depth_type(step.high)).tobytes(), asbytes=True)
        yield {"shard": row["shard"], "range": row["range"], "size": len(depths), "depths": blob}


def take(rows: Sequence[dict[str, Any]], search: Search, step: Step) -> dict[str, object]:
    """Write the answers to a shard, in order of ranges, and what goes into the next round; return a row of OPENED."""
    number = int(rows[0]["shard"])
    codec, narrow = pa.Codec(CODEC), np.dtype(depth_type(step.high))
    blobs = [codec.decompress(r["depths"], decompressed_size=narrow.itemsize * r["size"], asbytes=True) for r in rows]
    shard = search.shard(number)
    active = shard.read_active(step.number)
    begins = shard.read_begins(step.number, len(active.suffixes))
    answered = np.frombuffer(b"".join(blobs), narrow).astype(np.uint16)
    depths, left = take_answers(active, answered, begins, step.high)
    shard.write_depths(step.number, depths)
    shard.write_active(step.number + 1, left)
    text = shard.read_text()
    depth = min(search.rarity.cap, 2 * step.high)
    drawn = sample(text, left, depth=depth, number=search.samples)
    return opened(number, text.size, len(left.suffixes), drawn)


def lengths_of(search: Search, number: int, rounds: int, text: LaidOut) -> NDArray[np.uint16]:
    """Return the extension lengths by character that the rounds have found."""
    return character_lengths(text, close_shard(text.size, search.shard(number).read_depths(rounds)))


def find(number: int, search: Search, rounds: int) -> Iterator[pa.RecordBatch]:
    """Cover a shard of whole documents; yield its rows of FINDINGS."""
    contents = search.shard(number).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    runs = hidden_runs(contents.text, cover_text(contents.text, lengths, search.rarity))
    yield from _findings(contents, runs, lengths)


def cover_shard(number: int, search: Search, rounds: int) -> int:
    """Cover a shard and write what is hidden; return how many characters are hidden more than the count before hid."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    original = first.read_contents()
    lengths = lengths_of(search, number, rounds, shard.read_text())
    hidden = cover_text(original.text, lengths, search.rarity)
    for piece in set(original.document_of[original.pieces >= 0].tolist()):
        # What is hidden of a document that is cut is decided where it is whole.
        hidden[original.text.characters[piece] : original.text.characters[piece + 1]] = False
    shard.write_result(lengths, hidden)
    before = ShardFolder(shard.place, search.count - 1).read_hidden() if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def find_written(number: int, search: Search) -> Iterator[pa.RecordBatch]:
    """Yield the rows of FINDINGS of a shard's whole documents, by what was written; lengths are those first counted."""
    shard = search.shard(number)
    first = ShardFolder(shard.place, 0)
    contents = first.read_contents()
    yield from _findings(contents, hidden_runs(contents.text, shard.read_hidden()), first.read_lengths())


def _findings(contents: Contents, runs: Runs, lengths: NDArray[np.uint16]) -> Iterator[pa.RecordBatch]:
    whole = np.flatnonzero(contents.pieces < 0)
    ids = pa.chunked_array([pa.array([contents.ids[row] for row in whole], pa.string())])
    yield from findings(ids, contents.text, runs, lengths, contents.document_of[whole])


def tally_shard(number: int, search: Search, rounds: int, grid: Grid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a shard's whole documents; write the lengths for those that are cut."""
    shard = search.shard(number)
    contents = ShardFolder(shard.place, 0).read_contents()
    lengths = lengths_of(search, number, rounds, contents.text)
    if number in search.groups:
        shard.write_result(lengths, np.zeros(0, np.bool_))
    # Copies are hidden alike, and count as often as they are there.
    rows = np.bincount(contents.document_of[contents.pieces < 0], minlength=len(contents.text.units))
    for times in np.unique(rows[rows > 0]).tolist():
        bounds = zip(
            contents.text.characters[:-1][rows == times], contents.text.characters[1:][rows == times], strict=True
        )
        chosen = np.concatenate([lengths[begin:end] for begin, end in bounds])
        for least, characters, hidden in hidden_by_length(chosen, search.rarity, grid):
            yield least, times * characters, times * hidden


def tally_document(pieces: Sequence[Piece], search: Search, grid: Grid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a document that is cut."""
    _, lengths, _ = _joined(search, pieces)
    yield from hidden_by_length(lengths, search.rarity, grid)


def pieces_in(number: int, search: Search) -> list[tuple[str, int, int]]:
    """List the pieces of a shard: document's id, piece, and where it is."""
    contents = ShardFolder(search.shard(number).place, 0).read_contents()
    rows = np.flatnonzero(contents.pieces >= 0).tolist()
    return [(contents.ids[row], int(contents.pieces[row]), int(contents.document_of[row])) for row in rows]


def _core_characters(search: Search, piece: Piece) -> int:
    contents = ShardFolder(search.shard(piece.shard).place, 0).read_contents()
    begin = int(contents.text.bounds[piece.document])
    data = contents.text.data[begin : begin + int(contents.cores[piece.document])]
    return int(((data & 0xC0) != 0x80).sum() - (data == APART - 1).sum())


def _joined(search: Search, pieces: Sequence[Piece]) -> tuple[LaidOut, NDArray[np.uint16], NDArray[np.uint16]]:
    """Return a document that is cut as it came, with its lengths by character in this count and in the first."""
    data, lengths, firsts = [], [], []
    for piece in pieces:
        shard = search.shard(piece.shard)
        first = ShardFolder(shard.place, 0)
        contents = first.read_contents()
        size = _core_characters(search, piece)
        begin, character = int(contents.text.bounds[piece.document]), int(contents.text.characters[piece.document])
        data.append(contents.text.data[begin : begin + int(contents.cores[piece.document])])
        lengths.append(shard.read_lengths()[character : character + size])
        firsts.append(first.read_lengths()[character : character + size])
    end = np.array([APART_CHARACTER], np.uint16)
    whole = np.concatenate([*data, np.full(9, APART, np.uint8)])
    text = LaidOut(whole, np.array([0, len(whole) - 8], np.int64), np.zeros(1, np.int32))
    return text, np.concatenate([*lengths, end]), np.concatenate([*firsts, end])


def _document_place(search: Search, count: int, doc_id: str) -> Path:
    # No file name is long enough for every id.
    name = hashlib.sha256(doc_id.encode("utf-8", "surrogatepass")).hexdigest()
    return Path(search.folder) / "documents" / name / f"count-{count}"


def read_document(search: Search, count: int, doc_id: str, name: str) -> NDArray[Any]:
    """Read what was written of a document that is cut."""
    return read_array(_document_place(search, count, doc_id), name)


def cover_document(doc_id: str, pieces: Sequence[Piece], search: Search) -> int:
    """Cover a document that is cut; write what is hidden, and return how many characters changed."""
    text, lengths, _ = _joined(search, pieces)
    hidden = cover_text(text, lengths, search.rarity)
    write_arrays(_document_place(search, search.count, doc_id), {"hidden": hidden})
    before = read_document(search, search.count - 1, doc_id, "hidden") if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def find_document(doc_id: str, pieces: Sequence[Piece], search: Search) -> Iterator[pa.RecordBatch]:
    """Yield the row of FINDINGS of a document that is cut."""
    text, _, lengths = _joined(search, pieces)
    runs = hidden_runs(text, read_document(search, search.count, doc_id, "hidden"))
    yield from findings(pa.chunked_array([pa.array([doc_id])]), text, runs, lengths, np.zeros(1, np.int64))
