"""Sentences of one task in the order of their places: a file of Arrow batches that others read by ranges of places."""

import os
import uuid
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Int64s, UInt64s

PLACED = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("label", pa.string())])
"""A span of what is shared: nothing tells who found it."""
PLACE_BYTES = 16
SENTENCES = pa.schema([("place", pa.binary(PLACE_BYTES)), ("text", pa.string()), ("spans", pa.list_(PLACED))])
"""Sentences between two stages; their place in the order is a keyed hash, so places lie even."""
_TOGETHER = 1024


class SentenceRun(NamedTuple):
    """A file of sentences in order: the rows of each range of places, and the batches of all before it, in turn."""

    path: str
    rows: tuple[int, ...]
    before: tuple[int, ...]


def write_run(folder: str, sentences: pa.Table, ranges: int, together: int = _TOGETHER) -> SentenceRun:
    """Write sentences (columns of SENTENCES) to a new file, in the order of their places, range by range.

    A batch of the file has so many of them ``together`` at most.
    """
    path = os.path.join(folder, f"run-{uuid.uuid4()}.arrow")
    sentences = sentences.combine_chunks()
    places = _places(sentences)
    order = _in_order(places)
    owners = (places[order, 0] >> np.uint64(32)) * np.uint64(ranges) >> np.uint64(32)
    borders = np.searchsorted(owners, np.arange(ranges + 1, dtype=np.uint64)).tolist()
    before = [0]
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, SENTENCES, options=options) as writer:
        for first, last in pairwise(borders):
            lows = range(first, last, together)
            for low in lows:
                writer.write_table(sentences.take(pa.array(order[low : min(low + together, last)])).combine_chunks())
            before.append(before[-1] + len(lows))
    return SentenceRun(path, tuple(np.diff(borders).tolist()), tuple(before))


def read_range(runs: Sequence[SentenceRun], number: int, most: int | None = None) -> pa.Table:
    """Return the sentences of a range of all runs; with ``most`` at least that many of each, the first ones."""
    return pa.Table.from_batches((batch for run in runs for batch in _read(run, number, most)), SENTENCES)


def in_order(sentences: pa.Table) -> Int64s:
    """Return the rows of sentences in the order of their places."""
    return _in_order(_places(sentences))


def _in_order(places: UInt64s) -> Int64s:
    return np.lexsort((places[:, 1], places[:, 0]))


def _places(sentences: pa.Table) -> UInt64s:
    """Return places as two numbers each, whose order is that of the bytes."""
    chunks = sentences.column("place").chunks
    read = b"".join(
        chunk.buffers()[1][chunk.offset * PLACE_BYTES : (chunk.offset + len(chunk)) * PLACE_BYTES] for chunk in chunks
    )
    return np.frombuffer(read, ">u8").reshape(-1, 2).astype(np.uint64)


def _read(run: SentenceRun, number: int, most: int | None) -> Iterator[pa.RecordBatch]:
    rows = 0
    with pa.OSFile(run.path, "rb") as file, pa.ipc.open_file(file) as reader:
        for place in range(*run.before[number : number + 2]):
            if most is not None and rows >= most:
                return
            batch = reader.get_batch(place)
            rows += batch.num_rows
            yield batch
