"""The distinct runs of a release, and how many units show each."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.recount.kernels import PRIME, count_length, fill_slots, hash_pieces, power, prefixes

U = np.uint64
CHUNK = 4_000_000
"""Bytes that are hashed at a time, to stay near the processor."""


class Salt(NamedTuple):
    """The bases of the two hashes; drawn anew for each recount, so that nobody can prepare two strings of one hash."""

    first: int
    second: int


def draw_salt() -> Salt:
    """Draw the bases of a recount."""
    return Salt(secrets.randbelow(PRIME - 1000) + 500, secrets.randbelow(PRIME - 1000) + 500)


class Runs(NamedTuple):
    """Runs by their two hashes and their length in bytes."""

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    lengths: NDArray[np.int32]

    def __reduce__(self) -> tuple[Callable[..., "Runs"], tuple[bytes, ...]]:
        """Travel as bytes: Spark's encrypted broadcasts refuse large arrays."""
        return _arrived, (self.first.tobytes(), self.second.tobytes(), self.lengths.tobytes())


def _arrived(first: bytes, second: bytes, lengths: bytes) -> Runs:
    # Copies, since compiled code takes what can be written to.
    one, other = (np.frombuffer(part, np.uint64).copy() for part in (first, second))
    return Runs(one, other, np.frombuffer(lengths, np.int32).copy())


def hash_runs(runs: Sequence[str], salt: Salt) -> Runs:
    """Hash runs in UTF-8."""
    data, bounds = _joined(runs)
    first, second = (hash_pieces(data, bounds, U(base)) for base in salt)
    return Runs(first, second, np.diff(bounds).astype(np.int32))


class Table:
    """Counts of distinct runs; pieces are added in order of their owner."""

    def __init__(self, runs: Runs, salt: Salt, *, most: int) -> None:
        self._runs, self._salt, self._most = runs, salt, most
        self._by_length = [(int(length), *self._slots(length)) for length in np.unique(runs.lengths)]
        self.counts = np.zeros(len(runs.first), np.int32)
        self._last = np.full(len(runs.first), -1, np.int64)

    def add(self, pieces: Sequence[str], owners: Sequence[int]) -> None:
        """Count runs in pieces of text, up to ``most``; of one owner's pieces once, below 0 at every place."""
        begin = size = 0
        for end, piece in enumerate(pieces, 1):
            size += len(piece)
            if size >= CHUNK or end == len(pieces):
                self._add(pieces[begin:end], np.asarray(owners[begin:end], np.int64))
                begin, size = end, 0

    def _add(self, pieces: Sequence[str], owners: NDArray[np.int64]) -> None:
        data, bounds = _joined(pieces)
        hashes = (prefixes(data, U(self._salt.first)), prefixes(data, U(self._salt.second)))
        for length, shifts, slots in self._by_length:
            count_length(
                length,
                hashes,
                shifts,
                bounds,
                owners,
                self._runs.first,
                self._runs.second,
                slots,
                self.counts,
                self._last,
                self._most,
            )

    def _slots(self, length: int) -> tuple[tuple[np.uint64, np.uint64], NDArray[np.int32]]:
        members = np.flatnonzero(self._runs.lengths == length)
        size = 1 << (2 * len(members)).bit_length()
        slots = np.full(size, -1, np.int32)
        fill_slots(self._runs.first, members, slots)
        # What compiled code returns is a plain int, and would come back to it as a signed one.
        shifts = U(power(U(self._salt.first), length)), U(power(U(self._salt.second), length))
        return shifts, slots


def _joined(pieces: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    encoded = [piece.encode("utf-8", "surrogatepass") for piece in pieces]
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(piece) for piece in encoded], out=bounds[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), bounds
