"""Extension lengths: how far a suffix can be followed before fewer than k share it.

For each rank as right end, the shortest window of neighbouring suffixes that holds k units (people, documents) or k
suffixes gives a length: the least shared prefix inside. The extension length of a rank is the largest length of any
window that holds it, or that is stretched to it at the cost of the shared prefixes in between. One pass each way
spreads the lengths so. It is exact, since every window with k units around a rank contains a shortest one, and
stretching that one to the rank costs the prefixes in between and nothing else. The index ranges of Matsubara and
Hasida, Algorithm 1, are one too long; this is their length with k suffixes, and k units instead of k suffixes.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled, inlined, prefetch

# The least value of a window that only moves forward.


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
    # An earlier value that is not smaller can never be the minimum again.
    while tail > head and lows[(tail - 1) & mask] >= low:
        tail -= 1
    ranks[tail & mask] = rank
    lows[tail & mask] = low
    return np.int64(tail + 1)


@inlined
def drop_before(ranks: Int64s, head: Int, first: Int) -> np.int64:
    """Publish every value before rank ``first``; return the new head, whose value is the window's least."""
    mask = len(ranks) - 1
    while ranks[head & mask] < first:
        head += 1
    return np.int64(head)


AHEAD = 16


@compiled
def followed_by_units(shared: UInt16s, units: Int32s, k: int, number: int, cap: int) -> UInt16s:
    """Return by rank the lengths of k distinct units of ``number`` in all, spread to the right only."""
    n = len(shared)
    lengths = np.zeros(n, np.uint16)
    inside = np.zeros(number, np.int32)
    size = ring_size(cap)
    ranks, lows = np.empty(size, np.int64), np.empty(size, np.uint16)
    first = distinct = np.int64(0)
    head = tail = np.int64(0)
    spread = np.uint16(0)
    for rank in range(n):
        if rank + AHEAD < n:
            prefetch(inside, np.int64(units[rank + AHEAD]))
        low = shared[rank]
        # No window crosses a place where nothing is shared, so counting begins again there.
        if low == 0:
            while first < rank:
                inside[units[first]] = 0
                first += 1
            distinct = head = tail = np.int64(0)
        unit = units[rank]
        if inside[unit] == 0:
            distinct += 1
        inside[unit] += 1
        tail = push_value(ranks, lows, head, tail, rank, low)
        # The window shrinks from the left as long as k units remain: only shortest windows give lengths.
        while distinct >= k and (distinct > k or inside[units[first]] > 1):
            inside[units[first]] -= 1
            if inside[units[first]] == 0:
                distinct -= 1
            first += 1
        spread = min(spread, low)
        if distinct >= k:
            head = drop_before(ranks, head, first + 1)
            spread = max(spread, lows[head & (size - 1)])
        lengths[rank] = spread
    return lengths


@compiled
def followed_by_occurrences(shared: UInt16s, k: int, cap: int) -> UInt16s:
    """Return by rank the lengths of k suffixes, spread to the right only."""
    n = len(shared)
    lengths = np.zeros(n, np.uint16)
    size = ring_size(cap)
    ranks, lows = np.empty(size, np.int64), np.empty(size, np.uint16)
    head = tail = np.int64(0)
    spread = np.uint16(0)
    for rank in range(1, n):
        tail = push_value(ranks, lows, head, tail, rank, shared[rank])
        spread = min(spread, shared[rank])
        if rank >= k - 1:
            head = drop_before(ranks, head, rank - k + 2)
            spread = max(spread, lows[head & (size - 1)])
        lengths[rank] = spread
    return lengths


@compiled
def place_extensions(lengths: UInt16s, shared: UInt16s, suffixes: Int32s, placed: UInt16s) -> None:
    """Spread lengths to the left as well, and write them by position in the text where they are the longer ones."""
    spread = low = np.uint16(0)
    for rank in range(len(suffixes) - 1, -1, -1):
        spread = max(min(spread, low), lengths[rank])
        placed[suffixes[rank]] = max(placed[suffixes[rank]], spread)
        low = shared[rank]
