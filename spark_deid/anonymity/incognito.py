"""Incognito: every minimal full-domain generalization of a table that satisfies models.

LeFevre, DeWitt and Ramakrishnan (SIGMOD 2005), 3. Attributes are added one by one: a generalization of several can only
satisfy monotone models where those of all but one attribute do (the subset property), and what generalizes a satisfying
node need not be looked at. With a share of rows to suppress both hold only for absorbing models: else a union may have
to suppress more than its classes did, and every node is looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.frequency import FrequencySet, roll_up
from spark_deid.anonymity.lattice import (
    AttributeLevels,
    Node,
    lift_codes,
    mark_above,
    minimal_nodes,
    nodes_below,
    nodes_by_height,
)
from spark_deid.anonymity.outcome import ClassOutcome, suppress_failing
from spark_deid.core.numerics.arrays import Bools

Attributes = tuple[int, ...]


@dataclass(frozen=True)
class FrequencyLattice:
    """A table by its frequency set of untouched codes, and how its attributes are generalized.

    At most ``most`` rows may be suppressed. ``monotone`` tells that what generalizes a satisfying node satisfies, with
    that many rows to suppress.
    """

    base: FrequencySet
    levels: Sequence[AttributeLevels]
    constraint: ClassConstraint
    most: int = 0
    monotone: bool = True

    def shape(self, attributes: Attributes) -> tuple[int, ...]:
        """Return how many levels each attribute has."""
        return tuple(self.levels[at].height + 1 for at in attributes)

    def at(self, node: Node) -> FrequencySet:
        """Return the frequency set of a node of all attributes."""
        return roll_up(
            self.base, [lift_codes(levels, 0, level) for levels, level in zip(self.levels, node, strict=True)]
        )

    def root(self, attributes: Attributes) -> FrequencySet:
        """Return the untouched frequency set of some attributes."""
        return roll_up(
            self.base, [lift_codes(each, 0, 0) if at in attributes else None for at, each in enumerate(self.levels)]
        )

    def outcome(self, frequencies: FrequencySet) -> ClassOutcome:
        """Return what a frequency set comes to."""
        return suppress_failing(frequencies, self.constraint, most=self.most)


@dataclass(frozen=True)
class LatticeSearch:
    """The minimal nodes in order, and how many nodes of which lattice were looked at."""

    minimal: tuple[Node, ...]
    looked_at: int
    nodes: int


@dataclass
class _Walk:
    """A walk from the bottom to the top of the lattice of some attributes."""

    lattice: FrequencyLattice
    attributes: Attributes
    candidates: Bools
    satisfied: Bools = field(init=False)
    looked_at: int = 0

    def __post_init__(self) -> None:
        self.satisfied = np.zeros(self.candidates.shape, np.bool_)

    def run(self) -> None:
        """Look at every candidate that nothing below it decides."""
        root = self.lattice.root(self.attributes)
        lower: dict[Node, FrequencySet] = {}
        for _, nodes in nodes_by_height(self.candidates.shape):
            here: dict[Node, FrequencySet] = {}
            for node in nodes:
                if not self.candidates[node] or (self.lattice.monotone and self.satisfied[node]):
                    continue
                found = here[node] = self._frequencies(node, root, lower)
                self._mark(node, found)
            lower = here

    def _frequencies(self, node: Node, root: FrequencySet, lower: Mapping[Node, FrequencySet]) -> FrequencySet:
        """Roll up the smallest set that is at hand."""
        at_hand = [each for each in nodes_below(node) if each in lower]
        start = min(at_hand, key=lambda each: lower[each].size, default=tuple(0 for _ in node))
        steps = zip(self.attributes, start, node, strict=True)
        levels = self.lattice.levels
        return roll_up(lower.get(start, root), [lift_codes(levels[at], low, high) for at, low, high in steps])

    def _mark(self, node: Node, frequencies: FrequencySet) -> None:
        self.looked_at += 1
        if not self.lattice.outcome(frequencies).within(self.lattice.most):
            return
        if self.lattice.monotone:
            mark_above(self.satisfied, node)
        else:
            self.satisfied[node] = True


def find_minimal_nodes(lattice: FrequencyLattice) -> LatticeSearch:
    """Return the minimal nodes of a table; none where even the top does not satisfy."""
    every = tuple(range(len(lattice.levels)))
    sizes = range(1, len(every) + 1) if lattice.monotone else (len(every),)
    known: dict[Attributes, Bools] = {}
    looked_at = 0
    for size in sizes:
        walked = {}
        for attributes in combinations(every, size):
            walk = _Walk(lattice, attributes, _candidates(lattice, attributes, known))
            walk.run()
            walked[attributes] = walk.satisfied
            looked_at += walk.looked_at
        known = walked
    return LatticeSearch(minimal_nodes(known[every]), looked_at, int(np.prod(lattice.shape(every))))


def _candidates(lattice: FrequencyLattice, attributes: Attributes, known: Mapping[Attributes, Bools]) -> Bools:
    """Return the nodes whose levels satisfy without any one of the attributes."""
    candidates = np.ones(lattice.shape(attributes), np.bool_)
    for axis in range(len(attributes)):
        others = attributes[:axis] + attributes[axis + 1 :]
        if others in known:
            candidates &= np.expand_dims(known[others], axis)
    return candidates
