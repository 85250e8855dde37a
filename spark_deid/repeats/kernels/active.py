"""Suffixes that are still followed: which of them begin leaves, what they were answered, and which remain."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt16s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.repeats.kernels.trie import Depths


@compiled
def leaf_ranks(shared: UInt16s, depth: int, number: int) -> tuple[Int64s, int]:
    """Return up to ``number`` ranks at equal distances among those that begin a leaf at ``depth``, and how many do."""
    total = 0
    for rank in range(len(shared)):
        total += rank == 0 or shared[rank] < depth
    chosen = np.empty(min(number, total), np.int64)
    leaf = taken = 0
    for rank in range(len(shared)):
        if rank == 0 or shared[rank] < depth:
            # Leaves at equal distances: the next one is chosen as soon as its fraction of all leaves is reached.
            if taken < len(chosen) and leaf * len(chosen) >= taken * total:
                chosen[taken] = rank
                taken += 1
            leaf += 1
    return chosen[:taken], total


@compiled
def settle_leaves(
    answered: Depths, begins: Bools, suffixes: Int32s, shared: UInt16s, units: Int32s, high: int
) -> tuple[Depths, Int32s, UInt16s, Int32s]:
    """Return the leaves' answers by suffix, and the suffixes that may be followed beyond ``high``."""
    depths, active = np.empty(len(suffixes), answered.dtype), np.empty(len(suffixes), np.bool_)
    leaf = np.int64(-1)
    for rank in range(len(suffixes)):
        leaf += begins[rank]
        depths[rank] = answered[leaf]
        active[rank] = answered[leaf] >= high
    kept, low_of, unit_of = keep_chosen(suffixes, shared, units, active)
    return depths, kept, low_of, unit_of


@compiled
def keep_chosen(suffixes: Int32s, shared: UInt16s, units: Int32s, chosen: Bools) -> tuple[Int32s, UInt16s, Int32s]:
    """Return the chosen ones of sorted suffixes, what each shares with the one then before it, and their units."""
    number = chosen.sum()
    kept, low_of, unit_of = np.empty(number, np.int32), np.empty(number, np.uint16), units[:0].copy()
    if len(units):
        unit_of = np.empty(number, np.int32)
    at = 0
    low = np.uint16(0xFFFF)
    for rank in range(len(suffixes)):
        # Two suffixes share the minimum of all prefixes between them in the sorted list.
        low = min(low, shared[rank])
        if chosen[rank]:
            kept[at], low_of[at] = suffixes[rank], low
            if len(units):
                unit_of[at] = units[rank]
            at += 1
            low = np.uint16(0xFFFF)
    return kept, low_of, unit_of


@compiled
def place_depths(placed: UInt16s, suffixes: Int32s, depths: Depths) -> None:
    """Write depths by suffix to their places in the text."""
    for rank in range(len(suffixes)):
        placed[suffixes[rank]] = depths[rank]
