"""A table of candidates: a file of rows and one of their neighbours, mapped into memory."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.private_training.embeddings.store import ABSENT

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
