"""The distinct runs of a release, and how many units show each."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.numerics.compilation import Int
from spark_deid.repeats.recount.hashing import powers
from spark_deid.repeats.recount.index import RunBeginnings, RunIndex, build_index, levels_of
from spark_deid.repeats.recount.kernels import count_pieces
from spark_deid.repeats.recount.pieces import TextPieces
from spark_deid.repeats.recount.runs import HashedRuns, HashSalt

U = np.uint64
WINDOW = 1 << 13
"""Places of a piece that are looked at together, so that their hashes stay near the processor."""
PATIENCE = 0.2


def in_order(runs: HashedRuns) -> HashedRuns:
    """Return runs in the order that a table needs: by head, then by length."""
    return runs.take(np.lexsort((runs.lengths, runs.heads)))


class RunTable:
    """Counts of distinct runs; pieces are added in order of their owner.

    Runs that have reached ``max_count`` are looked for no more, as soon as finding them has cost as much as leaving
    them out does: ``patience`` findings for each run that is looked for.
    """

    def __init__(
        self, runs: HashedRuns, salt: HashSalt, *, max_count: int, window: int = WINDOW, patience: float = PATIENCE
    ) -> None:
        self._max_count, self._window, self._patience = max_count, window, patience
        self._runs = RunBeginnings(runs.heads, runs.roots, runs.lengths, levels_of(runs.lengths))
        self._first = runs.first
        unowned = np.full(len(runs.first), U(2**64 - 1))
        self._records = np.stack([runs.first, runs.second, np.zeros(len(runs.first), np.uint64), unowned], axis=1)
        self._bases = salt.bases
        self._live = np.arange(len(runs.first), dtype=np.int32)
        self._index, self._left = self._build()
        longest = self._index.longest
        self._powers = powers(U(salt.first), longest), powers(U(salt.second), longest)

    @property
    def counts(self) -> Int32s:
        """Return how often each run was counted."""
        return self._records[:, 2].astype(np.int32)

    @property
    def looked_for(self) -> int:
        """Return how many runs are still looked for."""
        return len(self._live)

    def add(self, pieces: TextPieces, owners: Int64s) -> None:
        """Count runs in pieces of text, up to ``max_count``; of one owner's pieces once, below 0 at every place."""
        done = 0
        while done < len(owners) and len(self._live):
            done, self._left = count_pieces(
                pieces.data,
                (pieces.starts, pieces.ends, owners),
                done,
                self._bases,
                self._powers,
                self._index,
                self._records.reshape(-1),
                self._max_count,
                self._window,
                self._left,
            )
            if self._left < 0:
                self._live = self._live[self._records[self._live, 2] < self._max_count]
                self._index, self._left = self._build()

    def _build(self) -> tuple[RunIndex, Int]:
        """Index the runs that still count, and tell how often others may be found before they are left out."""
        index = build_index(self._live, self._runs, self._first, self._bases[2])
        return index, int(self._patience * len(self._live))
