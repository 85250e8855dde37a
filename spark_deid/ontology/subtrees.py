"""Subtrees of an ontology: the concepts below some roots, each hung by one hypernym that is there too."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int32s
from spark_deid.ontology.ontology import Ontology
from spark_deid.ontology.policies import PathPolicy

ROOT, OUTSIDE = -1, -2


class SubtreeParents(NamedTuple):
    """Of every concept the one that it hangs by: ``ROOT`` for roots, ``OUTSIDE`` for what lies below none of them."""

    roots: tuple[int, ...]
    parents: Int32s

    @property
    def inside(self) -> Bools:
        """Return for each concept whether it is a root or is below one."""
        inside: Bools = self.parents != OUTSIDE
        return inside

    def path(self, concept: int) -> tuple[int, ...]:
        """Return a concept and all that it depends on, its root last."""
        found = []
        while concept >= 0:
            found.append(concept)
            concept = int(self.parents[concept])
        return tuple(found)


def roots_of(ontology: Ontology, below: Sequence[str]) -> tuple[int, ...]:
    """Return the concepts of roots as a plan names them: a term, or a term and its sense, as in ``plant|00017402-n``.

    Raises UsageError for what the ontology lacks, and for a root that is named twice.
    """
    found = []
    for name in below:
        term, _, sense = name.partition("|")
        found.append(ontology.concept(term.strip(), sense.strip() or None))
        if found[-1] in found[:-1]:
            raise UsageError(f"{name}: named twice")
    return tuple(found)


def hang_concepts(ontology: Ontology, roots: Sequence[int], policy: PathPolicy = "first") -> SubtreeParents:
    """Hang each concept by the first of its hypernyms, by ``policy``, that is in its tree.

    A concept is in the tree of the first root that it is below; without roots those of the ontology are taken, and
    all hang as ``Ontology.ups`` has it.
    """
    if not roots:
        ups = ontology.ups(policy)
        return SubtreeParents(tuple(np.flatnonzero(ups == ROOT).tolist()), ups)
    concepts = np.arange(ontology.n_concepts, dtype=np.int32)
    tree = np.full(ontology.n_concepts, -1, np.int32)
    for number in range(len(roots) - 1, -1, -1):
        tree[ontology.lie_below(concepts, np.array([roots[number]], np.int32))] = number
    parents = np.full(ontology.n_concepts, OUTSIDE, np.int32)
    depths = _depths(ontology, roots, tree) if policy == "shortest" else {}
    starts, hypernyms = ontology.hypernym_starts, ontology.hypernyms
    for concept in np.flatnonzero(tree >= 0).tolist():
        if roots[tree[concept]] == concept:
            parents[concept] = ROOT
            continue
        above = [up for up in hypernyms[starts[concept] : starts[concept + 1]].tolist() if tree[up] == tree[concept]]
        if policy == "smallest":
            parents[concept] = min(above, key=lambda up: int(ontology.volumes[up]))
        else:
            parents[concept] = min(above, key=depths.__getitem__) if policy == "shortest" else above[0]
    return SubtreeParents(tuple(roots), parents)


def _depths(ontology: Ontology, roots: Sequence[int], tree: Int32s) -> dict[int, int]:
    """Return how many steps each concept is from its root."""
    owners = np.repeat(np.arange(ontology.n_concepts, dtype=np.int32), np.diff(ontology.hypernym_starts))
    order = np.argsort(ontology.hypernyms, kind="stable")
    children, ups = owners[order], ontology.hypernyms[order]
    depths = {root: 0 for number, root in enumerate(roots) if tree[root] == number}
    waiting = deque(depths)
    while waiting:
        node = waiting.popleft()
        first, last = np.searchsorted(ups, (node, node + 1)).tolist()
        for child in children[first:last].tolist():
            if tree[child] == tree[node] and child not in depths:
                depths[child] = depths[node] + 1
                waiting.append(child)
    return depths
