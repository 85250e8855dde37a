"""The least value of a window that only moves forward."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled, inlined


@compiled
def ring_size(cap: int) -> int:
    """Return a power of two that holds a window's candidates: they increase and none is above ``cap``."""
    size = 2
    while size < cap + 2:
        size *= 2
    return size


@inlined
def push_value(ranks: Int64s, lows: UInt16s, head: Int, tail: Int, rank: Int, low: np.uint16) -> np.int64:
    """Let a value in at the right and drop those it makes irrelevant; return the new tail of the ring."""
    mask = len(ranks) - 1
    while tail > head and lows[(tail - 1) & mask] >= low:
        tail -= 1
    ranks[tail & mask] = rank
    lows[tail & mask] = low
    return np.int64(tail + 1)


@inlined
def drop_before(ranks: Int64s, head: Int, first: Int) -> np.int64:
    """Let out every value before rank ``first``; return the new head, whose value is the window's least."""
    mask = len(ranks) - 1
    while ranks[head & mask] < first:
        head += 1
    return np.int64(head)
