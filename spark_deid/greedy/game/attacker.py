"""The attacker: which classifier he takes, in which order he inspects, and what he finds on a budget."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s
from spark_deid.greedy.game.counts import ConfusionCounts

Found = Float64s


class InspectionOrder(StrEnum):
    """In which order an attacker inspects instances; within a class the order is random."""

    POSITIVES_FIRST = "positives first"
    UNIFORM = "uniform"
    NEGATIVES_FIRST = "negatives first"


def best_classifier(candidates: Sequence[ConfusionCounts]) -> int:
    """Return the place of the classifier with the fewest errors on the same instances; of equal ones the first.

    >>> best_classifier([ConfusionCounts(1, 2, 3, 4), ConfusionCounts(2, 2, 2, 4)])
    1
    """
    return min(range(len(candidates)), key=lambda place: candidates[place].errors)


def expected_found(counts: ConfusionCounts, budgets: Iterable[int], order: InspectionOrder) -> Found:
    """Return how many sensitive instances he expects to find, for each budget, in closed form.

    A budget above the number of instances inspects all of them. Inside a class the number found is hypergeometric, so
    its mean is the inspected fraction of the class times its sensitive instances.
    """
    budget = np.minimum(np.array(list(budgets), np.float64), sum(counts))
    if order is InspectionOrder.UNIFORM:
        return budget * _share(counts.sensitive, sum(counts))
    classes = [(counts.true_positives, counts.positives), (counts.false_negatives, sum(counts) - counts.positives)]
    (sensitive, size), (later_sensitive, later_size) = (
        classes if order is InspectionOrder.POSITIVES_FIRST else classes[::-1]
    )
    first = np.minimum(budget, size)
    return np.asarray(first * _share(sensitive, size) + (budget - first) * _share(later_sensitive, later_size))


def expected_best(counts: ConfusionCounts, budgets: Iterable[int]) -> Found:
    """Return what he expects, for each budget, who takes the best of the three orders.

    So a classifier worse than chance, or without a hit, is dropped and does not flatter a release.
    """
    given = tuple(budgets)
    return np.asarray(np.maximum.reduce([expected_found(counts, given, order) for order in InspectionOrder]))


def simulate_found(
    positive: Bools,
    sensitive: Bools,
    budgets: Iterable[int],
    order: InspectionOrder,
    *,
    runs: int,
    draw: np.random.Generator,
) -> Int64s:
    """Return how many sensitive instances were found, ``[run, budget]``, with the order inside classes drawn again.

    What ``expected_found`` gives in closed form is the mean of this.
    """
    last = np.minimum(np.array(list(budgets), np.int64), len(positive))
    classes = {
        InspectionOrder.POSITIVES_FIRST: ~positive,
        InspectionOrder.UNIFORM: np.zeros(len(positive), np.bool_),
        InspectionOrder.NEGATIVES_FIRST: positive,
    }[order]
    found = np.zeros((runs, len(last)), np.int64)
    for run in range(runs):
        inspected = np.lexsort((draw.random(len(positive)), classes))
        found[run] = np.concatenate([[0], np.cumsum(sensitive[inspected])])[last]
    return found


def prefers_positives(counts: ConfusionCounts) -> bool:
    """Return whether positives are at least as rich as chance (Lemma 2): ``TP * TN >= FP * FN``.

    Then positives first is at least as good as a uniform search, at every budget; else it is not better.
    """
    return counts.true_positives * counts.true_negatives >= counts.false_positives * counts.false_negatives


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
