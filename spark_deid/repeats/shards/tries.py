"""The rounds of a search as arrays: opening, tries, ranges, answers, and what remains active."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt16s
from spark_deid.repeats.extension import sort_suffixes
from spark_deid.repeats.kernels.active import keep_chosen, leaf_ranks, place_depths, settle_leaves
from spark_deid.repeats.kernels.merging import LeafStreams, follow_leaves, merge_leaves
from spark_deid.repeats.kernels.trie import (
    KNOWN,
    Depths,
    RangeSplitters,
    ShardTrie,
    build_trie,
    prefix_at,
    splitters_of,
)
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout

FIRST_DEPTH = 12
BYTES_AHEAD = 3
"""How many bytes for each byte of text a round follows the suffixes that are active, where that is twice as deep."""
SAMPLES_A_RANGE = 32
"""Prefixes that are drawn for each range: the largest is then rarely more than half as large again as the mean."""
MAX_SHARDS = 1 << 16
"""The order of merged leaves (``kernels.merging``) has two bytes for the number of a shard."""
ALONE = -1
"""The group of a shard that holds whole units."""


@dataclass(frozen=True, repr=False)
class ActiveSuffixes:
    """Suffixes of a shard that are still active, in order: places, what each shares with the one before, and units."""

    suffixes: Int32s
    shared: UInt16s
    units: Int32s


@dataclass(frozen=True, repr=False)
class UnitWeights:
    """How many units each unit of a shard represents; ``per_occurrence``: each occurrence counts, not the unit once."""

    weights: Int64s
    per_occurrence: bool


class RangeLeaves(NamedTuple):
    """What a shard sends to a range: leaves, and how many of its units are at the nodes of the splitters around it."""

    shared: Depths
    lengths: Depths
    symbols: UInt8s
    counts: UInt8s
    left: UInt8s
    right: UInt8s


class LeafSample(NamedTuple):
    """Prefixes at equal distances among the leaves of a shard, and the number of leaves."""

    prefixes: list[bytes]
    leaves: int


def next_depth(low: int, cap: int, share: float) -> int:
    """Return how deep the round behind depth ``low`` goes: deeper where a smaller fraction of suffixes is active.

    Every round costs a job, and every byte that is followed is sent: few suffixes may go far at once.

    >>> [next_depth(*given) for given in ((12, 255, 0.5), (24, 255, 0.1), (54, 255, 0.03), (54, 255, 0.001), (2, 5, 1))]
    [24, 54, 154, 255, 5]
    """
    return min(cap, max(2 * low, low + int(min(cap, BYTES_AHEAD / max(share, 1e-9)))))


def open_shard(
    text: TextLayout, weights: UnitWeights, *, unit: CountingUnit, cap: int, cores: Int64s
) -> ActiveSuffixes:
    """Sort a shard's suffixes; the documents of a unit must all be in it, or in shards of one group.

    Of document i those are active that begin in its first ``cores[i]`` bytes.
    """
    # Where every occurrence counts, and as one, nothing need be known of units.
    by_document = weights.per_occurrence and bool((weights.weights > 1).any())
    found = sort_suffixes(text, unit=CountingUnit.DOCUMENT if by_document else unit, cap=cap)
    units = np.zeros(0, np.int32) if found.units is None else found.units
    if (cores == np.diff(text.bounds) - 1).all():
        return ActiveSuffixes(found.suffixes, found.shared, units)
    searched = np.zeros(text.size, np.bool_)
    for begin, core in zip(text.bounds.tolist(), cores.tolist(), strict=False):
        searched[begin : begin + core] = True
    return ActiveSuffixes(*keep_chosen(found.suffixes, found.shared, units, searched[found.suffixes]))


def sample_prefixes(text: TextLayout, active: ActiveSuffixes, *, depth: int, number: int) -> LeafSample:
    """Draw prefixes, each as short as shows its leaf from the one before."""
    ranks, leaves = leaf_ranks(active.shared, depth, number)
    lengths = np.minimum(active.shared[ranks].astype(np.int64), depth - 1) + 1
    places = active.suffixes[ranks].tolist()
    return LeafSample([prefix_at(text.data, *pair) for pair in zip(places, lengths.tolist(), strict=True)], leaves)


def choose_splitters(samples: Sequence[LeafSample], ranges: int) -> RangeSplitters:
    """Return strings that cut the leaves of all shards into ranges of about equal size, no two of them equal."""
    weighted = sorted((prefix, drawn.leaves / len(drawn.prefixes)) for drawn in samples for prefix in drawn.prefixes)
    sums = list(accumulate(weight for _, weight in weighted))
    wanted = [sums[-1] * number / ranges for number in range(1, ranges)] if sums else []
    chosen = {weighted[int(np.searchsorted(sums, place))][0] for place in wanted}
    # Nothing is before the first sample of any shard but by chance, and an empty range is of no use.
    return splitters_of(sorted(chosen))


def trie_of(
    text: TextLayout,
    active: ActiveSuffixes,
    weights: UnitWeights,
    splitters: RangeSplitters,
    *,
    low: int,
    high: int,
    k: int,
) -> ShardTrie:
    """Build a shard's trie for one round."""
    arrays = active.suffixes, active.shared, active.units, weights.weights, weights.per_occurrence
    narrow = np.zeros(0, depth_type(high))
    trie: ShardTrie = build_trie(text.data, *arrays, low, high, k, splitters.data, splitters.bounds, narrow)
    return trie


