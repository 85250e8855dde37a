"""Runs by their hashes, and how they travel: as bytes, in parts that are cut by hash."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import Int
from spark_deid.repeats.recount.hashing import PRIME, hash_pieces, powers
from spark_deid.repeats.recount.index import WIDTHS, RunBeginnings, RunIndex, build_index, levels_of
from spark_deid.repeats.recount.kernels import count_pieces
from spark_deid.repeats.recount.pieces import TextPieces

PARTS = 1 << 12
"""Runs are made distinct one part at a time."""
_SHIFT = np.uint64(64 - 12)
_PACKED = np.dtype([("first", "<u8"), ("second", "<u8"), ("heads", "<u8"), ("roots", "<u8"), ("lengths", "<i4")])


class HashSalt(NamedTuple):
    """The bases of the hashes; drawn again for each recount, so that no one can prepare two strings of one hash."""

    first: int
    second: int
    guide: int

    @property
    def bases(self) -> UInt64s:
        """Return the bases as compiled code takes them, and behind them what each byte is worth in the third hash."""
        values = mix_numbers(np.arange(1, 257, dtype=np.uint64) * np.uint64(self.guide))
        return np.concatenate([np.array(self, np.uint64), values])


def mix_numbers(numbers: UInt64s) -> UInt64s:
    """Return numbers of which every bit depends on all of the given ones', and no two are made equal (splitmix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def draw_salt() -> HashSalt:
    """Draw the bases of a recount."""
    first, second = (secrets.randbelow(PRIME - 1000) + 500 for _ in range(2))
    return HashSalt(first, second, secrets.randbits(63) * 2 + 1)


class HashedRuns(NamedTuple):
    """Runs by their two hashes, those of their beginnings, and their length in bytes."""

    first: UInt64s
    second: UInt64s
    heads: UInt64s
    roots: UInt64s
    lengths: Int32s

    def __reduce__(self) -> tuple[Callable[[bytes], "HashedRuns"], tuple[bytes]]:
        """Travel as bytes: Spark's encrypted broadcasts refuse large arrays."""
        return unpack_runs, (pack_runs(self).tobytes(),)

    def take(self, chosen: Int64s) -> "HashedRuns":
        """Return the runs of these numbers."""
        first, second, heads, roots = (column[chosen] for column in self[:4])
        return HashedRuns(first, second, heads, roots, self.lengths[chosen])


def hash_runs(pieces: TextPieces, salt: HashSalt) -> HashedRuns:
    """Hash pieces as runs, not one of them empty."""
    lengths = (pieces.ends - pieces.starts).astype(np.int32)
    widths = WIDTHS[levels_of(lengths)]
    return HashedRuns(*hash_pieces(pieces.data, pieces.starts, pieces.ends, widths, salt.bases), lengths)


def pack_runs(runs: HashedRuns) -> NDArray[np.void]:
    """Write runs as records of fixed size."""
    packed = np.empty(len(runs.first), _PACKED)
    for name, column in runs._asdict().items():
        packed[name] = column
    return packed


def unpack_runs(data: bytes) -> HashedRuns:
    """Read records; compiled code can write to the arrays."""
    packed = np.frombuffer(data, _PACKED)
    first, second, heads, roots = (packed[name].copy() for name in HashedRuns._fields[:4])
    return HashedRuns(first, second, heads, roots, packed["lengths"].copy())


def distinct_runs(runs: HashedRuns) -> HashedRuns:
    """Return one of each run, in an order that is as good as drawn."""
    order = np.argsort(mix_numbers(runs.first))
    same = runs.first[order[1:]] == runs.first[order[:-1]]
    differ = runs.second[order[1:]] != runs.second[order[:-1]]
    if np.any(same & differ):
        order = np.lexsort((runs.second, mix_numbers(runs.first)))
        same = runs.first[order[1:]] == runs.first[order[:-1]]
        differ = runs.second[order[1:]] != runs.second[order[:-1]]
    return runs.take(order[np.append(True, ~same | differ)[: len(order)]])


def in_parts(batches: Iterable[HashedRuns], gathered: int) -> Iterator[tuple[int, bytes]]:
    """Yield packed runs with the number of their part, distinct among that many that are gathered at a time."""
    waiting: list[HashedRuns] = []
    size = 0
    for runs in batches:
        waiting.append(runs)
        size += len(runs.first)
        if size >= gathered:
            yield from _split(waiting)
            waiting, size = [], 0
    yield from _split(waiting)


def _split(waiting: list[HashedRuns]) -> Iterator[tuple[int, bytes]]:
    runs = distinct_runs(unpack_runs(b"".join(pack_runs(some).tobytes() for some in waiting)))
    packed = pack_runs(runs)
    parts = (mix_numbers(runs.first) >> _SHIFT).astype(np.int64)
    borders = np.searchsorted(parts, np.arange(PARTS + 1))
    for part in np.flatnonzero(np.diff(borders)).tolist():
        yield part, packed[borders[part] : borders[part + 1]].tobytes()


def quota_of(max_runs: int) -> int:
    """Return how many runs of a part are kept, so that a part of at most ``max_runs`` runs in all is kept whole.

    Parts are cut by a random hash: that one has six standard deviations more than its share does not happen.
    """
    share = max_runs / PARTS
    return int(share + 6 * share**0.5) + 8


# The distinct runs of a release, and how many units show each.


U = np.uint64
WINDOW = 1 << 13
"""Places of a piece that are checked together, so that their hashes remain near the processor."""
PATIENCE = 0.2


def in_order(runs: HashedRuns) -> HashedRuns:
    """Return runs in the order that a table needs: by head, then by length."""
    return runs.take(np.lexsort((runs.lengths, runs.heads)))


class RunTable:
    """Counts of distinct runs; pieces are added in order of their owner.

    Runs that have reached ``max_count`` are searched for no more, as soon as finding them has cost as much as leaving
    them out does: ``patience`` findings for each run that is searched for.
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
        """Return how many runs are still searched for."""
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
        """Index the runs that still count, and state how often others may be found before they are omitted."""
        index = build_index(self._live, self._runs, self._first, self._bases[2])
        return index, int(self._patience * len(self._live))
