"""Merge the leaves of several shards: equal edges add their counts."""

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.kernels.trie import KNOWN, Leaves
from spark_deid.text.kernels.compilation import Int, compiled

ONE, OTHER, BOTH = 0, 1, 2


def merge(one: Leaves, other: Leaves, most: int) -> tuple[Leaves, NDArray[np.int32], NDArray[np.int32]]:
    """Merge two sorted lists of leaves; return them and, for each leaf of either, its number among the merged.

    Associative and commutative in what it counts, so any tree of merges gives the same.
    """
    sides, shared = order(one.shared, one.lengths, one.bytes, other.shared, other.lengths, other.bytes)
    lengths, symbols, counts = join_edges(sides, shared, *one, *other, most)
    numbers = np.arange(len(sides), dtype=np.int32)
    return Leaves(shared, lengths, symbols, counts), numbers[sides != OTHER], numbers[sides != ONE]


@compiled
def _read(
    shared: NDArray[np.uint16],
    lengths: NDArray[np.uint16],
    symbols: NDArray[np.uint8],
    leaf: Int,
    edge: Int,
    path: NDArray[np.uint8],
) -> np.int64:
    """Write what a leaf does not share with the one before to ``path``; return the edge after its own."""
    for d in range(np.int64(shared[leaf]), np.int64(lengths[leaf])):
        path[d] = symbols[edge]
        edge += 1
    return np.int64(edge)


@compiled
def _compare(
    one: NDArray[np.uint8], size: Int, other: NDArray[np.uint8], other_size: Int, begin: Int
) -> tuple[np.int64, np.int64]:
    """Return which of two strings is first, and how much they share; what ends first is last."""
    i = np.int64(begin)
    while i < size and i < other_size and one[i] == other[i]:
        i += 1
    if i == size and i == other_size:
        return np.int64(BOTH), i
    if i == other_size or (i < size and one[i] < other[i]):
        return np.int64(ONE), i
    return np.int64(OTHER), i


