"""Polynomial hashes modulo 2^61 - 1, two of them, and the passes that count by them.

With bases drawn at random, two different strings of at most n bytes have equal hashes with a probability of at most
(n / 2^61)^2 (Carter and Wegman). Nothing here sorts suffixes.
"""

import numpy as np
from numpy.typing import NDArray

from spark_deid.text.kernels.compilation import Int, compiled

U = np.uint64
PRIME = (1 << 61) - 1
_PRIME = U(PRIME)
_LOW31, _LOW30 = U((1 << 31) - 1), U((1 << 30) - 1)


@compiled
def _reduce(x: np.uint64) -> np.uint64:
    x = (x & _PRIME) + (x >> U(61))
    return x - _PRIME if x >= _PRIME else x


@compiled
def _times(a: np.uint64, b: np.uint64) -> np.uint64:
    """Multiply modulo 2^61 - 1, both below it, without a product of 128 bits."""
    high_a, low_a = a >> U(31), a & _LOW31
    high_b, low_b = b >> U(31), b & _LOW31
    middle = low_a * high_b + high_a * low_b
    return _reduce(high_a * high_b * U(2) + (middle >> U(30)) + ((middle & _LOW30) << U(31)) + low_a * low_b)


@compiled
def _minus(a: np.uint64, b: np.uint64) -> np.uint64:
    return a - b if a >= b else a + _PRIME - b


@compiled
def prefixes(data: NDArray[np.uint8], base: np.uint64) -> NDArray[np.uint64]:
    """Return the hash of every prefix, the empty one first."""
    hashes = np.zeros(len(data) + 1, np.uint64)
    for i in range(len(data)):
        hashes[i + 1] = _reduce(_times(hashes[i], base) + U(data[i]) + U(1))
    return hashes


@compiled
def power(base: np.uint64, exponent: Int) -> np.uint64:
    """Return a power modulo 2^61 - 1."""
    result = U(1)
    for _ in range(exponent):
        result = _times(result, base)
    return result


@compiled
def between(hashes: NDArray[np.uint64], start: Int, end: Int, shift: np.uint64) -> np.uint64:
    """Return the hash of ``data[start:end]``; ``shift`` is the base to the power of its length."""
    return _minus(hashes[end], _times(hashes[start], shift))


@compiled
def hash_pieces(data: NDArray[np.uint8], bounds: NDArray[np.int64], base: np.uint64) -> NDArray[np.uint64]:
    """Return the hash of every piece."""
    result = np.zeros(len(bounds) - 1, np.uint64)
    for piece in range(len(bounds) - 1):
        state = U(0)
        for i in range(bounds[piece], bounds[piece + 1]):
            state = _reduce(_times(state, base) + U(data[i]) + U(1))
        result[piece] = state
    return result


@compiled
def fill_slots(first: NDArray[np.uint64], runs: NDArray[np.int64], slots: NDArray[np.int32]) -> None:
    """Put the numbers of some runs into a hash table, the number of whose slots is a power of two; -1 is free."""
    mask = len(slots) - 1
    for run in runs:
        slot = np.int64(first[run] & U(mask))
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = run


@compiled
def find(
    slots: NDArray[np.int32], keys: NDArray[np.uint64], found: np.uint64, second: NDArray[np.uint64], also: np.uint64
) -> np.int64:
    """Return the run of these two hashes, or -1; ``keys`` are first hashes, ``second`` the others."""
    mask = len(slots) - 1
    slot = np.int64(found & U(mask))
    while slots[slot] >= 0:
        run = np.int64(slots[slot])
        if keys[run] == found and second[run] == also:
            return run
        slot = (slot + 1) & mask
    return np.int64(-1)


@compiled
def count_length(
    length: Int,
    hashes: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    shifts: tuple[np.uint64, np.uint64],
    bounds: NDArray[np.int64],
    owners: NDArray[np.int64],
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    slots: NDArray[np.int32],
    counts: NDArray[np.int32],
    last: NDArray[np.int64],
    most: Int,
) -> None:
    """Count the runs of one length in every piece, up to ``most``; pieces of one owner are neighbours and count once.

    An owner below 0 counts every place by itself. ``slots`` is the table of this length.
    """
    mask = U(len(slots) - 1)
    for piece in range(len(owners)):
        owner = owners[piece]
        for start in range(bounds[piece], bounds[piece + 1] - length + 1):
            found = between(hashes[0], start, start + length, shifts[0])
            if slots[np.int64(found & mask)] < 0:
                continue
            also = between(hashes[1], start, start + length, shifts[1])
            run = find(slots, first, found, second, also)
            if run >= 0 and counts[run] < most and (owner < 0 or last[run] != owner):
                counts[run] += 1
                last[run] = owner
