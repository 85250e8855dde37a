"""Nearest neighbours by an index, most of them: HNSW (Malkov and Yashunin 2018) of the library voyager, an extra."""

import os
import uuid
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.neighbours import QUERIES, NearestRows, nearest, unit_vectors
from spark_deid.private_training.embeddings.store import EmbeddingStore

INSTALL = "an approximate index needs voyager, which is not installed: pip install 'spark-deid[approximate]'"
LINKS, BREADTH = 16, 200
"""Links of a word and layer, and words that are looked at for them while the index is built."""
WIDER = 2
"""Words that a search looks at, in those that it is to find."""
_SEED = 1
_BLOCK = 4096


def is_installed() -> bool:
    """Tell whether there is a library that builds indexes."""
    return find_spec("voyager") is not None


def build_index(store: EmbeddingStore, path: Path) -> None:
    """Write an index of the words that may be pseudonyms, by one thread: equal stores give equal indexes.

    Its owner alone can read it: it holds their vectors. Takes memory for all vectors, and 150 bytes a word. Raises
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
    """Return about the ``count`` nearest of each row's vector, as ``nearest`` does, by the index that lies at a path.

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
