"""Instances as arrays of flags, and how classifiers do on them."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s

Offsets = Int32s


class ConfusionCounts(NamedTuple):
    """How a classifier does on a set of instances."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    def __add__(self, other: object) -> "ConfusionCounts":
        """Add counts of disjoint sets of instances."""
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        return ConfusionCounts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def positives(self) -> int:
        """How many instances the classifier takes for sensitive."""
        return self.true_positives + self.false_positives

    @property
    def sensitive(self) -> int:
        """How many instances are sensitive."""
        return self.true_positives + self.false_negatives

    @property
    def errors(self) -> int:
        """How many instances the classifier gets wrong."""
        return self.false_positives + self.false_negatives


NO_COUNTS = ConfusionCounts(0, 0, 0, 0)


def count_cells(positive: Bools, sensitive: Bools) -> ConfusionCounts:
    """Count the cells of one classifier over the same instances, in the same order.

    >>> count_cells(np.array([True, True, False]), np.array([True, False, True]))
    ConfusionCounts(true_positives=1, false_positives=1, false_negatives=1, true_negatives=0)
    """
    found = int(np.count_nonzero(positive & sensitive))
    positives, sensitives = int(np.count_nonzero(positive)), int(np.count_nonzero(sensitive))
    return ConfusionCounts(found, positives - found, sensitives - found, len(positive) - positives - sensitives + found)


def tell_touched(starts: Offsets, ends: Offsets, intervals: Iterable[tuple[int, int]]) -> Bools:
    """Return for each token (disjoint, in order) whether an interval touches it; intervals may overlap.

    >>> tell_touched(np.array([0, 4, 8], np.int32), np.array([3, 7, 11], np.int32), [(5, 8)])
    array([False,  True, False])
    """
    pairs = np.array(list(intervals), np.int64).reshape(-1, 2)
    first = np.searchsorted(ends, pairs[:, 0], side="right")
    last = np.searchsorted(starts, pairs[:, 1], side="left")
    crossing = first < last
    change = np.zeros(len(starts) + 1, np.int64)
    np.add.at(change, first[crossing], 1)
    np.add.at(change, last[crossing], -1)
    return np.asarray(np.cumsum(change)[:-1] > 0)


# The publisher: his loss and his stop test.


def publisher_loss(missed: int, wasted: int, loss_ratio: float) -> float:
    """Return ``T(H) / C``: L/C for every missed sensitive token, 1 for every token suppressed unnecessarily."""
    return loss_ratio * missed + wasted


def is_stop(true_positives: int, false_positives: int, loss_ratio: float) -> bool:
    """Return whether one more classifier does not lower the publisher's loss.

    By Lemma 1 ``T(H + h) - T(H) >= 0`` is exactly ``C * FP >= L * TP``, counted on what ``H`` publishes.
    A classifier that finds nothing stops the loop.
    """
    return false_positives >= exact_ratio(loss_ratio) * true_positives


def exact_ratio(loss_ratio: float) -> Fraction:
    """Return a loss ratio as it was written: ``1.1 * 10`` is 11, which floats are above.

    >>> exact_ratio(1.1) * 10
    Fraction(11, 1)
    """
    return Fraction(str(float(loss_ratio)))
