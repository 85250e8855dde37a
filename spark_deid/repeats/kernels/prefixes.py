"""What neighbours in the sorted list of suffixes share."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import compiled, inlined, prefetch
from spark_deid.repeats.kernels.loading import WORD, byte_of_lowest_bit, differing_or_mark, load

AHEAD = 24


@inlined
def _shared(text: UInt8s, one: np.int64, other: np.int64, cap: np.int64) -> np.int64:
    length = np.int64(0)
    while length < cap:
        # Eight bytes at once: the lowest bit set is in the first byte that differs or is a mark.
        found = differing_or_mark(load(text, one + length), load(text, other + length))
        if found != np.uint64(0):
            length += byte_of_lowest_bit(found)
            break
        length += WORD
    return min(length, cap)


@compiled
def fill_shared(text: UInt8s, suffixes: Int32s, cap: int, begin: int, end: int, shared: UInt16s) -> None:
    """Write for each suffix from ``begin`` to ``end`` how many bytes it shares with the one before it.

    That is up to ``cap``, and to the next mark; 0 for the first of all. ``text`` is padded by marks for a whole load.
    Comparing eight bytes at a time from memory that was asked for in advance beats Kasai's algorithm, which reads as
    many places in random order and can't know them in advance.
    """
    n = len(suffixes)
    for rank in range(begin, end):
        if rank + AHEAD < n:
            # Suffixes are read in an order without pattern, so the processor cannot predict them.
            prefetch(text, np.int64(suffixes[rank + AHEAD]))
        if rank:
            shared[rank] = _shared(text, np.int64(suffixes[rank - 1]), np.int64(suffixes[rank]), np.int64(cap))


@compiled
def fill_shared_and_units(
    text: UInt8s, suffixes: Int32s, unit_of: Int32s, cap: int, begin: int, end: int, shared: UInt16s, units: Int32s
) -> None:
    """Write what ``fill_shared`` does, and the unit in which each suffix begins, in one pass."""
    n = len(suffixes)
    for rank in range(begin, end):
        if rank + AHEAD < n:
            ahead = np.int64(suffixes[rank + AHEAD])
            prefetch(text, ahead)
            prefetch(unit_of, ahead)
        if rank:
            shared[rank] = _shared(text, np.int64(suffixes[rank - 1]), np.int64(suffixes[rank]), np.int64(cap))
        units[rank] = unit_of[suffixes[rank]]
