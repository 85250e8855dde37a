"""Hierarchies that are made: ranges of numbers, periods of dates, prefixes of codes such as ZIP."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from math import floor

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.ontology.hierarchy import ROOT, ValueHierarchy

MASK = "*"


def number_ranges(texts: Iterable[str], widths: Sequence[int] = (5, 10, 20, 40)) -> ValueHierarchy:
    """Put numbers into ranges of integers, each width a multiple of the one before.

    Where some number is not whole, ranges go up to the next one's beginning without it.

    >>> number_ranges(["23", "28"], widths=(5, 10)).rows
    (('23', '[20-24]', '[20-29]', '*'), ('28', '[25-29]', '[20-29]', '*'))
    >>> number_ranges(["24.5"], widths=(5,)).rows
    (('24.5', '[20-25)', '*'),)
    """
    if any(wide % narrow or wide <= narrow for narrow, wide in pairwise(widths)):
        raise ValueError("each width must be a multiple of the width before it")
    numbers = {text: Decimal(text) for text in texts}
    whole = all(number == number.to_integral_value() for number in numbers.values())
    ranges = _whole_range if whole else _open_range
    return ValueHierarchy(
        tuple((text, *(ranges(each, width) for width in widths), ROOT) for text, each in numbers.items())
    )


def widths_over(span: float) -> tuple[int, ...]:
    """Return widths 5, 10, 50, 100, ... up to the span of some numbers.

    >>> widths_over(99)
    (5, 10, 50)
    """
    widths: list[int] = []
    width = 5
    while width < span or not widths:
        widths.append(width)
        width *= 2 if len(widths) % 2 else 5
    return tuple(widths)


def date_periods(texts: Iterable[str]) -> ValueHierarchy:
    """Put ISO dates into months, years and decades.

    >>> date_periods(["2010-06-22"]).rows
    (('2010-06-22', '2010-06', '2010', '[2010-2019]', '*'),)
    """
    return ValueHierarchy(tuple((text, *_periods(datetime.fromisoformat(text)), ROOT) for text in texts))


def prefixes(texts: Iterable[str]) -> ValueHierarchy:
    """Mask codes of one length from the right.

    >>> prefixes(["53710"]).rows
    (('53710', '5371*', '537**', '53***', '5****', '*'),)
    """
    rows = []
    for text in texts:
        masked = (text[: len(text) - number] + MASK * number for number in range(1, len(text)))
        rows.append((text, *masked, ROOT))
    return ValueHierarchy(tuple(rows))


def one_level(texts: Iterable[str]) -> ValueHierarchy:
    """Give categories without a hierarchy one level, of every value.

    >>> one_level(["a"]).rows
    (('a', '*'),)
    """
    return ValueHierarchy(tuple((text, ROOT) for text in texts))


def _whole_range(value: Decimal, width: int) -> str:
    low = _low(value, width)
    high = low + width - 1
    return f"[{low}..{high}]" if low < 0 else f"[{low}-{high}]"


def _open_range(value: Decimal, width: int) -> str:
    low = _low(value, width)
    high = low + width
    return f"[{low}..{high})" if low < 0 else f"[{low}-{high})"


def _low(value: Decimal, width: int) -> int:
    return floor(value) // width * width  # integers, since a quotient of decimals has 28 digits at most


def _periods(day: date) -> tuple[str, str, str]:
    decade = day.year // 10 * 10
    return f"{day.year:04d}-{day.month:02d}", f"{day.year:04d}", f"[{decade}-{decade + 9}]"


# Trees of hierarchies: leaves in order, so that each node is an interval of their codes.


@dataclass(frozen=True)
class HierarchyTree:
    """Nodes in depth-first order, the root first; of nodes with the same leaves only the lowest.

    ``first`` and ``last`` are the codes of a node's leaves: leaf i has code i + 1, and a missing value is leaf 0, a
    child of the root. ``nodes`` gives the node of each leaf by code; the children of node v are
    ``children[bounds[v]:bounds[v + 1]]``, in order.
    """

    leaves: tuple[str, ...]
    labels: tuple[str | None, ...]
    first: Int32s
    last: Int32s
    parent: Int32s
    bounds: Int32s
    children: Int32s
    nodes: Int32s

    def lowest(self, low: int, high: int) -> int:
        """Return the lowest node that has the leaves from ``low`` to ``high``."""
        node = int(self.nodes[low])
        while self.last[node] < high:
            node = int(self.parent[node])
        return node


def tree_of(hierarchy: ValueHierarchy) -> HierarchyTree:
    """Build the tree of a hierarchy; children are in the order in which its rows name them."""
    paths = _in_order([row[::-1] for row in hierarchy.rows])
    lowest: dict[tuple[int, int], str | None] = {(0, len(paths)): paths[0][0], (0, 0): None}
    for depth in range(1, len(paths[0])):
        lowest |= {interval: paths[interval[0] - 1][depth] for interval in _runs(paths, depth)}
    intervals = sorted(lowest, key=lambda interval: (interval[0], -interval[1]))
    parent = _parents(intervals)
    children = sorted(range(1, len(intervals)), key=lambda node: parent[node])
    bounds = np.searchsorted([parent[node] for node in children], np.arange(len(intervals) + 1))
    leaf = {interval[0]: node for node, interval in enumerate(intervals) if interval[0] == interval[1]}
    return HierarchyTree(
        leaves=tuple(path[-1] for path in paths),
        labels=tuple(lowest[interval] for interval in intervals),
        first=np.array([first for first, _ in intervals], np.int32),
        last=np.array([last for _, last in intervals], np.int32),
        parent=np.array(parent, np.int32),
        bounds=bounds.astype(np.int32),
        children=np.array(children, np.int32),
        nodes=np.array([leaf[code] for code in range(len(paths) + 1)], np.int32),
    )


def _in_order(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Order paths from the root so that those below a node are together; nodes as they first appear."""
    ranks: dict[tuple[str, ...], int] = {}
    for path in paths:
        for depth in range(len(path)):
            ranks.setdefault(path[: depth + 1], len(ranks))
    return sorted(paths, key=lambda path: [ranks[path[: depth + 1]] for depth in range(len(path))])


def _runs(paths: list[tuple[str, ...]], depth: int) -> list[tuple[int, int]]:
    """Return first and last codes of paths that share their beginning down to a depth."""
    starts = [i for i in range(len(paths)) if i == 0 or paths[i][: depth + 1] != paths[i - 1][: depth + 1]]
    return [(start + 1, end) for start, end in zip(starts, [*starts[1:], len(paths)], strict=True)]


def _parents(intervals: list[tuple[int, int]]) -> list[int]:
    """Return the parent of each interval, -1 for the root; intervals are nested and in depth-first order."""
    parents: list[int] = []
    above: list[int] = []
    for node, (_, last) in enumerate(intervals):
        while above and intervals[above[-1]][1] < last:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(node)
    return parents
