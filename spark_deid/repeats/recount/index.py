"""Where to search for runs: filters and lists by the beginnings of those that still count."""

from operator import itemgetter
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.repeats.recount.hashing import GATE, spread_bits, wrapped_power

U = np.uint64
WIDTHS = np.array(sorted({w for i in range(30) for w in (1 << i, 3 << i)}), np.int64)
"""A run belongs to the level of the greatest of these widths that it reaches; its head is that many bytes."""
LISTED = np.uint8(np.searchsorted(WIDTHS, 128))
"""The level from which on a bit for each length would not fit in a word."""
IN_LIST = U(1 << 63)
BITS_A_HEAD = 8
_SPREAD = U(0x9E3779B97F4A7C15)


class RunIndex(NamedTuple):
    """Live runs, by their heads.

    ``levels`` has a row for each level with live runs: the width, how many bits number a bit of its filter, at which
    byte of ``filters`` that begins, and the level. The gate's row, of level -1, comes before those of widths GATE and
    more, which are checked only where it is open. ``shifts`` are base to the width. ``nodes`` is a hash table of
    heads by their keys, each followed by its lengths: a bit for each, the lowest for the width itself, or IN_LIST and
    the place in ``lists`` from which on they are in order, behind the last one 0; 0 is free. ``marks`` is a filter of
    the runs' own hashes, and ``slots`` a hash table of the runs by them.
    """

    levels: Int64s
    shifts: UInt64s
    filters: UInt8s
    nodes: UInt64s
    lists: Int32s
    marks: UInt8s
    slots: Int32s
    longest: int


class RunBeginnings(NamedTuple):
    """What is known of runs besides their own hashes; ``levels`` are numbers of WIDTHS."""

    heads: UInt64s
    roots: UInt64s
    lengths: Int32s
    levels: UInt8s


def levels_of(lengths: Int32s) -> UInt8s:
    """Number the level of each length."""
    return (np.searchsorted(WIDTHS, lengths, side="right") - 1).astype(np.uint8)


def build_index(live: Int32s, runs: RunBeginnings, first: UInt64s, base: np.uint64) -> RunIndex:
    """Index the runs numbered ``live``, which are in order of head and then of length; linear."""
    by_level, cells = _measure(live, runs, len(WIDTHS))
    levels, size = _lay_out_filters(by_level)
    filters = np.zeros(size, np.uint8)
    nodes, lists = np.zeros(2 * _table_size(int(by_level.sum())), np.uint64), np.zeros(cells, np.int32)
    slots = np.full(_table_size(len(live)), -1, np.int32)
    marks = np.zeros(len(slots), np.uint8)
    _fill_filters(live, runs, levels, filters)
    _fill_nodes(live, runs, nodes, lists)
    _fill_slots(live, first, marks, slots)
    shifts = np.array([wrapped_power(base, int(width)) for width in levels[:, 0]], np.uint64)
    return RunIndex(levels, shifts, filters, nodes, lists, marks, slots, int(runs.lengths[live].max(initial=0)))


