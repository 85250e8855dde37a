"""The lattice of full-domain generalizations: a node has a level for every attribute."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from spark_deid.anonymity.levels import AttributeLevels
from spark_deid.core.numerics.arrays import Bools, Int32s

Node = tuple[int, ...]


def lift_codes(levels: AttributeLevels, low: int, high: int) -> Int32s:
    """Return what the codes of one level of an attribute become at another, at or above it."""
    codes = np.zeros(len(levels.labels[low]), np.int32)
    codes[levels.codes[low]] = levels.codes[high]
    return codes


def nodes_by_height(shape: Sequence[int]) -> Iterator[tuple[int, list[Node]]]:
    """Yield the nodes of a lattice, height by height: the sum of their levels; ``shape`` counts levels."""
    every = sorted(product(*map(range, shape)), key=sum)
    start = 0
    while start < len(every):
        height = sum(every[start])
        end = next((at for at in range(start, len(every)) if sum(every[at]) > height), len(every))
        yield height, every[start:end]
        start = end


def nodes_below(node: Node) -> Iterator[Node]:
    """Yield the nodes that are one level lower in one attribute."""
    return ((*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level)


def mark_above(satisfied: Bools, node: Node) -> None:
    """Mark a node and every generalization of it."""
    satisfied[tuple(slice(level, None) for level in node)] = True


def minimal_nodes(satisfied: Bools) -> tuple[Node, ...]:
    """Return the marked nodes that generalize no other marked node, in order.

    >>> minimal_nodes(np.array([[False, True, True], [True, True, False]]))
    ((0, 1), (1, 0))
    """
    at_or_below = satisfied.copy()
    for axis in range(satisfied.ndim):
        np.logical_or.accumulate(at_or_below, axis=axis, out=at_or_below)
    strictly_below = np.zeros_like(satisfied)
    for axis in range(satisfied.ndim):
        lower, upper = (tuple(part if a == axis else slice(None) for a in range(satisfied.ndim)) for part in _SHIFTED)
        strictly_below[upper] |= at_or_below[lower]
    return tuple(tuple(map(int, node)) for node in np.argwhere(satisfied & ~strictly_below))


_SHIFTED = (slice(None, -1), slice(1, None))
