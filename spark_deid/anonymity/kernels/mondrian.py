"""Mondrian: cut a table into classes, top down and greedily, by the attribute that is widest at each place.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006, section 4: numbers are cut at the
median, trees into the children of a node. An attribute that can't be cut at one place is tried again further down.
Where a cut up to the median leaves too few above it, the cut below the median is tried.
"""

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.choosing import child_at, find_lowest_node, find_middle, find_widest, width_between
from spark_deid.anonymity.kernels.cuts import (
    LAST,
    NO_TIE,
    CutBuffers,
    CutTree,
    CutUnits,
    add_cut,
    allocate_nodes,
    are_allowed,
    first_of,
    work_for,
)
from spark_deid.anonymity.kernels.partitioning import part_at, part_by_child, part_by_ties
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def cut_units(units: CutUnits, space: CodeSpace, constraint: ClassConstraint, is_relaxed: bool) -> CutTree:
    """Cut units into classes that satisfy a constraint, which the whole must satisfy.

    Strict cuts never part units of one value; relaxed ones part them by their ties into halves.
    """
    n, columns = units.codes.shape
    # A class has at least k units, so n units have at most n / k classes and fewer than twice as many nodes.
    cuts = allocate_nodes(2 * (n // max(constraint.k, 1)) + 2)
    work = work_for(n, space, constraint)
    # The stack has node numbers. It replaces recursion, whose depth a table with many equal values would exhaust.
    stack = np.empty(64 + cuts.columns.size, np.int32)
    stack[0] = 0
    height, made = np.int64(1), np.int64(1)
    cuts.ends[0] = n
    lows, highs = np.empty(columns, np.int32), np.empty(columns, np.int32)
    widths = np.empty(columns)
    while height:
        height -= 1
        node = np.int64(stack[height])
        sides = _cut_node(units, space, constraint, is_relaxed, cuts, work, node, lows, highs, widths)
        if sides:
            add_cut(cuts, work, node, made, sides)
            for side in range(sides):
                stack[height + side] = made + side
            height, made = height + sides, made + sides
    return first_of(cuts, made)


@compiled
def _cut_node(
    units: CutUnits,
    space: CodeSpace,
    constraint: ClassConstraint,
    is_relaxed: bool,
    cuts: CutTree,
    work: CutBuffers,
    node: Int,
    lows: Int32s,
    highs: Int32s,
    widths: Float64s,
) -> Int:
    """Cut a node by the widest attribute that allows it; return into how many sides, 0 for a class."""
    start, end = cuts.starts[node], cuts.ends[node]
    if end - start < 2 * max(constraint.k, 1):
        return 0
    _extents(units.codes, start, end, lows, highs)
    for each in range(widths.size):
        widths[each] = width_between(space, each, np.int64(lows[each]), np.int64(highs[each]))
    while True:
        column = find_widest(widths)
        if column < 0:
            return 0
        low, high = np.int64(lows[column]), np.int64(highs[column])
        if space.is_tree[column]:
            sides = _cut_tree(units, space, constraint, work, start, end, column, low, high)
        else:
            sides = _cut_line(units, space, constraint, is_relaxed, work, start, end, column, low, high)
        if sides:
            cuts.columns[node] = column
            return sides
        # An attribute that allows no cut here is not tried again for this node.
        widths[column] = 0.0


@compiled
def _cut_line(
    units: CutUnits,
    space: CodeSpace,
    constraint: ClassConstraint,
    is_relaxed: bool,
    work: CutBuffers,
    start: Int,
    end: Int,
    column: Int,
    low: Int,
    high: Int,
) -> Int:
    """Cut off missing values, otherwise categories among numbers, otherwise cut at the median or below it."""
    # Missing values and categories are not near any number, so they leave a part before a median is taken.
    if low == 0 and _cut_after(units, constraint, work, start, end, column, np.int64(0)):
        return 2
    last = np.int64(space.ends[column])
    if low <= last < high and _cut_after(units, constraint, work, start, end, column, last):
        return 2
    half = (end - start) // 2
    code, before, within = _median(units.codes, work, start, end, column, low, high, half)
    if is_relaxed and before + within > half and within > 1:
        return _cut_ties(units, constraint, work, start, end, column, code, half - before)
    # Units of the median's code may be too many for one side: then they go to the upper side instead.
    if _cut_at(units, constraint, work, start, end, column, code, before + within):
        return 2
    return 2 if _cut_at(units, constraint, work, start, end, column, code - 1, before) else 0


@compiled
def _median(
    codes: Int32s, work: CutBuffers, start: Int, end: Int, column: Int, low: Int, high: Int, half: Int
) -> tuple[Int, Int, Int]:
    """Return the code up to which half of the units are, how many are before it and how many at it."""
    span = high - low + 1
    # A histogram costs the span of the codes, and sorting costs the units: the cheaper of both is used.
    if span > 4 * (end - start) + 64:
        return _median_of_sorted(codes, work.sorted, start, end, column, half)
    counts = work.counts[:span]
    counts[:] = 0
    for i in range(start, end):
        counts[codes[i, column] - low] += 1
    place, before = find_middle(counts, half)
    return low + place, before, counts[place]


@compiled
def _median_of_sorted(
    codes: Int32s, ordered: Int32s, start: Int, end: Int, column: Int, half: Int
) -> tuple[Int, Int, Int]:
    size = end - start
    values = ordered[:size]
    for i in range(size):
        values[i] = codes[start + i, column]
    values.sort()
    code = values[half - 1]
    before = np.searchsorted(values, code)
    within = np.searchsorted(values, code, side="right") - before
    return np.int64(code), before, within


@compiled
def _cut_at(
    units: CutUnits,
    constraint: ClassConstraint,
    work: CutBuffers,
    start: Int,
    end: Int,
    column: Int,
    code: Int,
    lower: Int,
) -> bool:
    """Cut above a code, up to which ``lower`` units are, where both sides satisfy the constraint."""
    least = max(constraint.k, 1)
    if lower < least or end - start - lower < least:
        return False
    part_at(units.codes, units.ids, start, end, column, code)
    return _is_allowed(units, constraint, work, start, start + lower, end, code, code + 1, NO_TIE)


@compiled
def _cut_after(
    units: CutUnits, constraint: ClassConstraint, work: CutBuffers, start: Int, end: Int, column: Int, code: Int
) -> bool:
    """Cut above a code where both sides satisfy the constraint."""
    lower = np.int64(0)
    for i in range(start, end):
        lower += units.codes[i, column] <= code
    return _cut_at(units, constraint, work, start, end, column, code, lower)


@compiled
def _cut_ties(
    units: CutUnits,
    constraint: ClassConstraint,
    work: CutBuffers,
    start: Int,
    end: Int,
    column: Int,
    code: Int,
    needed: Int,
) -> Int:
    """Cut within the units of a code: those with the ``needed`` least ties go to the left."""
    ties = np.empty(end - start, np.uint64)
    number = 0
    for i in range(start, end):
        if units.codes[i, column] == code:
            ties[number] = units.ties[units.ids[i]]
            number += 1
    ties[:number].sort()
    limit = ties[needed - 1]
    # The last element passes the limit on, so `part_by_ties` needs no further argument.
    units.ties[units.ties.size - 1] = limit
    middle_place = part_by_ties(units.codes, units.ids, units.ties, start, end, column, code)
    least = max(constraint.k, 1)
    if middle_place - start < least or end - middle_place < least:
        return 0
    return 2 if _is_allowed(units, constraint, work, start, middle_place, end, code, code, limit) else 0


@compiled
def _is_allowed(
    units: CutUnits,
    constraint: ClassConstraint,
    work: CutBuffers,
    start: Int,
    place: Int,
    end: Int,
    below: Int,
    above: Int,
    limit: np.uint64,
) -> bool:
    """Note the sides of a cut in two; state whether both satisfy the constraint."""
    work.places[0], work.places[1], work.places[2] = start, place, end
    work.lows[0], work.highs[0], work.limits[0] = 0, below, limit
    work.lows[1], work.highs[1], work.limits[1] = above, LAST, NO_TIE
    return are_allowed(units, constraint, work.values, work.places, 2)


@compiled
def _cut_tree(
    units: CutUnits,
    space: CodeSpace,
    constraint: ClassConstraint,
    work: CutBuffers,
    start: Int,
    end: Int,
    column: Int,
    low: Int,
    high: Int,
) -> Int:
    """Cut the lowest node above the units into its children, where every one that has units is allowed."""
    node = find_lowest_node(space, column, low, high)
    number = space.bounds[node + 1] - space.bounds[node]
    counts = work.counts[:number]
    counts[:] = 0
    for i in range(start, end):
        counts[child_at(space, node, np.int64(units.codes[i, column]))] += 1
    # A child with too few units is found by its count, before any unit moves.
    for child in range(number):
        if 0 < counts[child] < max(constraint.k, 1):
            return 0
    places = np.empty(number, np.int64)
    place, sides = start, 0
    for child in range(number):
        places[child] = place
        if counts[child]:
            below = space.children[space.bounds[node] + child]
            work.places[sides] = place
            work.lows[sides], work.highs[sides] = space.first[below], space.last[below]
            work.limits[sides] = NO_TIE
            sides += 1
        place += counts[child]
    work.places[sides] = end
    part_by_child(units.codes, units.ids, start, end, column, space, node, places)
    return sides if are_allowed(units, constraint, work.values, work.places, sides) else 0


@compiled
def _extents(codes: Int32s, start: Int, end: Int, lows: Int32s, highs: Int32s) -> None:
    lows[:] = codes[start]
    highs[:] = codes[start]
    for i in range(start + 1, end):
        for column in range(lows.size):
            code = codes[i, column]
            if code < lows[column]:
                lows[column] = code
            elif code > highs[column]:
                highs[column] = code
