"""Incognito: every minimal full-domain generalization of a table that satisfies models.

LeFevre, DeWitt and Ramakrishnan (SIGMOD 2005), 3. Attributes are added one by one: a generalization of several can only
satisfy monotone models where those of all but one attribute do (the subset property), and what generalizes a satisfying
node need not be checked. With a fraction of rows to suppress both hold only for absorbing models: else a union may have
to suppress more than its classes did, and every node is checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.frequency import FrequencySet, SensitiveValues, roll_up
from spark_deid.anonymity.kernels.failing import find_failing
from spark_deid.anonymity.lattice import (
    AttributeLevels,
    Node,
    lift_codes,
    mark_above,
    minimal_nodes,
    nodes_below,
    nodes_by_height,
)
from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s

# The result of a generalization: the classes that satisfy the models, and the rows that are suppressed.


@dataclass(frozen=True)
class ClassOutcome:
    """``kept[c]`` states whether the class of combination c is published; ``suppressed`` rows are not.

    ``scattered`` of these rows are of people in several classes. ``possible`` is False where no suppression fixes
    what fails: of a population's people that no class may represent as well few are in the table.
    """

    kept: Bools
    suppressed: int
    scattered: int
    possible: bool = True

    def within(self, most: int) -> bool:
        """Return whether this may be published with at most that many rows suppressed, and any left."""
        return self.possible and self.suppressed <= most and bool(self.kept.any())


def suppress_failing(frequencies: FrequencySet, constraint: ClassConstraint, *, most: int) -> ClassOutcome:
    """Suppress the classes that fail, and people in several classes; stop where more than ``most`` rows are.

    Where distances to the whole table count, what is published is the whole: it shrinks with every class that fails,
    so classes are tested again until none does.
    """
    scattered = int(frequencies.scattered.rows.sum())
    kept = frequencies.persons > 0
    starts = np.searchsorted(frequencies.held.owners, np.arange(frequencies.size + 1))
    whole = int(frequencies.rows.sum())
    while True:
        suppressed = scattered + whole - int(frequencies.rows[kept].sum())
        if suppressed > most:
            return ClassOutcome(kept, suppressed, scattered)
        tested = constrain_kept(constraint, frequencies.held, kept) if constraint.t < 1 else constraint
        people = np.where(kept, frequencies.persons, 0)
        held = frequencies.held
        fails = find_failing(tested, people, frequencies.population, starts, held.values, held.counts)
        if not fails.any():
            return ClassOutcome(kept, suppressed, scattered, _all_present(frequencies.population, kept, constraint))
        kept = kept & ~fails


def constrain_kept(constraint: ClassConstraint, held: SensitiveValues, kept: Bools) -> ClassConstraint:
    """Return a constraint in which the classes that are kept are the whole table."""
    there = kept[held.owners]
    totals = np.bincount(held.values[there], weights=held.counts[there], minlength=constraint.shares.size)
    return constraint._replace(shares=_shares(totals.astype(np.float64), constraint.offsets))


def _shares(totals: Float64s, offsets: Int64s) -> Float64s:
    shares = np.empty(totals.size)
    for first, end in pairwise(offsets):
        shares[first:end] = totals[first:end] / max(totals[first:end].sum(), 1)
    return shares


def _all_present(population: Int64s, kept: Bools, constraint: ClassConstraint) -> bool:
    """Return whether no one of the population is known to be absent, where some of everyone must be there."""
    return constraint.upper[0] < 0 or constraint.lower[0] == 0 or not population[~kept].any()


Attributes = tuple[int, ...]


@dataclass(frozen=True)
class FrequencyLattice:
    """A table by its frequency set of untouched codes, and how its attributes are generalized.

    At most ``most`` rows may be suppressed. ``monotone`` states that what generalizes a satisfying node satisfies, with
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
    """The minimal nodes in order, and how many nodes of which lattice were checked."""

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
