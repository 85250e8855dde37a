"""A table of candidates: a file of rows and one of their neighbours, mapped into memory."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from spark_deid.numerics.arrays import Int32s, Int64s
from spark_deid.representation.embeddings.store import ABSENT

ROWS, CANDIDATES, SUBWORDS = "rows.npy", "candidates.npy", "subwords.npy"
TABLE = "table"
"""The folder of the whole table, below that of its pieces."""


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
        place = int(np.searchsorted(self.rows, row))
        if place == len(self.rows) or self.rows[place] != row:
            return np.zeros(0, np.int32)
        found: Int32s = self.all_candidates[place]
        return np.asarray(found[found != ABSENT], np.int32)


def write_table(folder: Path, rows: Int64s, candidates: Int32s | None, subwords: Int64s) -> None:
    """Write a table into a folder that is there; ``candidates`` are None where they lie in it already."""
    for name, values in ((ROWS, rows), (CANDIDATES, candidates), (SUBWORDS, subwords)):
        if values is not None:
            np.save(folder / name, values, allow_pickle=False)


@lru_cache(maxsize=8)
def open_table(folder: str) -> NeighbourTable:
    """Open a table, once a process."""
    return NeighbourTable(Path(folder))
