"""What a generalization comes to: the classes that satisfy the models, and the rows that are suppressed."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.frequency import FrequencySet, SensitiveValues
from spark_deid.anonymity.kernels.failing import find_failing
from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s


@dataclass(frozen=True)
class ClassOutcome:
    """``kept[c]`` tells whether the class of combination c is published; ``suppressed`` rows are not.

    ``scattered`` of these rows are of persons in several classes. ``possible`` is False where no suppression mends
    what fails: of a population's persons that no class may stand for, too few are in the table.
    """

    kept: Bools
    suppressed: int
    scattered: int
    possible: bool = True

    def within(self, most: int) -> bool:
        """Tell whether this may be published with at most so many rows suppressed, and any left."""
        return self.possible and self.suppressed <= most and bool(self.kept.any())


def suppress_failing(frequencies: FrequencySet, constraint: ClassConstraint, *, most: int) -> ClassOutcome:
    """Suppress the classes that fail, and persons in several classes; stop where more than ``most`` rows are.

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
    """Tell whether nobody of the population is known to be absent, where some of everybody must be there."""
    return constraint.upper[0] < 0 or constraint.lower[0] == 0 or not population[~kept].any()