def _table_size(entries: int) -> int:
    return 1 << max(6, (entries * 3 // 2).bit_length())


def _lay_out_filters(by_level: Int64s) -> tuple[Int64s, int]:
    """Return the rows of levels for that many heads, and how many bytes their filters take."""
    gate = int(np.searchsorted(WIDTHS, GATE))
    present = [(int(WIDTHS[level]), int(by_level[level]), int(level)) for level in np.flatnonzero(by_level)]
    gated = [(GATE, int(by_level[gate:].sum()) // 3 + 1, -1)] if by_level[gate:].any() else []
    rows, begin = [], 0
    for width, heads, level in sorted(present + gated, key=itemgetter(0, 2)):
        bits = min(24, max(9, (BITS_A_HEAD * heads).bit_length()))
        rows.append((width, bits, begin, level))
        begin += 1 << bits >> 3
    return np.array(rows, np.int64).reshape(-1, 4), begin


@compiled
def _measure(live: Int32s, runs: RunBeginnings, levels: Int) -> tuple[Int64s, int]:
    """Count heads by level, and the cells that lists of lengths take."""
    by_level = np.zeros(levels, np.int64)
    cells = 0
    for place in range(len(live)):
        run, before = live[place], live[max(0, place - 1)]
        new = place == 0 or runs.heads[run] != runs.heads[before] or runs.levels[run] != runs.levels[before]
        by_level[runs.levels[run]] += new
        if runs.levels[run] >= LISTED:
            cells += 2 if new else runs.lengths[run] != runs.lengths[before]
    return by_level, cells


@compiled
def _fill_filters(live: Int32s, runs: RunBeginnings, levels: Int64s, filters: UInt8s) -> None:
    # `rows` has the row of `levels` by level. Rows after the gate are read only where the gate's filter is open.
    rows, gate = np.full(256, -1, np.int64), len(levels)
    for row in range(len(levels)):
        if levels[row, 3] < 0:
            gate = row
        else:
            rows[levels[row, 3]] = row
    for run in live:
        row = rows[runs.levels[run]]
        set_bit(filters, levels[row, 2], runs.heads[run] >> U(64 - levels[row, 1]))
        if row > gate:
            set_bit(filters, levels[gate, 2], runs.roots[run] >> U(64 - levels[gate, 1]))


@compiled
def _fill_nodes(live: Int32s, runs: RunBeginnings, nodes: UInt64s, lists: Int32s) -> None:
    cells = begin = 0
    # Runs are in order of head and length, so all runs of one head are adjacent: one node gets all their lengths.
    while begin < len(live):
        level, key = runs.levels[live[begin]], node_key(runs.heads[live[begin]], np.int64(runs.levels[live[begin]]))
        slot = node_slot(nodes, key)
        while nodes[slot + 1] != 0:
            slot = (slot + 2) & (len(nodes) - 1)
        end, before, value = begin, np.int32(0), U(0)
        if level >= LISTED:
            value = IN_LIST | U(cells)
        while end < len(live) and runs.levels[live[end]] == level and runs.heads[live[end]] == runs.heads[live[begin]]:
            length = runs.lengths[live[end]]
            # Short levels fit a bit per length in one word. Longer ones have a list that ends with 0.
            if level < LISTED:
                value |= U(1) << U(length - WIDTHS[level])
            elif length != before:
                lists[cells] = length
                cells += 1
                before = length
            end += 1
        cells += level >= LISTED
        nodes[slot], nodes[slot + 1] = key, value
        begin = end


@compiled
def _fill_slots(live: Int32s, first: UInt64s, marks: UInt8s, slots: Int32s) -> None:
    for run in live:
        # One byte of filter per slot: most candidates are not a run, and this rules them out with one read.
        set_bit(marks, 0, first[run] & U(8 * len(marks) - 1))
        slot = run_slot(slots, first[run])
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = run


@inlined
def node_key(head: np.uint64, level: Int) -> np.uint64:
    """Return what a head of a level is known by."""
    return head + U(level) * _SPREAD


@inlined
def node_slot(nodes: UInt64s, key: np.uint64) -> np.int64:
    """Return where in ``nodes`` the search for a key begins; other bits of it number those of filters."""
    return np.int64(key >> U(16)) * 2 & (len(nodes) - 1)


@inlined
def run_slot(slots: Int32s, first: np.uint64) -> np.int64:
    """Return where in ``slots`` the search for a run begins."""
    return np.int64(spread_bits(first) >> U(24)) & (len(slots) - 1)


@inlined
def set_bit(bits: UInt8s, begin: Int, number: np.uint64) -> None:
    """Set a bit of the filter that begins at a byte."""
    bits[begin + np.int64(number >> U(3))] |= np.uint8(1 << (number & U(7)))


@inlined
def bit(bits: UInt8s, begin: Int, number: np.uint64) -> int:
    """Return a bit of the filter that begins at a byte."""
    return int(np.int64(bits[begin + np.int64(number >> U(3))] >> np.uint8(number & U(7))) & 1)
