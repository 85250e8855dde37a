"""Lay out and sort what a shard owns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_deid.repeats.duplicates import collapse
from spark_deid.repeats.findings import Batch, gather
from spark_deid.repeats.settings import Unit
from spark_deid.repeats.shards.cut_documents import read_hidden
from spark_deid.repeats.shards.files import Contents, ShardFolder
from spark_deid.repeats.shards.search import Documents, Search
from spark_deid.repeats.shards.tries import FIRST_DEPTH, Active, Sample, Weights, open_shard, sample
from spark_deid.repeats.text import keep_apart, lay_out_bytes, number_units


class Opened(NamedTuple):
    """A shard before a round: bytes of text, active suffixes, and a sample of the leaves that they make."""

    shard: int
    size: int
    active: int
    leaves: int
    prefixes: list[bytes]


def open_rows(batches: Sequence[pa.RecordBatch], number: int, search: Search, placeholders: tuple[str, ...]) -> Opened:
    """Lay out what a shard owns, sort it, and write both.

    ``batches`` have the columns doc_id, subject_id, text, edits, piece and core.
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


def reopen(number: int, search: Search, documents: Documents) -> Opened:
    """Hide in a shard's text what the count before found, sort it again, and write both."""
    before = ShardFolder(search.shard(number).place, search.count - 1)
    contents = before.read_contents()
    hidden = before.read_hidden()
    for doc_id, pieces in documents.items():
        if all(piece.shard != number for piece in pieces):
            continue
        flags = read_hidden(search, search.count - 1, doc_id)
        offset = 0
        for piece in pieces:
            if piece.shard == number:
                begin, end = contents.text.characters[piece.document : piece.document + 2]
                inside = flags[offset : offset + int(end - begin) - 1]
                hidden[begin : begin + len(inside)] = inside
            offset += piece.characters
    text = contents.text.hiding(hidden)
    search.shard(number).write_text(text)
    return sort_shard(
        Contents(text, contents.weights, contents.ids, contents.pieces, contents.document_of, contents.cores),
        number,
        search,
    )


def sort_shard(contents: Contents, number: int, search: Search) -> Opened:
    """Sort a shard's suffixes, and write what goes into the first round."""
    rarity = search.rarity
    active = open_shard(contents.text, contents.weights, unit=rarity.unit, cap=rarity.cap, cores=contents.cores)
    search.shard(number).write_active(0, active)
    drawn = sample(contents.text, active, depth=min(FIRST_DEPTH, rarity.cap), number=search.samples)
    return opened(number, contents.text.size, active, drawn)


def opened(number: int, size: int, active: Active, drawn: Sample) -> Opened:
    """Tell of a shard what the next round needs to know."""
    return Opened(number, size, len(active.suffixes), drawn.leaves, drawn.prefixes)
