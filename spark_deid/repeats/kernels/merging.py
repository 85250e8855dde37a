"""Merge the leaves of several shards: equal edges add their counts.

A tree of losers (Knuth, volume 3, 5.4.1) keeps the shards' next leaves, each with what it shares with the leaf that was
merged last. Of two strings above a third, the one that shares more with it is the smaller, so bytes are compared only
where both share as much, and from there on (Bingmann, Eberle and Sanders, Engineering Parallel String Sorting, 2017).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.kernels.loading import WORD, byte_of_lowest_bit, differing_or_mark, load
from spark_deid.repeats.kernels.marks import APART
from spark_deid.repeats.kernels.trie import KNOWN
from spark_deid.text.kernels.compilation import Int, compiled

NOTHING = -1
"""What a shard shares whose leaves are all merged: less than any other."""


class Streams(NamedTuple):
    """The leaves of one range: those of shard i from ``leaf_at[i]`` on, their edges from ``edge_at[i]`` on.

    Shards of one ``group`` (from 0 on; -1: none) are parts of one unit, which counts once.
    """

    leaf_at: NDArray[np.int64]
    edge_at: NDArray[np.int64]
    groups: NDArray[np.int64]
    shared: NDArray[np.uint16]
    lengths: NDArray[np.uint16]
    symbols: NDArray[np.uint8]
    counts: NDArray[np.uint8]


class Merged(NamedTuple):
    """From which shard each next leaf comes, what it shares with the one before, and the counts of its other edges.

    ``path`` and ``edges`` are the bytes and edges of the last leaf.
    """

    order: NDArray[np.uint16]
    shared: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    path: NDArray[np.uint8]
    edges: NDArray[np.int64]


@compiled
def _compare(paths: NDArray[np.uint8], one: np.int64, other: np.int64, begin: np.int64) -> tuple[bool, np.int64]:
    """Return whether the string at ``one`` is not behind that at ``other``, and how much they share; marks end them."""
    i = np.int64(begin)
    found = differing_or_mark(load(paths, one + i), load(paths, other + i))
    while found == np.uint64(0):
        i += WORD
        found = differing_or_mark(load(paths, one + i), load(paths, other + i))
    i += byte_of_lowest_bit(found)
    return bool(paths[one + i] <= paths[other + i]), i


@compiled
def _read(streams: Streams, leaf: Int, edge: Int, paths: NDArray[np.uint8], row: Int) -> np.int64:
    """Write what a leaf does not share with the one before to its shard's path; return the edge after its own."""
    length = np.int64(streams.lengths[leaf])
    for d in range(np.int64(streams.shared[leaf]), length):
        paths[row + d] = streams.symbols[edge]
        edge += 1
    paths[row + length] = APART
    return np.int64(edge)


@compiled
def merge(streams: Streams, high: int, most: int, groups: int) -> Merged:
    """Merge sorted leaves; counts stop at ``most``. Any order of the shards gives the same counts."""
    number = len(streams.groups)
    total = len(streams.shared)
    order, shared = np.empty(total, np.uint16), np.empty(total, np.uint16)
    counts = np.empty(len(streams.counts), np.uint8)
    edge_of = np.zeros(high + 1, np.int64)
    credited = np.full((groups, high + 1), -1, np.int64)
    width = high + 2 * WORD
    paths = np.full(number * width + WORD, APART, np.uint8)
    leaf, edge = streams.leaf_at[:-1].copy(), streams.edge_at[:-1].copy()
    after = np.empty(number, np.int64)
    for shard in range(number):
        if leaf[shard] < streams.leaf_at[shard + 1]:
            after[shard] = _read(streams, leaf[shard], edge[shard], paths, shard * width)
    half = 1
    while half < number:
        half *= 2
    losers, lows = _tournament(streams, half, paths, width)
    winner, low = losers[0], np.int64(0)
    edges = np.int64(0)
    for merged in range(total):
        at = leaf[winner]
        order[merged], shared[merged] = winner, low
        edges = _add(streams, winner, at, edge[winner], low, most, edges, edge_of, credited, counts)
        edge[winner] = after[winner]
        leaf[winner] = at + 1
        low = np.int64(NOTHING)
        if at + 1 < streams.leaf_at[winner + 1]:
            after[winner] = _read(streams, at + 1, edge[winner], paths, winner * width)
            low = np.int64(streams.shared[at + 1])
        if merged + 1 == total:
            break
        node = (half + winner) >> 1
        while node:
            rival, same = losers[node], lows[node]
            if same > low:
                losers[node], lows[node] = winner, low
                winner, low = rival, same
            elif same == low and same != NOTHING:
                wins, equal = _compare(paths, winner * width, rival * width, low)
                if wins:
                    lows[node] = equal
                else:
                    losers[node], lows[node] = winner, equal
                    winner = rival
            node >>= 1
    path = paths[winner * width : winner * width + high].copy() if total else paths[:0].copy()
    return Merged(order, shared, counts[:edges], path, edge_of)


@compiled
def _tournament(
    streams: Streams, half: Int, paths: NDArray[np.uint8], width: Int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Let all first leaves play; return the loser of each node, the winner of all as that of node 0, and their lows."""
    number = len(streams.groups)
    losers, lows = np.zeros(half, np.int64), np.full(half, NOTHING, np.int64)
    winners = np.full(2 * half, -1, np.int64)
    for shard in range(number):
        if streams.leaf_at[shard] < streams.leaf_at[shard + 1]:
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
def _add(
    streams: Streams,
    shard: Int,
    leaf: Int,
    edge: Int,
    known: Int,
    most: Int,
    edges: Int,
    edge_of: NDArray[np.int64],
    credited: NDArray[np.int64],
    counts: NDArray[np.uint8],
) -> np.int64:
    """Add a leaf's edges: to those that are there down to depth ``known``, and as new ones below."""
    group = streams.groups[shard]
    for depth in range(np.int64(streams.shared[leaf]) + 1, np.int64(streams.lengths[leaf]) + 1):
        count = streams.counts[edge]
        edge += 1
        if depth > known:
            counts[edges] = count
            edge_of[depth] = edges
            edges += 1
        elif group < 0 or credited[group, depth] != edge_of[depth]:
            at = edge_of[depth]
            if count == KNOWN:
                counts[at] = KNOWN
            elif counts[at] != KNOWN:
                counts[at] = min(np.int64(counts[at]) + np.int64(count), most)
        if group >= 0:
            credited[group, depth] = edge_of[depth]
    return np.int64(edges)


@compiled
def follow(streams: Streams, merged: Merged, k: int) -> NDArray[np.uint16]:
    """Return for each shard's leaf the greatest depth down to which k units share it."""
    reached = np.empty(len(streams.shared), np.uint16)
    leaf = streams.leaf_at[:-1].copy()
    on_path = np.zeros(len(merged.edges), np.uint8)
    edge = depth = np.int64(0)
    for number in range(len(merged.order)):
        shard = np.int64(merged.order[number])
        length, low = np.int64(streams.lengths[leaf[shard]]), np.int64(merged.shared[number])
        for d in range(low + 1, length + 1):
            on_path[d] = merged.counts[edge]
            edge += 1
        depth = min(depth, low)
        while depth < length and on_path[depth + 1] >= k:
            depth += 1
        reached[leaf[shard]] = depth
        leaf[shard] += 1
    return reached
