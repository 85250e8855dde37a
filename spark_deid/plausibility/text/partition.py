"""Partitions of originals into blocks, coarser from one demand to the next, and nested in one another."""

from collections.abc import Callable, Iterable, Set
from typing import NamedTuple

from spark_deid.ontology.subtrees import ROOT, SubtreeParents


class OriginalBlock(NamedTuple):
    """Originals that are written alike: the node whose name stands for them, and their concepts, in order."""

    node: int
    members: tuple[int, ...]


class BlockLevels(NamedTuple):
    """The partition for each number of blocks that a segment may touch, from one block on.

    ``blocks[i]`` are those for ``sizes[i]``, the least whole number of at least 2 whose power i + 1 reaches t.
    """

    sizes: tuple[int, ...]
    blocks: tuple[tuple[OriginalBlock, ...], ...]


def sizes_of(t: int) -> tuple[int, ...]:
    """Return the least size of blocks for each number of them, up to the first for which 2 is enough.

    >>> sizes_of(64), sizes_of(10)
    ((64, 8, 4, 3, 3, 2), (10, 4, 3, 2))
    """
    found = [t]
    while found[-1] > 2:
        power = len(found) + 1
        low, high = 1, found[-1]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if middle**power >= t else (middle, high)
        found.append(max(high, 2))
    return tuple(found)


def levels_of(
    hung: SubtreeParents, concepts: Iterable[int], t: int, named: Callable[[Set[int], Set[int]], Set[int]]
) -> BlockLevels:
    """Return the partitions of concepts, without those that share a word with the name of any block of any size.

    ``named`` returns these concepts for the nodes of all blocks and all concepts. The partitions are built again until
    there are none.
    """
    sizes = sizes_of(t)
    originals = set(concepts)
    order = _deepest_first(hung)
    while True:
        by_size: dict[int, tuple[OriginalBlock, ...]] = {}
        finer: tuple[OriginalBlock, ...] = ()
        for size in sorted(set(sizes)):
            finer = by_size[size] = (
                _joined(hung, order, finer, size) if by_size else _first(hung, order, originals, size)
            )
        struck = named({block.node for blocks in by_size.values() for block in blocks}, originals)
        if not struck:
            return BlockLevels(sizes, tuple(by_size[size] for size in sizes))
        originals -= struck


def _deepest_first(hung: SubtreeParents) -> list[int]:
    """Return the concepts inside, each before what it hangs by."""
    depth: dict[int, int] = {}
    inside = hung.inside.nonzero()[0].tolist()
    for concept in inside:
        path = []
        while concept != ROOT and concept not in depth:
            path.append(concept)
            concept = int(hung.parents[concept])
        above = -1 if concept == ROOT else depth[concept]
        for place, each in enumerate(reversed(path), above + 1):
            depth[each] = place
    return sorted(inside, key=lambda concept: (-depth[concept], concept))


def _first(hung: SubtreeParents, order: Iterable[int], originals: set[int], size: int) -> tuple[OriginalBlock, ...]:
    """Let each node take the originals strictly below it that are free, once they are enough."""
    free: dict[int, list[int]] = {}
    blocks = []
    for node in order:
        below = free.pop(node, [])
        if len(below) >= size:
            blocks.append(OriginalBlock(node, tuple(sorted(below))))
            below = []
        if node in originals:
            below.append(node)
        free.setdefault(int(hung.parents[node]), []).extend(below)
    return tuple(blocks)


def _joined(
    hung: SubtreeParents, order: Iterable[int], finer: Iterable[OriginalBlock], size: int
) -> tuple[OriginalBlock, ...]:
    """Let each node take whole finer blocks that stand at it or below and are free, once their originals are enough."""
    free: dict[int, list[tuple[int, ...]]] = {}
    for block in finer:
        free.setdefault(block.node, []).append(block.members)
    blocks = []
    for node in order:
        own = free.pop(node, [])
        if sum(map(len, own)) >= size:
            blocks.append(OriginalBlock(node, tuple(sorted(member for each in own for member in each))))
            own = []
        free.setdefault(int(hung.parents[node]), []).extend(own)
    return tuple(blocks)
