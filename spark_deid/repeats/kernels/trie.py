"""The trie of a shard's suffixes, between two depths, as sorted leaves with counts on their edges.

A leaf is a distinct prefix, cut at the greater depth; leaves are in order, a string before what it begins with. An
edge is one byte at one depth that the leaf before does not share; it carries how many units are below it, up to k, or
KNOWN where an earlier round counted it. Since shards own whole units, counts of equal edges add up over shards.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.kernels.loading import WORD, byte_of_lowest_bit, differing_or_mark, load
from spark_deid.repeats.kernels.marks import APART, is_mark
from spark_deid.text.kernels.compilation import Int, compiled

KNOWN = 255
"""An edge that is known to reach k."""
KEY_BYTES = 3
"""How many bytes decide in which range a leaf is; edges down to fewer may be in several ranges."""


class Leaves(NamedTuple):
    """Leaves of one range or of all: bytes shared with the leaf before, length, and the edges of the rest in order."""

    shared: NDArray[np.uint16]
    lengths: NDArray[np.uint16]
    bytes: NDArray[np.uint8]
    counts: NDArray[np.uint8]


@compiled
def range_key(data: NDArray[np.uint8], place: Int) -> np.int64:
    """Return the first three bytes as a number, the highest bytes where the text ends before."""
    key = np.int64(0)
    ended = False
    for i in range(place, place + KEY_BYTES):
        ended = ended or is_mark(data[i])
        key = (key << 8) | (APART if ended else np.int64(data[i]))
    return key


@compiled
def lengths_to(data: NDArray[np.uint8], suffixes: NDArray[np.int32], low: int, high: int) -> NDArray[np.uint16]:
    """Return how long each suffix is, up to ``high`` bytes; all have ``low`` at least."""
    lengths = np.empty(len(suffixes), np.uint16)
    for rank in range(len(suffixes)):
        length = np.int64(low)
        while length < high:
            word = load(data, np.int64(suffixes[rank]) + length)
            found = differing_or_mark(word, word)
            if found != np.uint64(0):
                length += byte_of_lowest_bit(found)
                break
            length += WORD
        lengths[rank] = length if length < high else high
    return lengths


@compiled
def find_leaves(
    data: NDArray[np.uint8],
    suffixes: NDArray[np.int32],
    shared: NDArray[np.uint16],
    lengths: NDArray[np.uint16],
    splitters: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.int64]]:
    """Return the leaf of each suffix, what each leaf shares with the one before, and each range's first leaf.

    Nothing is shared over the begin of a range, so that ranges can be read by themselves.
    """
    leaf_of = np.empty(len(suffixes), np.int32)
    common = np.empty(len(suffixes), np.uint16)
    begins = np.zeros(len(splitters) + 2, np.int64)
    leaf = here = 0
    for rank in range(len(suffixes)):
        length = lengths[rank]
        low = min(shared[rank], length) if rank else np.uint16(0)
        if rank == 0 or low < length or length != lengths[rank - 1]:
            if low < KEY_BYTES:
                key = range_key(data, np.int64(suffixes[rank]))
                while here < len(splitters) and key >= splitters[here]:
                    here += 1
                    begins[here] = leaf
                    low = np.uint16(0)
            common[leaf] = low
            leaf += 1
        leaf_of[rank] = leaf - 1
    begins[here + 1 :] = leaf
    return leaf_of, common[:leaf].copy(), begins


@compiled
def count_edges(
    data: NDArray[np.uint8],
    suffixes: NDArray[np.int32],
    units: NDArray[np.int32],
    leaf_of: NDArray[np.int32],
    common: NDArray[np.uint16],
    lengths: NDArray[np.uint16],
    number: int,
    low: int,
    high: int,
    most: int,
) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the leaves' lengths and their edges; ``units`` is empty where every suffix counts for itself.

    A suffix counts one at its leaf, and takes one back at the deepest node that its unit was counted at before; a
    node's count is known when it is left, and goes on to the node above.
    """
    leaves = len(common)
    ends = np.zeros(leaves, np.uint16)
    for rank in range(len(suffixes)):
        ends[leaf_of[rank]] = lengths[rank]
    total = (ends.astype(np.int64) - common).sum()
    symbols, counts = np.empty(total, np.uint8), np.full(total, KNOWN, np.uint8)
    last = np.full(number, -1, np.int64)
    opened, edge_at = np.zeros(high + 1, np.int64), np.zeros(high + 1, np.int64)
    sums = np.zeros(high + 1, np.int64)
    edges = depth = np.int64(0)
    for rank in range(len(suffixes)):
        leaf = leaf_of[rank]
        if rank == 0 or leaf != leaf_of[rank - 1]:
            _leave(depth, np.int64(common[leaf]), low, most, sums, edge_at, counts)
            depth = np.int64(ends[leaf])
            for d in range(np.int64(common[leaf]) + 1, depth + 1):
                symbols[edges] = data[suffixes[rank] + d - 1]
                edge_at[d] = edges
                opened[d] = rank
                edges += 1
        sums[depth] += 1
        if len(units):
            before = last[units[rank]]
            if before >= 0:
                sums[_deepest(opened, depth, before)] -= 1
            last[units[rank]] = rank
    _leave(depth, np.int64(0), low, most, sums, edge_at, counts)
    return ends, symbols, counts


@compiled
def _leave(
    depth: Int,
    until: Int,
    low: Int,
    most: Int,
    sums: NDArray[np.int64],
    edge_at: NDArray[np.int64],
    counts: NDArray[np.uint8],
) -> None:
    for d in range(depth, until, -1):
        if d > low:
            counts[edge_at[d]] = min(sums[d], most)
        sums[d - 1] += sums[d]
        sums[d] = 0


@compiled
def _deepest(opened: NDArray[np.int64], depth: Int, before: Int) -> np.int64:
    """Return the deepest node on the path that was there at rank ``before``."""
    low, high = np.int64(0), np.int64(depth)
    while low < high:
        middle = (low + high + 1) >> 1
        if opened[middle] <= before:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def short_counts(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], units: NDArray[np.int32], number: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count units by single bytes and by pairs; each place by itself where ``number`` is 0.

    Documents of one unit must be neighbours.
    """
    ones, twos = np.zeros(256, np.int64), np.zeros(65536, np.int64)
    last_one, last_two = np.full(256, -1, np.int64), np.full(65536, -1, np.int64)
    for document in range(len(units)):
        unit = np.int64(units[document])
        for place in range(bounds[document], bounds[document + 1]):
            if is_mark(data[place]):
                continue
            one = np.int64(data[place])
            if number == 0 or last_one[one] != unit:
                last_one[one] = unit
                ones[one] += 1
            if is_mark(data[place + 1]):
                continue
            two = one * 256 + np.int64(data[place + 1])
            if number == 0 or last_two[two] != unit:
                last_two[two] = unit
                twos[two] += 1
    return ones, twos


@compiled
def settle_short(
    data: NDArray[np.uint8],
    lengths: NDArray[np.uint16],
    ones: NDArray[np.int64],
    twos: NDArray[np.int64],
    k: int,
    cap: int,
) -> None:
    """Take lengths below KEY_BYTES from the counts of all shards, since ranges may share the edges above them."""
    for place in range(len(lengths)):
        if lengths[place] >= KEY_BYTES or is_mark(data[place]):
            continue
        one = np.int64(data[place])
        length = 0
        if ones[one] >= k:
            length = 1
            if not is_mark(data[place + 1]) and twos[one * 256 + np.int64(data[place + 1])] >= k:
                length = 2
        lengths[place] = min(length, cap)
