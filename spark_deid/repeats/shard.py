"""Extension lengths of a corpus in shards: each sorts its own suffixes, and all together merge their tries.

Round by round the shards send the distinct prefixes of suffixes that are still active, cut at depths 8, 16, 32, ... up
to the cap, with how many of their units are below each edge. Ranges of prefixes are merged by themselves; what is
returned says how deep k units share each leaf. A suffix that k units share to the full depth goes on to the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.extension import sort_suffixes
from spark_deid.repeats.kernels.merging import answers, merge, settle
from spark_deid.repeats.kernels.trie import Leaves, count_edges, find_leaves, lengths_to, range_key, settle_short
from spark_deid.repeats.kernels.trie import short_counts as count_short
from spark_deid.repeats.settings import Unit
from spark_deid.repeats.text import LaidOut

FIRST_DEPTH = 8
SAMPLE = 20_000


def ladder(cap: int) -> tuple[int, ...]:
    """Return the depths of the rounds.

    >>> ladder(255), ladder(5)
    ((8, 16, 32, 64, 128, 255), (5,))
    """
    depths = [FIRST_DEPTH]
    while depths[-1] < cap:
        depths.append(2 * depths[-1])
    return (*(depth for depth in depths if depth < cap), cap)


@dataclass(frozen=True, repr=False)
class Shard:
    """The suffixes of a shard that are still active, in order, and the lengths found so far by byte."""

    text: LaidOut
    suffixes: NDArray[np.int32]
    shared: NDArray[np.uint16]
    units: NDArray[np.int32]
    placed: NDArray[np.uint16]


def open_shard(text: LaidOut, *, unit: Unit, cap: int) -> Shard:
    """Sort a shard's suffixes; the documents of a unit must all be in it."""
    suffixes = sort_suffixes(text, unit=unit, cap=cap)
    units = np.zeros(0, np.int32) if suffixes.units is None else suffixes.units
    return Shard(text, suffixes.suffixes, suffixes.shared, units, np.zeros(text.size, np.uint16))


def sample_keys(shard: Shard) -> NDArray[np.int64]:
    """Return the keys of suffixes at equal distances in their order."""
    chosen = shard.suffixes[:: max(1, len(shard.suffixes) // SAMPLE)]
    return np.array([range_key(shard.text.data, int(place)) for place in chosen], np.int64)


def split(keys: NDArray[np.int64], ranges: int) -> NDArray[np.int64]:
    """Return keys that cut a sample into ranges of about equal size, without empty ones between equal keys."""
    if not len(keys):
        return np.zeros(0, np.int64)
    cuts = np.quantile(keys, np.linspace(0, 1, ranges + 1)[1:-1], method="nearest")
    return np.unique(cuts).astype(np.int64)


def leaves_of(
    shard: Shard, splitters: NDArray[np.int64], *, low: int, high: int, k: int
) -> tuple[list[Leaves], NDArray[np.int32]]:
    """Return the leaves of every range, and the leaf of each active suffix among them all."""
    lengths = lengths_to(shard.text.data, shard.suffixes, low, high)
    leaf_of, common, begins = find_leaves(shard.text.data, shard.suffixes, shard.shared, lengths, splitters)
    number = int(shard.text.units.max(initial=0)) + 1
    ends, symbols, counts = count_edges(
        shard.text.data, shard.suffixes, shard.units, leaf_of, common, lengths, number, low, high, k
    )
    edges = np.concatenate([[0], np.cumsum(ends.astype(np.int64) - common)])
    parts = [(slice(a, b), slice(edges[a], edges[b])) for a, b in pairwise(begins)]
    return [Leaves(common[leaf], ends[leaf], symbols[edge], counts[edge]) for leaf, edge in parts], leaf_of


def answer(parts: Sequence[Leaves], *, k: int) -> list[NDArray[np.uint16]]:
    """Merge one range of all shards; return how deep k units share each leaf of each shard."""
    merged = [(part, {i: np.arange(len(part.shared), dtype=np.int32)}) for i, part in enumerate(parts)]
    while len(merged) > 1:
        merged = [*_merge_pairs(merged, k), *merged[len(merged) // 2 * 2 :]]
    (leaves, numbers) = merged[0]
    depths = answers(leaves.shared, leaves.lengths, leaves.counts, k)
    return [depths[numbers[i]] for i in range(len(parts))]


def _merge_pairs(
    merged: Sequence[tuple[Leaves, dict[int, NDArray[np.int32]]]], k: int
) -> Iterator[tuple[Leaves, dict[int, NDArray[np.int32]]]]:
    for i in range(0, len(merged) - 1, 2):
        (one, of_one), (other, of_other) = merged[i : i + 2]
        leaves, from_one, from_other = merge(one, other, k)
        yield leaves, {j: from_one[n] for j, n in of_one.items()} | {j: from_other[n] for j, n in of_other.items()}


def take_answers(shard: Shard, answered: NDArray[np.uint16], leaf_of: NDArray[np.int32], high: int) -> Shard:
    """Return the shard with a round's answers, by leaf of all ranges in order."""
    placed = shard.placed.copy()
    suffixes, shared, units = settle(answered, leaf_of, shard.suffixes, shard.shared, shard.units, placed, high)
    return replace(shard, suffixes=suffixes, shared=shared, units=units, placed=placed)


def short_counts(text: LaidOut, unit: Unit) -> NDArray[np.int64]:
    """Count units by single bytes and by pairs, one after the other; shards' counts add up."""
    number = 0 if unit is Unit.OCCURRENCE else int(text.units.max(initial=0)) + 1
    return np.concatenate(count_short(text.data, text.bounds, text.units, number))


def close_shard(shard: Shard, short: NDArray[np.int64], *, k: int, cap: int) -> NDArray[np.uint16]:
    """Return the extension lengths by byte; ``short`` sums the short counts of all shards."""
    placed = shard.placed.copy()
    settle_short(shard.text.data, placed, short[:256], short[256:], k, cap)
    return placed
