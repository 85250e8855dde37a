"""Trees of hierarchies: leaves in order, so that each node is an interval of their codes."""

from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.ontology.hierarchy import ValueHierarchy


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
    """Build the tree of a hierarchy; children stand in the order in which its rows name them."""
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
    """Order paths from the root so that those below a node stand together; nodes as they first appear."""
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