def depth_type(high: int) -> np.dtype[Any]:
    """Return the smallest type that holds depths up to ``high``."""
    return np.dtype(np.uint8 if high <= np.iinfo(np.uint8).max else np.uint16)


def range_leaves(
    text: TextLayout, active: ActiveSuffixes, trie: ShardTrie, splitters: RangeSplitters
) -> list[RangeLeaves]:
    """Cut a trie into what is sent; the first leaf of a range comes with all its edges, so that each is read only."""
    firsts = np.flatnonzero(trie.begins)
    ranges = []
    for number, ((leaf, leaf_end), (edge, edge_end)) in enumerate(
        zip(pairwise(trie.leaf_at.tolist()), pairwise(trie.edge_at.tolist()), strict=True)
    ):
        shared = trie.shared[leaf:leaf_end].copy()
        head = int(shared[0]) if len(shared) else 0
        place = int(active.suffixes[firsts[leaf]]) if head else 0
        shared[:1] = 0
        ranges.append(
            RangeLeaves(
                shared,
                trie.lengths[leaf:leaf_end],
                np.concatenate([text.data[place : place + head], trie.symbols[edge:edge_end]]),
                np.concatenate([np.full(head, KNOWN, np.uint8), trie.counts[edge:edge_end]]),
                _path(trie, splitters, number - 1),
                _path(trie, splitters, number),
            )
        )
    return ranges


def _path(trie: ShardTrie, splitters: RangeSplitters, number: int) -> UInt8s:
    if not 0 <= number < len(splitters.bounds) - 1:
        return np.zeros(0, np.uint8)
    return trie.paths[splitters.bounds[number] : splitters.bounds[number + 1] - 1]


def merge_range(
    sent: Sequence[RangeLeaves],
    groups: Sequence[int],
    splitters: RangeSplitters,
    number: int,
    *,
    low: int,
    high: int,
    k: int,
) -> list[Depths]:
    """Merge one range of all shards; return how deep k units share each leaf of each shard.

    ``groups`` are numbered from 0 on, or ALONE. A node that a splitter begins with is counted in other ranges too, so
    its count is the sum over the shards' paths.
    """
    leaf_at = np.cumsum([0, *(len(one.shared) for one in sent)])
    edge_at = np.cumsum([0, *(len(one.symbols) for one in sent)])
    joined = (np.concatenate(arrays) for arrays in list(zip(*sent, strict=True))[:4])
    streams = LeafStreams(leaf_at, edge_at, np.asarray(groups, np.int64), *joined)
    if not len(streams.shared):
        return [one.shared for one in sent]
    merged = merge_leaves(streams, high, k, max(groups) + 1)
    first = int(merged.order[0])
    leaf = slice(int(edge_at[first]), int(edge_at[first]) + int(streams.lengths[leaf_at[first]]))
    head = streams.symbols[leaf]
    for path, edges, side, sums in (
        (head, np.arange(-1, len(head)), number - 1, _sum([one.left for one in sent], groups)),
        (merged.path, merged.edges, number, _sum([one.right for one in sent], groups)),
    ):
        string = splitters.data[splitters.bounds[side] :][: len(sums)] if len(sums) else path[:0]
        same = _common(path, string)
        counts = np.where(np.arange(1, same + 1) <= low, KNOWN, np.minimum(sums[:same], k))
        merged.counts[edges[1 : same + 1]] = counts
    reached = follow_leaves(streams, merged, k)
    return [reached[a:b] for a, b in pairwise(leaf_at.tolist())]


def _sum(paths: Sequence[UInt8s], groups: Sequence[int]) -> Int64s:
    """Add counts up over shards; a unit that is in several shards counts once."""
    total = np.zeros(len(paths[0]), np.int64)
    once: dict[int, Int64s] = {}
    for path, group in zip(paths, groups, strict=True):
        if group == ALONE:
            total += path
        else:
            once[group] = np.maximum(once.get(group, 0), path.astype(np.int64))
    return total + sum(once.values())


def _common(one: UInt8s, other: UInt8s) -> int:
    size = min(len(one), len(other))
    differing = np.flatnonzero(one[:size] != other[:size])
    return int(differing[0]) if len(differing) else size


def take_answers(active: ActiveSuffixes, answered: Depths, begins: Bools, high: int) -> tuple[Depths, ActiveSuffixes]:
    """Return the depth that each active suffix reached, and what remains for the next round.

    ``answered`` has the leaves of all ranges in order.
    """
    depths, suffixes, shared, units = settle_leaves(
        answered, begins, active.suffixes, active.shared, active.units, high
    )
    return depths, ActiveSuffixes(suffixes, shared, units)


def close_shard(size: int, rounds: Sequence[tuple[Int32s, Depths]]) -> UInt16s:
    """Return the extension lengths by byte; ``rounds`` are the suffixes and depths of each, in order."""
    placed = np.zeros(size, np.uint16)
    for suffixes, depths in rounds:
        place_depths(placed, suffixes, depths)
    return placed
