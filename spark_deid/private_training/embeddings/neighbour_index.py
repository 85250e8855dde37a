"""Nearest neighbours by an index, most of them: HNSW (Malkov and Yashunin 2018) of the library voyager, an extra."""

import os
import uuid
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import Float32s

# Nearest neighbours by cosine, exact, in blocks: memory is bounded whatever the sizes.


QUERIES = 256
"""Words that are checked together; always as many: products of other shapes differ in their last bit."""
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
    """Return vectors of length 1; one of zeros remains."""
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
    """Put the similarities of a block among the best so far; rows of the block are later, so ties remain behind."""
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


INSTALL = "an approximate index needs voyager, which is not installed: pip install 'spark-deid[approximate]'"
LINKS, BREADTH = 16, 200
"""Links of a word and layer, and words that are checked for them while the index is built."""
WIDER = 2
"""Words that a search looks at, in those that it is to find."""
_SEED = 1
_BLOCK = 4096


def is_installed() -> bool:
    """Return whether there is a library that builds indexes."""
    return find_spec("voyager") is not None


def build_index(store: EmbeddingStore, path: Path) -> None:
    """Write an index of the words that may be pseudonyms, by one thread: equal stores give equal indexes.

    Its owner only can read it: it holds their vectors. Takes memory for all vectors, and 150 bytes a word. Raises
    UsageError where the library is not installed.
    """
    voyager = _library()
    rows = np.flatnonzero(store.eligible())
    index = voyager.Index(
        voyager.Space.Cosine,
        num_dimensions=store.about.dimensions,
        M=LINKS,
        ef_construction=BREADTH,
        random_seed=_SEED,
        max_elements=max(len(rows), 1),
    )
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        index.add_items(unit_vectors(store, block), ids=block.tolist(), num_threads=1)
    for torn in path.parent.glob(f".{path.name}.*"):
        torn.unlink(missing_ok=True)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    partial.touch(mode=0o600)
    index.save(str(partial))
    partial.chmod(0o600)
    os.rename(partial, path)


def nearest_by_index(store: EmbeddingStore, rows: Int64s, count: int, eligible: Bools, *, path: str) -> NearestRows:
    """Return about the ``count`` nearest of each row's vector, as ``nearest`` does, by the index that is at a path.

    ``eligible`` are the rows that the index has. Words that the index reaches too few others from are searched exactly.
    """
    found = [
        _nearest_of_block(store, rows[first : first + QUERIES], count, eligible, path)
        for first in range(0, len(rows), QUERIES)
    ]
    if not found:
        return NearestRows(np.zeros((0, count), np.int64), np.zeros((0, count), np.float32))
    return NearestRows(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _nearest_of_block(store: EmbeddingStore, rows: Int64s, count: int, eligible: Bools, path: str) -> NearestRows:
    try:
        near, distances = _opened(path).query(unit_vectors(store, rows), k=count, num_threads=1, query_ef=WIDER * count)
    except _library().RecallError:
        return nearest(store, rows, count, eligible)
    places, similarities = near.astype(np.int64), np.asarray(1 - distances, np.float32)
    order = np.lexsort((places, -similarities), axis=1)
    return NearestRows(np.take_along_axis(places, order, 1), np.take_along_axis(similarities, order, 1))


@lru_cache(maxsize=1)
def _opened(path: str) -> Any:
    return _library().Index.load(path)


def _library() -> Any:
    try:
        import voyager
    except ImportError as missing:
        raise UsageError(INSTALL) from missing
    return voyager
