"""Sentences of one task in the order of their places: a file of Arrow batches that others read by ranges of places."""

import os
import uuid
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Int64s, UInt64s
from spark_deid.private_training.word_tokens import long_words

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


# Sentences in the order of their places, joined to documents of so many.


SHARED = pa.schema([("doc_id", pa.string()), ("text", pa.string()), ("spans", pa.list_(PLACED))])
_SENTENCES, _BYTES = 20_000, 1 << 24
"""Sentences that are joined at a time, and about how many bytes, if not those of one document are more."""


def documents_of(
    runs: Sequence[SentenceRun], number: int, each: int, most: int = _SENTENCES
) -> Iterator[pa.RecordBatch]:
    """Yield the documents that begin in a range of places (columns of SHARED), of so many sentences at a time.

    The last one may end in a later range, of which no more is read than it needs.
    """
    firsts = [*accumulate((sum(rows) for rows in zip(*(run.rows for run in runs), strict=True)), initial=0)]
    first, last, total = firsts[number], firsts[number + 1], firsts[-1]
    begin, end = -(-first // each) * each, min(-(-last // each) * each, total)
    if begin >= last:
        return
    own = read_range(runs, number)
    found, orders = [own], [in_order(own)[begin - first :]]
    while (lacking := end - begin - sum(map(len, orders))) > 0:
        number += 1
        more = read_range(runs, number, lacking)
        orders.append(in_order(more)[:lacking] + sum(map(len, found)))
        found.append(more)
    sentences = pa.concat_tables(found).combine_chunks()
    order = np.concatenate(orders)
    most = min(most, _BYTES * len(sentences) // max(sentences.nbytes, 1))
    together = max(most // each, 1) * each
    for low in range(0, len(order), together):
        rows = sentences.take(pa.array(order[low : low + together])).combine_chunks()
        yield join_sentences(_in_documents(rows, (begin + low) // each, each))


def _in_documents(rows: pa.Table, first: int, each: int) -> pa.RecordBatch:
    """Return sentences in order as lists, a document a row; all documents but the last have as many."""
    borders = pa.array([*range(0, len(rows), each), len(rows)], pa.int32())
    lists = [pa.ListArray.from_arrays(borders, rows.column(name).chunk(0)) for name in ("text", "spans")]
    documents = pa.array(range(first, first + len(borders) - 1), pa.int64())
    return pa.RecordBatch.from_arrays([documents, *lists], names=["document", "text", "spans"])


def join_sentences(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Join the sentences of documents by line breaks (columns of SHARED); the id of a new document is its number.

    ``batch`` has ``document`` and, in lists of the same lengths, ``text`` and ``spans``.
    """
    texts, spans = batch.column("text"), batch.column("spans")
    sizes = pc.utf8_length(texts.flatten()).to_numpy().astype(np.int64) + 1
    ends = np.concatenate([[0], np.cumsum(sizes)])
    sentences = _offsets(texts)
    starts = ends[:-1] - np.repeat(ends[sentences[:-1]], np.diff(sentences))
    own = spans.flatten()
    placed = own.flatten()
    shift = np.repeat(starts, np.diff(_offsets(own)))
    moved = [
        pa.array((placed.field(name).to_numpy() + shift).astype(np.int32), pa.int32()) for name in ("start", "end")
    ]
    structs = pa.StructArray.from_arrays([*moved, placed.field("label")], fields=list(PLACED))
    offsets = pa.array(_offsets(own)[_offsets(spans)].astype(np.int32))
    ids = pa.array([f"{number + 1:08d}" for number in batch.column("document").to_pylist()], pa.string())
    columns = [ids, pc.binary_join(texts, "\n"), pa.ListArray.from_arrays(offsets, structs)]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, SHARED, strict=True)], schema=SHARED
    )


def _offsets(lists: pa.ListArray) -> Int64s:
    """Return where each list begins among the values of all, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy())]).astype(np.int64)


# Sentences that share a pseudonym: how many pairs of them there are, and how many were of one document.


_TALLY = pa.schema([("word", pa.string()), ("standing", pa.int64()), ("own", pa.int64())])
_ROWS = 1 << 15
"""Rows that are kept before they are added up, at least."""
_SELDOM = 3
"""Sentences that share a pseudonym, up to which it counts as seldom: such pairs are the likeliest of one document."""


class SharedPairs(NamedTuple):
    """Pairs of sentences that share a pseudonym, those of them of one document, and both of seldom pseudonyms alone."""

    pairs: int
    own: int
    seldom_pairs: int
    seldom_own: int


class WordTally:
    """Of each word of pseudonyms the sentences in which it stands, and the pairs of these that are of one document."""

    def __init__(self) -> None:
        self._summed = _TALLY.empty_table()
        self._added: list[pa.Table] = []

    def add(self, pseudonyms: str, sentences: Int64s, documents: Int64s) -> None:
        """Add whole documents by their pseudonyms, with NUL between each two, and numbers of sentences and documents.

        No other call has a part of one of them.
        """
        words, owners = long_words(pseudonyms)
        if not words:
            return
        written = pa.array(words).dictionary_encode()
        encoded = pa.array([word.casefold() for word in written.dictionary.to_pylist()]).dictionary_encode()
        codes = encoded.indices.to_numpy().astype(np.int64)[written.indices.to_numpy()]
        distinct = len(encoded.dictionary)
        present, first = np.unique(sentences[owners] * distinct + codes, return_index=True)
        codes = present % distinct
        in_document, times = np.unique(documents[owners[first]] * distinct + codes, return_counts=True)
        own = np.zeros(distinct, np.int64)
        np.add.at(own, in_document % distinct, times * (times - 1) // 2)
        columns = [encoded.dictionary, np.bincount(codes, minlength=distinct), own]
        self._added.append(pa.table(columns, schema=_TALLY))
        if sum(map(len, self._added)) > max(len(self._summed), _ROWS):
            self._sum_up()

    def _sum_up(self) -> None:
        self._summed, self._added = _summed([self._summed, *self._added]), []

    def write(self, folder: str) -> str:
        """Write the tally to a new file of a folder, and return its path."""
        path = os.path.join(folder, f"tally-{uuid.uuid4()}.arrow")
        self._sum_up()
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, _TALLY) as writer:
            writer.write_table(self._summed)
        return path


def _summed(tallies: Sequence[pa.Table]) -> pa.Table:
    """Add up tallies by word."""
    grouped = pa.concat_tables(tallies).group_by("word", use_threads=False)
    summed = grouped.aggregate([("standing", "sum"), ("own", "sum")])
    return summed.select(["word", "standing_sum", "own_sum"]).rename_columns(_TALLY.names)


def pairs_of_tallies(paths: Sequence[str]) -> SharedPairs:
    """Add up tallies of all documents, one after another: there are no more rows than words."""
    summed = _TALLY.empty_table()
    for path in paths:
        with pa.OSFile(path, "rb") as file, pa.ipc.open_file(file) as reader:
            summed = _summed([summed, reader.read_all()])
    present, own = summed.column("standing"), summed.column("own")
    pairs = pc.divide(pc.multiply(present, pc.subtract(present, 1)), 2)
    seldom = pc.less_equal(present, _SELDOM)
    columns = (pairs, own, pairs.filter(seldom), own.filter(seldom))
    return SharedPairs(*(int(pc.sum(column).as_py() or 0) for column in columns))
