"""Merge the leaves of several shards: equal edges add their counts.

A tree of losers (Knuth, volume 3, 5.4.1) keeps the shards' next leaves, each with what it shares with the leaf that was
merged last. Of two strings above a third, the one that shares more with it is the smaller, so bytes are compared only
where both share as much, and from there on (Bingmann, Eberle and Sanders, Engineering Parallel String Sorting, 2017).
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.repeats.kernels.loading import WORD, byte_of_lowest_bit, differing_or_mark, load
from spark_deid.repeats.kernels.marks import EXCLUDED
from spark_deid.repeats.kernels.trie import KNOWN, Depths

NOTHING = -1
"""What a shard shares whose leaves are all merged: less than any other."""


class LeafStreams(NamedTuple):
    """The leaves of one range: those of shard i from ``leaf_at[i]`` on, their edges from ``edge_at[i]`` on.

    Shards of one ``group`` (from 0 on; -1: none) hold one unit together, which counts once.
    """

    leaf_at: Int64s
    edge_at: Int64s
    groups: Int64s
    shared: Depths
    lengths: Depths
    symbols: UInt8s
    counts: UInt8s


class MergedLeaves(NamedTuple):
    """From which shard each next leaf comes, what it shares with the one before, and the counts of its other edges.

    ``path`` and ``edges`` are the bytes and edges of the last leaf.
    """

    order: UInt16s
    shared: Depths
    counts: UInt8s
    path: UInt8s
    edges: Int64s


@compiled
def _compare(paths: UInt8s, one: np.int64, other: np.int64, begin: np.int64) -> tuple[bool, np.int64]:
    """Return whether the string at ``one`` is not behind that at ``other``, and how much they share; marks end them."""
    i = np.int64(begin)
    found = differing_or_mark(load(paths, one + i), load(paths, other + i))
    while found == np.uint64(0):
        i += WORD
        found = differing_or_mark(load(paths, one + i), load(paths, other + i))
    i += byte_of_lowest_bit(found)
    return bool(paths[one + i] <= paths[other + i]), i


@compiled
def merge_leaves(streams: LeafStreams, high: int, max_count: int, groups: int) -> MergedLeaves:
    """Merge sorted leaves; counts stop at ``max_count``. Any order of the shards gives the same counts."""
    # A call with arrays costs as much as a leaf does, so all that is done for each leaf is written out here.
    leaf_at, edge_at, group_of, own_shared, lengths, symbols, own_counts = streams
    number, total = len(group_of), len(own_shared)
    order, shared = np.empty(total, np.uint16), np.empty(total, own_shared.dtype)
    counts = np.empty(len(own_counts), np.uint8)
    edge_of = np.zeros(high + 1, np.int64)
    credited = np.full((groups, high + 1), -1, np.int64)
    width = high + 2 * WORD
    paths = np.full(number * width + WORD, EXCLUDED, np.uint8)
    leaf, edge = leaf_at[:-1].copy(), edge_at[:-1].copy()
    for shard in range(number):
        if leaf[shard] < leaf_at[shard + 1]:
            length = np.int64(lengths[leaf[shard]])
            paths[shard * width : shard * width + length] = symbols[edge[shard] : edge[shard] + length]
    # The tournament is a complete tree with a power of two of leaves. Shards that do not exist share NOTHING.
    half = 1
    while half < number:
        half *= 2
    losers, lows = _tournament(leaf_at, half, paths, width)
    winner, low = losers[0], np.int64(0)
    edges = np.int64(0)
    for merged in range(total):
        at, here = leaf[winner], edge[winner]
        begin, length, group = np.int64(own_shared[at]), np.int64(lengths[at]), group_of[winner]
        order[merged], shared[merged] = winner, low
        # Edges that are there already get what this shard counted, others are new.
        for depth in range(begin + 1, low + 1):
            known = edge_of[depth]
            if group < 0 or credited[group, depth] != known:
                count = np.int64(own_counts[here])
                if count == KNOWN:
                    counts[known] = KNOWN
                elif counts[known] != KNOWN:
                    counts[known] = min(np.int64(counts[known]) + count, np.int64(max_count))
            here += 1
        # `edge_of[d]` is the edge at depth d on the path of the leaf merged last.
        for depth in range(low + 1, length + 1):
            counts[edges] = own_counts[here]
            edge_of[depth] = edges
            edges += 1
            here += 1
        if group >= 0:
            for depth in range(begin + 1, length + 1):
                credited[group, depth] = edge_of[depth]
        at += 1
        leaf[winner], edge[winner] = at, here
        if merged + 1 == total:
            break
        low = np.int64(NOTHING)
        if at < leaf_at[winner + 1]:
            low, length, row = np.int64(own_shared[at]), np.int64(lengths[at]), winner * width
            for d in range(low, length):
                paths[row + d] = symbols[here]
                here += 1
            paths[row + length] = EXCLUDED
        node = (half + winner) >> 1
        while node:
            rival, same = losers[node], lows[node]
            if same > low:
                losers[node], lows[node] = winner, low
                winner, low = rival, same
            elif same == low and same != NOTHING:
                one, other = winner * width + low, rival * width + low
                found = differing_or_mark(load(paths, one), load(paths, other))
                while found == np.uint64(0):
                    one += WORD
                    other += WORD
                    found = differing_or_mark(load(paths, one), load(paths, other))
                first = byte_of_lowest_bit(found)
                one += first
                equal = one - winner * width
                if paths[one] <= paths[other + first]:
                    lows[node] = equal
                else:
                    losers[node], lows[node] = winner, equal
                    winner = rival
            node >>= 1
    path = paths[winner * width : winner * width + high].copy() if total else paths[:0].copy()
    return MergedLeaves(order, shared, counts[:edges], path, edge_of)


@compiled
def _tournament(leaf_at: Int64s, half: Int, paths: UInt8s, width: Int) -> tuple[Int64s, Int64s]:
    """Let all first leaves play; return the loser of each node, the winner of all as that of node 0, and their lows."""
    number = len(leaf_at) - 1
    losers, lows = np.zeros(half, np.int64), np.full(half, NOTHING, np.int64)
    winners = np.full(2 * half, -1, np.int64)
    for shard in range(number):
        if leaf_at[shard] < leaf_at[shard + 1]:
            winners[half + shard] = shard
    for node in range(half - 1, 0, -1):
        one, other = winners[2 * node], winners[2 * node + 1]
        if one < 0 or other < 0:
            winners[node] = max(one, other)
            losers[node] = -1
            continue
        wins, equal = _compare(paths, one * width, other * width, np.int64(0))
        winners[node], losers[node], lows[node] = (one, other, equal) if wins else (other, one, equal)
    losers[0] = winners[1]
    return losers, lows


@compiled
def follow_leaves(streams: LeafStreams, merged: MergedLeaves, k: int) -> Depths:
    """Return for each shard's leaf the greatest depth down to which k units share it.

    It is that of the leaf before where this one shares more with it; else it is on or below what both share.
    """
    reached = np.empty(len(streams.shared), streams.shared.dtype)
    leaf = streams.leaf_at[:-1].copy()
    edge = depth = np.int64(0)
    for number in range(len(merged.order)):
        shard = np.int64(merged.order[number])
        length, low = np.int64(streams.lengths[leaf[shard]]), np.int64(merged.shared[number])
        if depth >= low:
            depth = low
            # Counts fall with depth along a path, so the first edge below k ends the search.
            while depth < length and merged.counts[edge + depth - low] >= k:
                depth += 1
        edge += length - low
        reached[leaf[shard]] = depth
        leaf[shard] += 1
    return reached
