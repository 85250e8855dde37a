"""Sentences in the order of their places, joined to documents of so many."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Int64s
from spark_deid.private_training.pseudonyms.sentence_runs import PLACED, SentenceRun, in_order, read_range

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
