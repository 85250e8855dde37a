"""Where a part of a table may be cut: widths of attributes, medians, children of a node.

The cutting of one part and that of the top levels, which goes by histograms of the whole table, share these, so both
come to the same cuts.
"""

import numpy as np

from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def find_lowest_node(space: CodeSpace, column: Int, low: Int, high: Int) -> Int:
    """Return the lowest node of a tree that has the leaves from ``low`` to ``high``."""
    # Leaves have the numbers of a walk from left to right, so a node is above
    # `high` if its last leaf is not before it.
    node = space.nodes[space.offsets[column] + low]
    while space.last[node] < high:
        node = space.parent[node]
    return np.int64(node)


@compiled
def width_between(space: CodeSpace, column: Int, low: Int, high: Int) -> float:
    """Return the fraction of an attribute's span between two codes: 1 if one is missing or a category among numbers.

    In a tree it is the leaves of the lowest node above both.
    """
    if low >= high:
        return 0.0
    if low == 0 or high > space.ends[column]:
        return 1.0
    start = space.offsets[column]
    if not space.is_tree[column]:
        return float((space.positions[start + high] - space.positions[start + low]) / space.spans[column])
    node = find_lowest_node(space, column, low, high)
    leaves = space.offsets[column + 1] - start - 1
    return float(min(1.0, (space.last[node] - space.first[node]) / max(leaves - 1, 1)))


@compiled
def find_widest(widths: Float64s) -> Int:
    """Return the attribute of the largest width, the first of equal ones; -1 where none is wide."""
    best, most = -1, 0.0
    for column in range(widths.size):
        if widths[column] > most:
            best, most = column, widths[column]
    return best


@compiled
def find_middle(counts: Int64s, half: Int) -> tuple[Int, Int]:
    """Return the first place up to which ``half`` or more are counted, and how many stand before it."""
    before = 0
    for place in range(counts.size):
        if before + counts[place] >= half:
            return place, before
        before += counts[place]
    # Fewer than `half` units are counted, so the last place is the middle.
    return counts.size - 1, before - counts[counts.size - 1]


@compiled
def child_at(space: CodeSpace, node: Int, leaf: Int) -> Int:
    """Return which child of a node has a leaf below it, by its place among the children."""
    # Children are in the order of their leaves, so a binary search finds the last
    # child that begins at or before the leaf.
    low, high = space.bounds[node], space.bounds[node + 1] - 1
    while low < high:
        between = (low + high + 1) >> 1
        if space.first[space.children[between]] <= leaf:
            low = between
        else:
            high = between - 1
    return np.int64(low - space.bounds[node])
