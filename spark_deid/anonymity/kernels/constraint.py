"""Whether a class satisfies a constraint, from counts of its people."""

from math import log

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled

ROUNDING = 1e-12
"""How much entropies and distances may differ by the order of their sums."""


@compiled
def satisfies(constraint: ClassConstraint, persons: Int, population: Int, counts: Int64s) -> bool:
    """Return whether a class satisfies a constraint.

    ``persons`` are the distinct people of the class, ``population`` those of the population that it may represent (0
    where no such table is asked for), and ``counts`` the people that hold each sensitive value, by the constraint's
    common numbering.
    """
    # The cheapest tests come first, because most classes fail one of these.
    if persons < constraint.k or not _is_present(constraint, persons, population):
        return False
    for attribute in range(constraint.offsets.size - 1):
        first, end = constraint.offsets[attribute], constraint.offsets[attribute + 1]
        if not _is_diverse(constraint, persons, counts[first:end]):
            return False
        if constraint.t < 1 and distance(constraint, attribute, counts) > constraint.t + ROUNDING:
            return False
    return True


@compiled
def _is_present(constraint: ClassConstraint, persons: Int, population: Int) -> bool:
    # Fractions are compared by products of integers, so a bound that is met exactly passes.
    numerator, denominator = constraint.upper
    if numerator < 0:
        return True
    below = persons * denominator <= numerator * population
    return bool(below and persons * constraint.lower[1] >= constraint.lower[0] * population)


@compiled
def _is_diverse(constraint: ClassConstraint, persons: Int, counts: Int64s) -> bool:
    held, most, total = 0, 0, 0
    for count in counts:
        held += count > 0
        most = max(most, count)
        total += count
    if held < constraint.distinct or most * constraint.share[1] > constraint.share[0] * persons:
        return False
    if constraint.unique and most > 1:
        return False
    if constraint.entropy > 0 and _entropy(counts, total) < constraint.entropy - ROUNDING:
        return False
    if constraint.tail > 0:
        # recursive (c, l)-diversity: the most frequent value against all values but the l - 1 most frequent.
        ordered = np.sort(counts)
        rest = ordered[: max(ordered.size - constraint.tail + 1, 0)].sum()
        return bool(most * constraint.c[1] < constraint.c[0] * rest)
    return True


@compiled
def _entropy(counts: Int64s, total: Int) -> float:
    entropy = 0.0
    for count in counts:
        if count > 0:
            entropy -= count / total * log(count / total)
    return entropy


@compiled
def distance(constraint: ClassConstraint, attribute: Int, counts: Int64s) -> float:
    """Return the earth mover's distance between a class's values of an attribute and the table's.

    Between ordered values it is the sum of what must cross each gap; a value that the table lacks makes none. In a
    hierarchy whose values all are equally deep, what must leave or enter a node crosses the edge above it, so edges are
    summed up level by level: equal to the cost that Li, Li and Venkatasubramanian (ICDE 2007, 3.2) sum up node by node.
    Equal distance is a hierarchy of height 1.
    """
    first, end = constraint.offsets[attribute], constraint.offsets[attribute + 1]
    total = max(counts[first:end].sum(), 1)
    if constraint.heights[attribute] == 0:
        return _ordered(counts[first:end], total, constraint.shares[first:end])
    height = constraint.heights[attribute]
    moved = 0.0
    for level in range(height):
        # The surplus of a node must cross the edge above it, whichever leaf it comes from.
        surplus = np.zeros(end - first)
        for value in range(first, end):
            surplus[constraint.ancestors[level, value]] += counts[value] / total - constraint.shares[value]
        moved += np.abs(surplus).sum()
    return float(moved / (2 * height))


@compiled
def _ordered(counts: Int64s, total: Int, shares: Float64s) -> float:
    carried, moved, gaps = 0.0, 0.0, -1
    for value in range(counts.size):
        if shares[value] > 0:
            carried += counts[value] / total - shares[value]
            moved += abs(carried)
            gaps += 1
    return moved / max(gaps, 1)
