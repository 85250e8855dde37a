"""The space that a table's quasi-identifiers span, as plain numbers that compiled code takes as one argument."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s


class CodeSpace(NamedTuple):
    """Attributes side by side: the codes of attribute a are ``offsets[a]`` to ``offsets[a + 1]`` of flat arrays.

    ``positions`` and ``nodes`` are by code; ``spans`` and ``ends``, the last codes before categories among numbers
    or dates, by attribute; the rest by node of the trees, in one numbering, as in ``Tree``.
    """

    offsets: Int64s
    positions: Float64s
    spans: Float64s
    is_tree: Bools
    nodes: Int32s
    first: Int32s
    last: Int32s
    parent: Int32s
    bounds: Int32s
    children: Int32s
    ends: Int32s


def space_of(attributes: Sequence[CodedAttribute]) -> CodeSpace:
    """Return the space of some attributes."""
    nodes, first, last, parent, children = ([np.empty(0, np.int32)] for _ in range(5))
    bounds = [np.zeros(1, np.int32)]
    start = 0
    for attribute in attributes:
        tree = attribute.tree
        nodes.append(np.zeros(attribute.size, np.int32) if tree is None else tree.nodes + start)
        if tree is not None:
            first.append(tree.first)
            last.append(tree.last)
            parent.append(np.where(tree.parent < 0, -1, tree.parent + start))
            bounds.append(tree.bounds[1:] + bounds[-1][-1])
            children.append(tree.children + start)
            start += len(tree.first)
    sizes = [attribute.size for attribute in attributes]
    return CodeSpace(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        positions=np.concatenate([attribute.positions for attribute in attributes]),
        spans=np.array([attribute.span for attribute in attributes], np.float64),
        is_tree=np.array([attribute.tree is not None for attribute in attributes], np.bool_),
        nodes=np.concatenate(nodes).astype(np.int32),
        first=np.concatenate(first),
        last=np.concatenate(last),
        parent=np.concatenate(parent).astype(np.int32),
        bounds=np.concatenate(bounds).astype(np.int32),
        children=np.concatenate(children).astype(np.int32),
        ends=last_codes(attributes),
    )


def last_codes(attributes: Sequence[CodedAttribute]) -> Int32s:
    """Return, by attribute, the last code before the categories among numbers or dates."""
    return np.array([attribute.last for attribute in attributes], np.int32)