@compiled
def order(
    one_shared: NDArray[np.uint16],
    one_lengths: NDArray[np.uint16],
    one_bytes: NDArray[np.uint8],
    other_shared: NDArray[np.uint16],
    other_lengths: NDArray[np.uint16],
    other_bytes: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return from which list each merged leaf comes, and what it shares with the merged leaf before.

    Of two strings above a third, the one that shares more with it is the smaller, so bytes are compared only where
    both share as much, and from there on.
    """
    most = len(one_shared) + len(other_shared)
    sides, shared = np.empty(most, np.uint8), np.empty(most, np.uint16)
    path, other_path = np.empty(1 << 16, np.uint8), np.empty(1 << 16, np.uint8)
    i = j = merged = edge = other_edge = np.int64(0)
    low = other_low = np.int64(0)
    if len(one_shared):
        edge = _read(one_shared, one_lengths, one_bytes, 0, 0, path)
    if len(other_shared):
        other_edge = _read(other_shared, other_lengths, other_bytes, 0, 0, other_path)
    while i < len(one_shared) or j < len(other_shared):
        if j == len(other_shared) or (i < len(one_shared) and low > other_low):
            side, common = np.int64(ONE), low
        elif i == len(one_shared) or other_low > low:
            side, common = np.int64(OTHER), other_low
        else:
            common = low
            side, same = _compare(path, np.int64(one_lengths[i]), other_path, np.int64(other_lengths[j]), common)
            low = other_low = same
        sides[merged], shared[merged] = side, common
        merged += 1
        if side != OTHER:
            i += 1
            if i < len(one_shared):
                edge = _read(one_shared, one_lengths, one_bytes, i, edge, path)
                low = np.int64(one_shared[i])
        if side != ONE:
            j += 1
            if j < len(other_shared):
                other_edge = _read(other_shared, other_lengths, other_bytes, j, other_edge, other_path)
                other_low = np.int64(other_shared[j])
    return sides[:merged].copy(), shared[:merged].copy()


@compiled
def join_edges(
    sides: NDArray[np.uint8],
    shared: NDArray[np.uint16],
    one_shared: NDArray[np.uint16],
    one_lengths: NDArray[np.uint16],
    one_bytes: NDArray[np.uint8],
    one_counts: NDArray[np.uint8],
    other_shared: NDArray[np.uint16],
    other_lengths: NDArray[np.uint16],
    other_bytes: NDArray[np.uint8],
    other_counts: NDArray[np.uint8],
    most: int,
) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the merged leaves' lengths, bytes and counts."""
    lengths = np.empty(len(sides), np.uint16)
    symbols = np.empty(len(one_bytes) + len(other_bytes), np.uint8)
    counts = np.empty(len(symbols), np.uint8)
    edge_at = np.empty(1 << 16, np.int64)
    i = j = edge = other_edge = edges = np.int64(0)
    for leaf in range(len(sides)):
        known = np.int64(shared[leaf])
        if sides[leaf] != OTHER:
            edges = _add_leaf(
                known, one_shared[i], one_lengths[i], one_bytes, one_counts, edge, edges, edge_at, symbols, counts, most
            )
            edge += np.int64(one_lengths[i]) - np.int64(one_shared[i])
            lengths[leaf] = one_lengths[i]
            known = np.int64(one_lengths[i])
            i += 1
        if sides[leaf] != ONE:
            edges = _add_leaf(
                known,
                other_shared[j],
                other_lengths[j],
                other_bytes,
                other_counts,
                other_edge,
                edges,
                edge_at,
                symbols,
                counts,
                most,
            )
            other_edge += np.int64(other_lengths[j]) - np.int64(other_shared[j])
            lengths[leaf] = other_lengths[j]
            j += 1
    return lengths, symbols[:edges].copy(), counts[:edges].copy()


@compiled
def _add_leaf(
    known: Int,
    low: np.uint16,
    high: np.uint16,
    bytes_in: NDArray[np.uint8],
    counts_in: NDArray[np.uint8],
    edge: Int,
    edges: Int,
    edge_at: NDArray[np.int64],
    symbols: NDArray[np.uint8],
    counts: NDArray[np.uint8],
    most: Int,
) -> np.int64:
    """Add a leaf's edges: to those that are there down to depth ``known``, and as new ones below."""
    for depth in range(np.int64(low) + 1, np.int64(high) + 1):
        count = np.int64(counts_in[edge])
        if depth <= known:
            at = edge_at[depth]
            if counts[at] != KNOWN:
                counts[at] = min(np.int64(counts[at]) + count, most)
        else:
            symbols[edges], counts[edges] = bytes_in[edge], count
            edge_at[depth] = edges
            edges += 1
        edge += 1
    return np.int64(edges)


@compiled
def answers(
    shared: NDArray[np.uint16], lengths: NDArray[np.uint16], counts: NDArray[np.uint8], k: int
) -> NDArray[np.uint16]:
    """Return for each leaf the greatest depth down to which k units share it."""
    reached = np.empty(len(shared), np.uint16)
    on_path = np.zeros(1 << 16, np.uint8)
    edge = depth = np.int64(0)
    for leaf in range(len(shared)):
        for d in range(np.int64(shared[leaf]) + 1, np.int64(lengths[leaf]) + 1):
            on_path[d] = counts[edge]
            edge += 1
        depth = min(depth, np.int64(shared[leaf]))
        while depth < lengths[leaf] and on_path[depth + 1] >= k:
            depth += 1
        reached[leaf] = depth
    return reached


@compiled
def settle(
    answered: NDArray[np.uint16],
    leaf_of: NDArray[np.int32],
    suffixes: NDArray[np.int32],
    shared: NDArray[np.uint16],
    units: NDArray[np.int32],
    placed: NDArray[np.uint16],
    high: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.int32]]:
    """Write the leaves' answers to ``placed``, and return the suffixes that may be followed beyond ``high``."""
    active = 0
    for rank in range(len(suffixes)):
        placed[suffixes[rank]] = answered[leaf_of[rank]]
        active += answered[leaf_of[rank]] >= high
    left, low_of, unit_of = np.empty(active, np.int32), np.empty(active, np.uint16), units[:0].copy()
    if len(units):
        unit_of = np.empty(active, np.int32)
    at = 0
    low = np.uint16(0xFFFF)
    for rank in range(len(suffixes)):
        low = min(low, shared[rank])
        if answered[leaf_of[rank]] >= high:
            left[at], low_of[at] = suffixes[rank], low
            if len(units):
                unit_of[at] = units[rank]
            at += 1
            low = np.uint16(0xFFFF)
    return left, low_of, unit_of
