"""Trees of cuts, the units that are cut, and the space to work in."""

from typing import NamedTuple

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled

NO_TIE = np.uint64(2**64 - 1)
"""The limit of ties of a cut that parts none."""

LAST = 2**31 - 1
"""An upper bound beyond every code."""


class CutTree(NamedTuple):
    """A tree of cuts; node 0 is the whole, children of a node are side by side and after it.

    ``columns`` states which attribute a node is cut by (-1: not at all, a class), ``children`` its first child and
    ``numbers`` how many it has. Units with codes from ``lows`` to ``highs`` of the parent's attribute go to a node, of
    those at ``highs`` only ones with a tie up to ``limits``. ``starts`` and ``ends`` are where its units occur.
    """

    columns: Int32s
    children: Int32s
    numbers: Int32s
    lows: Int32s
    highs: Int32s
    limits: UInt64s
    starts: Int64s
    ends: Int64s


class CutUnits(NamedTuple):
    """Units that are cut: people, or rows if the table does not state whose rows they are.

    ``codes`` (a row a unit) and ``ids`` are reordered; what else there is of a unit is by id: ``ties`` orders units of
    one value, with a last element to work with, and ``held[offsets[id]:offsets[id + 1]]`` are the sensitive values that
    the unit has, each once.
    """

    codes: Int32s
    ids: Int32s
    ties: UInt64s
    offsets: Int64s
    held: Int32s


class CutBuffers(NamedTuple):
    """Space to work in: counts by code and by sensitive value, values to sort, and the sides of a cut."""

    counts: Int64s
    values: Int64s
    sorted: Int32s
    places: Int64s
    lows: Int32s
    highs: Int32s
    limits: UInt64s


@compiled
def are_allowed(units: CutUnits, constraint: ClassConstraint, values: Int64s, places: Int64s, sides: Int) -> bool:
    """Return whether each side satisfies a constraint; ``values`` is zero by sensitive value, before and after."""
    # Without sensitive attributes only sizes count, and no unit has to be visited.
    if constraint.offsets.size == 1:
        return bool(np.diff(places[: sides + 1]).min() >= constraint.k)
    for side in range(sides):
        start, end = places[side], places[side + 1]
        _count(units, start, end, values, 1)
        allowed = satisfies(constraint, end - start, np.int64(0), values)
        # Taking the same units away again is cheaper than clearing an array of all sensitive values.
        _count(units, start, end, values, -1)
        if not allowed:
            return False
    return True


@compiled
def _count(units: CutUnits, start: Int, end: Int, values: Int64s, step: Int) -> None:
    for i in range(start, end):
        unit = units.ids[i]
        for place in range(units.offsets[unit], units.offsets[unit + 1]):
            values[units.held[place]] += step


@compiled
def allocate_nodes(size: Int) -> CutTree:
    """Return room for that many nodes."""
    return CutTree(
        np.full(size, -1, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.full(size, LAST, np.int32),
        np.full(size, NO_TIE, np.uint64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )


@compiled
def work_for(n: Int, space: CodeSpace, constraint: ClassConstraint) -> CutBuffers:
    """Return the space to work in for ``n`` units."""
    # The widest attribute decides the size, because one part is cut by one attribute at a time.
    largest = np.int64(0)
    for column in range(space.spans.size):
        largest = max(largest, space.offsets[column + 1] - space.offsets[column])
    return CutBuffers(
        np.zeros(largest + 1, np.int64),
        np.zeros(constraint.shares.size, np.int64),
        np.empty(n, np.int32),
        np.empty(largest + 2, np.int64),
        np.empty(largest + 2, np.int32),
        np.empty(largest + 2, np.int32),
        np.empty(largest + 2, np.uint64),
    )


@compiled
def add_cut(cuts: CutTree, work: CutBuffers, node: Int, first: Int, sides: Int) -> None:
    """Add the sides of a cut as the children of a node, numbered from ``first``."""
    # Sides are adjacent nodes, so a first child and a number describe them all.
    cuts.children[node] = first
    cuts.numbers[node] = sides
    for side in range(sides):
        cuts.lows[first + side] = work.lows[side]
        cuts.highs[first + side] = work.highs[side]
        cuts.limits[first + side] = work.limits[side]
        cuts.starts[first + side] = work.places[side]
        cuts.ends[first + side] = work.places[side + 1]


@compiled
def first_of(cuts: CutTree, created: Int) -> CutTree:
    """Return the nodes that were made."""
    return CutTree(
        cuts.columns[:created].copy(),
        cuts.children[:created].copy(),
        cuts.numbers[:created].copy(),
        cuts.lows[:created].copy(),
        cuts.highs[:created].copy(),
        cuts.limits[:created].copy(),
        cuts.starts[:created].copy(),
        cuts.ends[:created].copy(),
    )
