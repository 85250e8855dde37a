"""The values that classes cover, and the class of each unit."""

import numpy as np

from spark_deid.anonymity.kernels.choosing import find_lowest_node
from spark_deid.anonymity.kernels.cuts import LAST, CutTree
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import compiled

NOWHERE = -1
"""The class of a unit without a class."""


@compiled
def find_class_ranges(
    codes: Int32s, rows: Int64s, starts: Int64s, ends: Int32s, lows: Int32s, highs: Int32s, extras: Int64s
) -> None:
    """Find the least and greatest value of each class, by attribute, and the values that no range has.

    Class c has the rows ``rows[starts[c]:starts[c + 1]]`` of ``codes``. Results have one row per class. ``lows`` and
    ``highs`` are 0 if a class has no values in the range. Bit 0 of ``extras`` is set for missing values, bit i for the
    i-th code after ``ends`` of the attribute.
    """
    for group in range(starts.size - 1):
        for column in range(codes.shape[1]):
            # An empty range starts inverted, so the first value of the class sets both ends.
            low, high, extra = LAST, 0, np.int64(0)
            for place in range(starts[group], starts[group + 1]):
                code = codes[rows[place], column]
                if code == 0:
                    extra |= np.int64(1)
                elif code > ends[column]:
                    extra |= np.int64(1) << np.int64(code - ends[column])
                else:
                    low, high = min(low, code), max(high, code)
            lows[group, column] = 0 if high == 0 else low
            highs[group, column] = high
            extras[group, column] = extra


@compiled
def find_node_boxes(cuts: CutTree, columns: Int64s) -> tuple[Int32s, Int32s]:
    """Return the least and greatest code of each node's box, a row a node; ``columns`` are the greatest codes of all.

    A box excludes missing values.
    """
    lows = np.ones((cuts.columns.size, columns.size), np.int32)
    highs = np.empty((cuts.columns.size, columns.size), np.int32)
    highs[0] = columns
    for node in range(cuts.columns.size):
        column = cuts.columns[node]
        # Children have higher numbers than their node, so the node's own box is complete here.
        for child in range(cuts.children[node], cuts.children[node] + cuts.numbers[node]):
            lows[child], highs[child] = lows[node], highs[node]
            lows[child, column] = max(lows[node, column], cuts.lows[child])
            highs[child, column] = min(highs[node, column], cuts.highs[child])
    return lows, highs


@compiled
def widen_to_boxes(lows: Int32s, highs: Int32s, region_lows: Int32s, region_highs: Int32s, column: int) -> None:
    """Widen the ranges of one attribute to boxes; a class with only missing values is unchanged."""
    for group in range(lows.shape[0]):
        if highs[group, column] > 0:
            lows[group, column] = min(lows[group, column], region_lows[group, column])
            highs[group, column] = max(highs[group, column], region_highs[group, column])


@compiled
def widen_to_nodes(space: CodeSpace, column: int, lows: Int32s, highs: Int32s) -> None:
    """Widen ranges of a tree's leaves to those of the lowest node above them."""
    for group in range(lows.shape[0]):
        if highs[group, column] > 0:
            node = find_lowest_node(space, column, np.int64(lows[group, column]), np.int64(highs[group, column]))
            # Code 0 is a missing value, and never part of a range.
            lows[group, column] = max(space.first[node], 1)
            highs[group, column] = space.last[node]


@compiled
def place_units(cuts: CutTree, codes: Int32s, ties: UInt64s) -> Int32s:
    """Return the node that each unit comes to; NOWHERE if no child of a tree's node is above its value."""
    nodes = np.empty(codes.shape[0], np.int32)
    for unit in range(codes.shape[0]):
        node = 0
        while node >= 0 and cuts.columns[node] >= 0:
            code = codes[unit, cuts.columns[node]]
            following = NOWHERE
            for child in range(cuts.children[node], cuts.children[node] + cuts.numbers[node]):
                # Two children can share the code at which a relaxed cut divides: ties decide between them.
                within = cuts.lows[child] <= code <= cuts.highs[child]
                if within and (code < cuts.highs[child] or ties[unit] <= cuts.limits[child]):
                    following = child
                    break
            node = following
        nodes[unit] = node
    return nodes
