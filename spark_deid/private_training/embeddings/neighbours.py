"""Nearest neighbours by cosine, exact, in blocks: memory is bounded whatever the sizes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import Float32s

QUERIES = 256
"""Words that are looked at together; always as many: products of other shapes differ in their last bit."""
BLOCK = 1 << 15
"""Rows of the vocabulary that are held at a time: 32 MiB of similarities."""
NOWHERE = np.float32(-np.inf)


class NearestRows(NamedTuple):
    """The nearest rows of each word, nearest first, ABSENT where there are fewer; and their similarities."""

    rows: Int64s
    similarities: Float32s


def nearest(store: EmbeddingStore, rows: Sequence[int] | Int64s, count: int, eligible: Bools) -> NearestRows:
    """Return the ``count`` nearest of each row's vector among the rows that are ``eligible``, itself not excepted.

    Exact but for rounding. Of equal similarities the earlier row comes first. Takes about 150 MiB, and 24 bytes a
    neighbour.
    """
    found = list(_each_block(store, np.asarray(rows, np.int64), count, eligible))
    if not found:
        return NearestRows(np.zeros((0, count), np.int64), np.zeros((0, count), np.float32))
    return NearestRows(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _each_block(store: EmbeddingStore, rows: Int64s, count: int, eligible: Bools) -> Iterator[NearestRows]:
    for first in range(0, len(rows), QUERIES):
        wanted = rows[first : first + QUERIES]
        queries = np.zeros((QUERIES, store.about.dimensions), np.float32)
        queries[: len(wanted)] = unit_vectors(store, wanted)
        found = _nearest_of(store, queries, count, eligible)
        yield NearestRows(found.rows[: len(wanted)], found.similarities[: len(wanted)])


def unit_vectors(store: EmbeddingStore, rows: Int64s | slice) -> Float32s:
    """Return vectors of length 1; one of zeros stays."""
    norms = np.asarray(store.norms[rows])
    return np.asarray(store.vectors[rows] / np.where(norms > 0, norms, 1)[:, None], np.float32)


def _nearest_of(store: EmbeddingStore, queries: Float32s, count: int, eligible: Bools) -> NearestRows:
    best = NearestRows(
        np.full((len(queries), count), ABSENT, np.int64), np.full((len(queries), count), NOWHERE, np.float32)
    )
    for start in range(0, store.about.words, BLOCK):
        block = slice(start, min(start + BLOCK, store.about.words))
        similar = queries @ unit_vectors(store, block).T
        similar[:, ~eligible[block]] = NOWHERE
        best = _merged(best, similar, start, count)
    return best


def _merged(best: NearestRows, similar: Float32s, start: int, count: int) -> NearestRows:
    """Put the similarities of a block among the best so far; rows of the block are later, so ties stay behind."""
    floor = best.similarities[:, -1]
    if similar.shape[1] > count:
        least = np.partition(similar, -count, axis=1)[:, -count]
        is_near = (similar > floor[:, None]) & (similar >= least[:, None])
    else:
        is_near = similar > floor[:, None]
    queries, columns = np.nonzero(is_near)
    numbers = np.concatenate([np.repeat(np.arange(len(floor)), count), queries])
    values = np.concatenate([best.similarities.ravel(), similar[queries, columns]])
    rows = np.concatenate([best.rows.ravel(), columns + start])
    order = np.lexsort((rows, -values, numbers))
    counts = np.bincount(numbers, minlength=len(floor))
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    chosen = order[(firsts[:, None] + np.arange(count)).ravel()]
    shape = (len(floor), count)
    return NearestRows(rows[chosen].reshape(shape), values[chosen].reshape(shape))
