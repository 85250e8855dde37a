"""The lattice of full-domain generalizations: a node has a level for every attribute."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Bools, Int32s
from spark_deid.ontology.hierarchy import ValueHierarchy

# Levels of a hierarchy as arrays: what each value becomes, level by level.


@dataclass(frozen=True)
class AttributeLevels:
    """``codes[level, code]`` numbers what a value becomes, ``labels[level]`` names it; level 0 is the value.

    A missing value (code 0) is a separate label, None, until the last level, which is one label for all.
    """

    codes: Int32s
    labels: tuple[tuple[str | None, ...], ...]

    @property
    def height(self) -> int:
        """Return the number of levels above the values."""
        return len(self.labels) - 1


def levels_of(attribute: CodedAttribute, hierarchy: ValueHierarchy) -> AttributeLevels:
    """Number the labels of each level of a hierarchy for the values of an attribute.

    Raises SparkDeidError where the hierarchy lacks values.
    """
    rows = {row[0]: row for row in hierarchy.rows}
    texts = attribute.values.cast(pa.string()).to_pylist()
    lacking = sum(text not in rows for text in texts)
    if lacking:
        raise SparkDeidError(f"{hierarchy.name}: lacks {lacking} of the values of column {attribute.name}")
    codes = np.empty((hierarchy.height + 1, attribute.size), np.int32)
    labels = []
    for level in range(hierarchy.height + 1):
        of_missing = rows[texts[0]][level] if level == hierarchy.height and texts else None
        named = [of_missing, *(rows[text][level] for text in texts)]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(named))}
        codes[level] = [numbers[label] for label in named]
        labels.append(tuple(numbers))
    return AttributeLevels(codes, tuple(labels))


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
