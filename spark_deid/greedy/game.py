"""The game of Li, Vorobeychik, Li and Malin: counts, the publisher's loss, the stop test, the attacker's search.

Instances are tokens. A set of removing classifiers ``H`` has found every sensitive token that one of them found, and
suppressed in vain every other token that one of them took for sensitive.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Offsets = NDArray[np.int32]


class Counts(NamedTuple):
    """How a classifier does on a set of instances."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    def __add__(self, other: object) -> "Counts":
        """Add counts of disjoint sets of instances."""
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NO_COUNTS = Counts(0, 0, 0, 0)


def count(positive: Flags, sensitive: Flags) -> Counts:
    """Count the cells of one classifier over the same instances, in the same order.

    >>> count(np.array([True, True, False]), np.array([True, False, True]))
    Counts(true_positives=1, false_positives=1, false_negatives=1, true_negatives=0)
    """
    found = int(np.count_nonzero(positive & sensitive))
    positives, sensitives = int(np.count_nonzero(positive)), int(np.count_nonzero(sensitive))
    return Counts(found, positives - found, sensitives - found, len(positive) - positives - sensitives + found)


def union(positives: Sequence[Flags]) -> Flags:
    """Return which instances a set of classifiers removes: those that at least one of them takes for sensitive."""
    return np.asarray(np.logical_or.reduce(np.asarray(positives, np.bool_), axis=0))


def publisher_loss(missed: int, wasted: int, loss_ratio: float) -> float:
    """Return ``T(H) / C``: L/C for every missed sensitive token, 1 for every token suppressed in vain."""
    return loss_ratio * missed + wasted


def is_stop(true_positives: int, false_positives: int, loss_ratio: float) -> bool:
    """Tell whether one more classifier does not lower the publisher's loss.

    By Lemma 1 ``T(H + h) - T(H) >= 0`` is exactly ``C * FP >= L * TP``, counted on what ``H`` publishes.
    A classifier that finds nothing stops the loop.
    """
    return false_positives >= loss_ratio * true_positives


def touched(starts: Offsets, ends: Offsets, intervals: Iterable[tuple[int, int]]) -> Flags:
    """Tell of each token (disjoint, in order) whether an interval touches it; intervals may overlap.

    >>> touched(np.array([0, 4, 8], np.int32), np.array([3, 7, 11], np.int32), [(5, 8)])
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


def expected_by_chance(counts: Counts, budget: int) -> float:
    """Return how many sensitive tokens an attacker expects who inspects ``budget`` tokens picked uniformly."""
    return budget * _share(counts.true_positives + counts.false_negatives, sum(counts))


def expected_positives_first(counts: Counts, budget: int) -> float:
    """Return how many he expects who inspects predicted positives first, then the rest; random within each."""
    positives = counts.true_positives + counts.false_positives
    rest = counts.false_negatives + counts.true_negatives
    among = min(budget, positives) * _share(counts.true_positives, positives)
    return among + max(0, min(budget, sum(counts)) - positives) * _share(counts.false_negatives, rest)


def prefers_positives(counts: Counts) -> bool:
    """Tell whether positives are at least as rich as chance (Lemma 2): ``TP * TN >= FP * FN``."""
    return counts.true_positives * counts.true_negatives >= counts.false_positives * counts.false_negatives


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
