"""What is rare in a document that no shard holds whole, from what was counted in its pieces."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_deid.repeats.findings import findings
from spark_deid.repeats.grid import Grid, hidden_by_length
from spark_deid.repeats.kernels.marks import APART, APART_CHARACTER
from spark_deid.repeats.rare import cover_text, hidden_runs
from spark_deid.repeats.shards.files import Contents, ShardFolder, read_array, write_arrays
from spark_deid.repeats.shards.search import Piece, Search
from spark_deid.repeats.text import LaidOut


def pieces_in(number: int, search: Search) -> list[tuple[str, int, Piece]]:
    """List the pieces of a shard: document's id, number of the piece, and where it is."""
    contents = ShardFolder(search.shard(number).place, 0).read_contents()
    rows = np.flatnonzero(contents.pieces >= 0).tolist()
    documents = contents.document_of[rows].tolist()
    return [
        (contents.ids[row], int(contents.pieces[row]), Piece(number, document, _characters(contents, document)))
        for row, document in zip(rows, documents, strict=True)
    ]


def cover_document(doc_id: str, pieces: Sequence[Piece], search: Search) -> int:
    """Cover a document that is cut; write what is hidden, and return how many characters changed."""
    text, lengths, _ = _joined(search, pieces)
    hidden = cover_text(text, lengths, search.rarity)
    write_arrays(_place(search, search.count, doc_id), {"hidden": hidden})
    before = read_hidden(search, search.count - 1, doc_id) if search.count else np.zeros_like(hidden)
    return int((hidden != before).sum())


def read_hidden(search: Search, count: int, doc_id: str) -> NDArray[np.bool_]:
    """Read what is hidden of the characters of a document that is cut."""
    return read_array(_place(search, count, doc_id), "hidden")


def find_document(doc_id: str, pieces: Sequence[Piece], search: Search) -> Iterator[pa.RecordBatch]:
    """Yield the row of FINDINGS of a document that is cut."""
    text, _, lengths = _joined(search, pieces)
    runs = hidden_runs(text, read_hidden(search, search.count, doc_id))
    yield from findings(pa.chunked_array([pa.array([doc_id])]), text, runs, lengths, np.zeros(1, np.int64))


def tally_document(pieces: Sequence[Piece], search: Search, grid: Grid) -> Iterator[tuple[int, int, int]]:
    """Yield what ``hidden_by_length`` does for a document that is cut."""
    _, lengths, _ = _joined(search, pieces)
    yield from hidden_by_length(lengths, search.rarity, grid)


def _characters(contents: Contents, document: int) -> int:
    begin = int(contents.text.bounds[document])
    data = contents.text.data[begin : begin + int(contents.cores[document])]
    return int(((data & 0xC0) != 0x80).sum() - (data == APART - 1).sum())


def _joined(search: Search, pieces: Sequence[Piece]) -> tuple[LaidOut, NDArray[np.uint16], NDArray[np.uint16]]:
    """Return a document that is cut as it came, with its lengths by character in this count and in the first."""
    data, lengths, firsts = [], [], []
    for piece in pieces:
        shard = search.shard(piece.shard)
        first = ShardFolder(shard.place, 0)
        contents = first.read_contents()
        begin, character = int(contents.text.bounds[piece.document]), int(contents.text.characters[piece.document])
        data.append(contents.text.data[begin : begin + int(contents.cores[piece.document])])
        lengths.append(shard.read_lengths()[character : character + piece.characters])
        firsts.append(first.read_lengths()[character : character + piece.characters])
    end = np.array([APART_CHARACTER], np.uint16)
    whole = np.concatenate([*data, np.full(9, APART, np.uint8)])
    text = LaidOut(whole, np.array([0, len(whole) - 8], np.int64), np.zeros(1, np.int32))
    return text, np.concatenate([*lengths, end]), np.concatenate([*firsts, end])


def _place(search: Search, count: int, doc_id: str) -> Path:
    # No file name is long enough for every id.
    name = hashlib.sha256(doc_id.encode("utf-8", "surrogatepass")).hexdigest()
    return Path(search.folder) / "documents" / name / f"count-{count}"
