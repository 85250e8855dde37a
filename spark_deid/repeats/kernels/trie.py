"""The trie of a shard's suffixes, between two depths, as sorted leaves with counts on their edges.

A leaf is a distinct prefix, cut at the greater depth; leaves are in order, and what ends first is behind what goes on.
An edge is one byte at one depth that the leaf before does not share; it carries how many units are below it, up to k,
or KNOWN where an earlier round counted it. Since shards own whole units, counts of equal edges add up over shards.

Splitters cut the order of leaves into ranges. A node that a splitter begins with may have leaves on both sides of it,
so it is counted in the trie as a whole, and its counts go to both ranges as the splitter's path.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled, inlined, prefetch
from spark_deid.repeats.kernels.loading import WORD, byte_of_lowest_bit, differing_or_mark, load, store
from spark_deid.repeats.kernels.marks import EXCLUDED, is_mark

KNOWN = 255
"""An edge that is known to reach k."""
AHEAD = 20
LANES = 16


Depths = UInt8s | UInt16s


class RangeSplitters(NamedTuple):
    """Strings that begin a range each, one after another and in order; EXCLUDED stands for the end of a text."""

    data: UInt8s
    bounds: Int64s


class ShardTrie(NamedTuple):
    """All leaves of a shard.

    ``begins`` says of each suffix whether it begins a leaf. A leaf has ``shared`` bytes in common with the one before,
    ``lengths`` in all, and its other edges in ``symbols`` and ``counts``. Range r has leaves ``leaf_at[r]`` to
    ``leaf_at[r + 1]`` with edges from ``edge_at[r]`` on; ``paths`` counts the nodes of the splitters, byte by byte.
    """

    begins: Bools
    shared: Depths
    lengths: Depths
    symbols: UInt8s
    counts: UInt8s
    leaf_at: Int64s
    edge_at: Int64s
    paths: UInt8s


@inlined
def _length(data: UInt8s, place: np.int64, low: Int, high: Int) -> np.int64:
    """Return how long a suffix is, up to ``high`` bytes; it has ``low`` at least."""
    length = np.int64(low)
    while length < high:
        word = load(data, place + length)
        found = differing_or_mark(word, word)
        if found != np.uint64(0):
            length += byte_of_lowest_bit(found)
            break
        length += WORD
    return min(length, np.int64(high))


@compiled
def compare_suffix(data: UInt8s, place: Int, splitters: UInt8s, begin: Int, end: Int) -> tuple[np.int64, bool]:
    """Return how much a suffix shares with a splitter, and whether it is before it."""
    for i in range(end - begin):
        one, other = data[place + i], splitters[begin + i]
        if is_mark(one):
            return np.int64(i), False
        if one != other:
            return np.int64(i), bool(one < other)
    return np.int64(end - begin), False


@compiled
def find_cuts(data: UInt8s, suffixes: Int32s, splitters: UInt8s, bounds: Int64s) -> Int64s:
    """Return for each splitter the rank of the first suffix that is not before it."""
    cuts = np.empty(len(bounds) - 1, np.int64)
    for number in range(len(cuts)):
        low, high = np.int64(0), np.int64(len(suffixes))
        while low < high:
            middle = (low + high) >> 1
            _, is_before = compare_suffix(
                data, np.int64(suffixes[middle]), splitters, bounds[number], bounds[number + 1]
            )
            if is_before:
                low = middle + 1
            else:
                high = middle
        cuts[number] = low
    return cuts


@compiled
def build_trie(
    data: UInt8s,
    suffixes: Int32s,
    shared: UInt16s,
    units: Int32s,
    weights: Int64s,
    per_occurrence: bool,
    low: int,
    high: int,
    max_count: int,
    splitters: UInt8s,
    bounds: Int64s,
    narrow: Depths,
) -> ShardTrie:
    """Return the trie of sorted suffixes that have at least ``low`` bytes each, cut at ``high``.

    ``units`` and ``weights`` say for which unit a suffix counts, and how many units that is; without them every suffix
    is one. A suffix counts at its leaf, and takes back what its unit counted at the deepest node that it was counted at
    before, unless counts are ``per_occurrence``. A node's count is known when it is left, and goes on to the one above.
    Depths have the type of ``narrow``, which is empty.
    """
    size = len(suffixes)
    cuts = find_cuts(data, suffixes, splitters, bounds)
    begins = np.zeros(size, np.bool_)
    common, ends = np.empty(size, narrow.dtype), np.empty(size, narrow.dtype)
    # Memory that is not written to costs nothing, and to grow costs a copy.
    symbols, counts = np.empty(4 * size + 1024, np.uint8), np.empty(4 * size + 1024, np.uint8)
    leaf_at, edge_at = np.zeros(len(cuts) + 2, np.int64), np.zeros(len(cuts) + 2, np.int64)
    paths = np.full(len(splitters), -1, np.int64)
    # `last[u]` is the rank at which unit u was counted last. `opened[d]` is the
    # rank at which the node at depth d began.
    last = np.full(len(weights), -1, np.int32)
    opened, edge_of, sums = (
        np.zeros(high + 1 + LANES, np.int32),
        np.zeros(high + 1 + LANES, np.int64),
        np.zeros(high + 1, np.int64),
    )
    has_units = len(units) > 0
    leaves = edges = depth = np.int64(0)
    cut = 0
    for rank in range(size):
        if rank + AHEAD < size:
            if shared[rank + AHEAD] < high:
                prefetch(data, np.int64(suffixes[rank + AHEAD]) + low)
            if has_units:
                prefetch(last, np.int64(units[rank + AHEAD]))
        place = np.int64(suffixes[rank])
        same = np.int64(shared[rank]) if rank else np.int64(0)
        # What shares so much with the suffix before is as long as that, and need not be looked at.
        length = _length(data, place, low, high) if same < high else np.int64(high)
        same = min(same, length)
        if rank == 0 or same < length or length != depth:
            first = cut
            while cut < len(cuts) and cuts[cut] == rank:
                if rank:
                    _note(data, np.int64(suffixes[rank - 1]), depth, splitters, bounds, cut, edge_of, paths)
                cut += 1
                leaf_at[cut], edge_at[cut] = leaves, edges
            _leave(depth, same, low, max_count, sums, edge_of, counts)
            if edges + length - same + WORD > len(symbols):
                symbols, counts = _grown(symbols, length), _grown(counts, length)
            for at in range(0, length - same, WORD):
                store(symbols, edges + at, load(data, place + same + at))
            for d in range(same + 1, min(length, np.int64(low)) + 1):
                counts[edges + d - same - 1] = KNOWN
            for d in range(same + 1, length + 1):
                edge_of[d] = edges + d - same - 1
                opened[d] = rank
            edges += length - same
            depth = length
            begins[rank] = True
            common[leaves], ends[leaves] = same, length
            leaves += 1
            for number in range(first, cut):
                _note(data, place, depth, splitters, bounds, number, edge_of, paths)
        weight = weights[units[rank]] if has_units else np.int64(1)
        sums[depth] += weight
        if has_units and not per_occurrence:
            before = last[units[rank]]
            if before >= 0:
                # The unit counts once per node: at the deepest node that was open then, it counted already.
                sums[depth if before >= opened[depth] else _deepest(opened, depth, before)] -= weight
            last[units[rank]] = rank
    while cut < len(cuts):
        if size:
            _note(data, np.int64(suffixes[size - 1]), depth, splitters, bounds, cut, edge_of, paths)
        cut += 1
        leaf_at[cut], edge_at[cut] = leaves, edges
    leaf_at[cut + 1], edge_at[cut + 1] = leaves, edges
    _leave(depth, np.int64(0), low, max_count, sums, edge_of, counts)
    on_paths = np.zeros(len(paths), np.uint8)
    for i in range(len(paths)):
        if paths[i] >= 0:
            on_paths[i] = counts[paths[i]]
    return ShardTrie(
        begins, common[:leaves], ends[:leaves], symbols[:edges], counts[:edges], leaf_at, edge_at, on_paths
    )


@compiled
def _grown(array: UInt8s, length: Int) -> UInt8s:
    grown = np.empty(2 * len(array) + np.int64(length), np.uint8)
    grown[: len(array)] = array
    return grown


@compiled
def _note(
    data: UInt8s, place: Int, depth: Int, splitters: UInt8s, bounds: Int64s, number: Int, edge_of: Int64s, paths: Int64s
) -> None:
    """Note the edges of a splitter's nodes that are on the path of a leaf next to it.

    The last byte of a splitter makes no node with leaves on both sides.
    """
    begin, end = bounds[number], bounds[number + 1]
    same, _ = compare_suffix(data, place, splitters, begin, end)
    for d in range(1, min(same, depth, end - begin - 1) + 1):
        paths[begin + d - 1] = edge_of[d]


@inlined
def _leave(depth: Int, until: Int, low: Int, max_count: Int, sums: Int64s, edge_of: Int64s, counts: UInt8s) -> None:
    # A node's count is complete when the walk leaves its path, and all its units are units of the node above.
    for d in range(depth, until, -1):
        if d > low:
            counts[edge_of[d]] = min(sums[d], max_count)
        sums[d - 1] += sums[d]
        sums[d] = 0


@inlined
def _deepest(opened: Int32s, depth: np.int64, before: np.int32) -> np.int64:
    """Return the deepest node on the path that was there at rank ``before``."""
    low = np.int64(0)
    if depth < LANES:
        # Without a branch, and of a fixed length, so that it is one comparison of vectors.
        for d in range(1, LANES):
            low += (opened[d] <= before) & (d <= depth)
        return low
    high = depth
    while low < high:
        middle = (low + high + 1) >> 1
        if opened[middle] <= before:
            low = middle
        else:
            high = middle - 1
    return low


def splitters_of(strings: list[bytes]) -> RangeSplitters:
    """Write sorted strings as splitters."""
    bounds = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(string) for string in strings], out=bounds[1:])
    return RangeSplitters(np.frombuffer(b"".join(strings), np.uint8), bounds)


def prefix_at(data: UInt8s, place: int, length: int) -> bytes:
    """Return what a suffix begins with, as a splitter: up to the end of the text, for which EXCLUDED stands."""
    string = data[place : place + length]
    marks = np.flatnonzero(string >= EXCLUDED - 2)
    return string.tobytes() if not len(marks) else string[: marks[0]].tobytes() + bytes([EXCLUDED])
