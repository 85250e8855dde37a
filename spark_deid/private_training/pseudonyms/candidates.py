"""The words that may stand for a word: its nearest, without those that are passed over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.private_training.embeddings.neighbour_index import NearestRows, nearest
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.text.base_letters import same_letters

_SPARE = 16
_MORE = 4
_LEAST_HELD = 3
"""Letters of a word from which on it counts as held by another: shorter ones stand in any."""

NeighbourSearch = Callable[[EmbeddingStore, Int64s, int, Bools], NearestRows]
"""What finds so many nearest of the vectors of rows, among the rows that are eligible."""


class CandidateRows(NamedTuple):
    """The rows of words that may stand for each row, nearest first, ABSENT where there are fewer.

    ``subwords`` counts of each row the words that hold it, among as many nearest, whatever is passed over.
    """

    rows: Int32s
    subwords: Int64s


def candidates_of(
    store: EmbeddingStore,
    rows: Sequence[int] | Int64s,
    settings: NeighbourSettings,
    search: NeighbourSearch = nearest,
) -> CandidateRows:
    """Find the candidates of rows of a store; where many are passed over, it is looked further for these rows."""
    wanted = np.asarray(rows, np.int64)
    found = np.full((len(wanted), settings.neighbours), ABSENT, np.int32)
    subwords = np.zeros(len(wanted), np.int64)
    eligible = store.eligible()
    most = int(eligible.sum())
    lacking = np.arange(len(wanted))
    fetch = settings.neighbours * (2 if settings.passes_over_subwords else 1) + _SPARE
    while len(lacking):
        near = search(store, wanted[lacking], min(fetch, most), eligible)
        lacks = []
        for place, others, similar in zip(lacking.tolist(), near.rows, near.similarities, strict=True):
            kept, subwords[place] = _kept(store, int(wanted[place]), others, similar, settings)
            found[place, : len(kept)] = kept
            if len(kept) < settings.neighbours:
                lacks.append(place)
        lacking = np.array(lacks if fetch < most else [], np.int64)
        fetch *= _MORE
    return CandidateRows(found, subwords)


def _kept(
    store: EmbeddingStore, row: int, others: Int64s, similarities: "np.ndarray", settings: NeighbourSettings
) -> tuple[list[int], int]:
    """Return the candidates among near rows, and how many of as many nearest hold the word."""
    word = same_letters(store.word(row))
    itself = [row] if settings.include_self and store.extents[row] else []
    kept, seen, subwords = itself, 0, 0
    for other, similar in zip(others.tolist(), similarities.tolist(), strict=True):
        if other == ABSENT:
            break
        written = same_letters(store.word(other))
        if other == row or written == word:
            continue
        seen += 1
        subwords += seen <= settings.neighbours and bool(word) and word in written
        if len(kept) < settings.neighbours and not _is_passed_over(word, written, similar, settings):
            kept.append(other)
    return kept, subwords


def _is_passed_over(word: str, other: str, similar: float, settings: NeighbourSettings) -> bool:
    if 1 - similar < settings.least_distance:
        return True
    return settings.passes_over_subwords and (_holds(other, word) or _holds(word, other))


def _holds(word: str, part: str) -> bool:
    return len(part) >= _LEAST_HELD and part in word


# A table of candidates: a file of rows and one of their neighbours, mapped into memory.


ROWS, CANDIDATES, SUBWORDS = "rows.npy", "candidates.npy", "subwords.npy"
TABLE = "table"
"""The folder of the whole table, below that of its pieces."""

_TOGETHER = 1024


@dataclass(frozen=True, eq=False)
class NeighbourTable:
    """The candidates of rows of a store; rows are sorted."""

    folder: Path

    @cached_property
    def rows(self) -> Int64s:
        """Return the rows that the table knows."""
        return np.asarray(np.load(self.folder / ROWS, allow_pickle=False), np.int64)

    @cached_property
    def subwords(self) -> Int64s:
        """Return of each row how many of its nearest words hold it."""
        return np.asarray(np.load(self.folder / SUBWORDS, allow_pickle=False), np.int64)

    @cached_property
    def all_candidates(self) -> Int32s:
        """Return the candidates of all rows, ABSENT where there are fewer."""
        return np.asarray(np.load(self.folder / CANDIDATES, mmap_mode="r", allow_pickle=False), np.int32)

    def of(self, row: int) -> Int32s:
        """Return the candidates of a row, nearest first; none of a row that the table does not know."""
        place = int(self.rows.searchsorted(row))
        if place == len(self.rows) or self.rows[place] != row:
            return np.zeros(0, np.int32)
        found: Int32s = self.all_candidates[place]
        return found if found[-1] != ABSENT else found[: int((found != ABSENT).sum())]

    def ranks(self, rows: Int64s, others: Int64s) -> Int64s:
        """Return the places, from 1 on, of other rows among the candidates of rows, each of its own.

        0 where one is not among them, ABSENT where a row has no candidates.
        """
        found = np.full(len(rows), ABSENT, np.int64)
        places = np.minimum(self.rows.searchsorted(rows), max(len(self.rows) - 1, 0))
        known = np.flatnonzero(self.rows[places] == rows) if len(self.rows) else np.zeros(0, np.int64)
        for first in range(0, len(known), _TOGETHER):
            block = known[first : first + _TOGETHER]
            candidates = self.all_candidates[places[block]]
            is_same = candidates == others[block, None]
            ranks = np.where(is_same.any(axis=1), is_same.argmax(axis=1) + 1, 0)
            found[block] = np.where(candidates[:, 0] == ABSENT, ABSENT, ranks)
        return found


def write_table(folder: Path, rows: Int64s, candidates: Int32s | None, subwords: Int64s) -> None:
    """Write a table into a folder that is there; ``candidates`` are None where they lie in it already."""
    for name, values in ((ROWS, rows), (CANDIDATES, candidates), (SUBWORDS, subwords)):
        if values is not None:
            np.save(folder / name, values, allow_pickle=False)


@lru_cache(maxsize=8)
def open_table(folder: str) -> NeighbourTable:
    """Open a table, once a process."""
    return NeighbourTable(Path(folder))
