"""Find the least generalization of a text that is t-plausible: one level of its path for every term.

A text is given by its terms' paths, one after the other in flat arrays, path i from ``starts[i]`` to ``starts[i + 1]``.
Levels count from where a path as given begins. With volumes, every original below a term is as likely as any other;
with entropies of a table of frequencies (``entropies``), they are not, and need not rise along a path.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.ontology.policies import Method as Method
from spark_deid.ontology.policies import Objective as Objective
from spark_deid.plausibility.kernels.bounds import suffix_bounds
from spark_deid.plausibility.kernels.cost import TOLERANCE, cost_of, lowest_levels
from spark_deid.plausibility.kernels.exact import search_exact
from spark_deid.plausibility.kernels.products import FOUND, MOST_T, least_product
from spark_deid.plausibility.kernels.pruned import search_pruned
from spark_deid.plausibility.kernels.steps import search_deviations, search_one_step

MOST_STATES = 1 << 22
"""States beyond which an exact search gives way to greedy ones: some tens of MB and a fraction of a second."""
MOST_PRODUCTS = 1 << 15
"""States beyond which products that logarithms can't show from t are not gone through as integers."""
MOST_NODES = 1 << 62
_NEAR = 1e-6
"""Bits by which rounding can't go wrong: a sum of logarithms that is further from log2 t tells whether t is reached."""


class GeneralizationResult(NamedTuple):
    """A generalization: a level for every term, what it costs, and by which method it was found.

    ``entropy`` is log2 |D| where originals are equal. ``is_feasible`` is False where no choice of levels reaches t;
    levels then are those of most entropy.
    """

    levels: tuple[int, ...]
    entropy: float
    cost: float
    is_feasible: bool
    method: Method


def search(
    volumes: Int64s,
    starts: Int64s,
    t: int,
    *,
    alpha: float = 0.5,
    objective: Objective = "uniform",
    method: Method = "exact",
    delta: int = 1,
) -> GeneralizationResult:
    """Find the levels whose volumes' product is at least ``t`` at the least cost, or with the least product.

    Whether t is reached is reported in integers, however large. ``delta`` is for ``lub`` only. An exact search beyond
    ``MOST_STATES`` states is replaced by ``one-step``: ``method`` of the result states it. Uniform t-PAT is exact up to
    hundreds of terms at any t; t-PAT up to t of 2^26.

    >>> two = search(np.array([1, 3, 5, 1, 3, 9]), np.array([0, 3, 6]), 10)
    >>> two.levels
    (2, 1)
    """
    entropies, goal = np.log2(volumes), math.log2(t)
    if objective == "volume" and method == "exact" and t <= MOST_T:
        state, levels = least_product(np.ascontiguousarray(volumes, np.int64), starts, t, MOST_STATES)
        if state == FOUND:
            return _found(entropies, starts, levels, goal, 1.0, "exact")
    found = search_entropies(entropies, starts, goal, alpha=alpha, objective=objective, method=method, delta=delta)
    if abs(found.entropy - goal) > _NEAR:
        return found
    if volume_of(volumes, starts, found.levels) >= t:
        return found._replace(is_feasible=True)
    return _in_whole_numbers(volumes, starts, t, alpha=alpha, objective=objective, method=method, delta=delta)


def _in_whole_numbers(
    volumes: Int64s, starts: Int64s, t: int, *, alpha: float, objective: Objective, method: Method, delta: int
) -> GeneralizationResult:
    """Find levels in integers, where a product that falls short of t is one that logarithms can't show from it."""
    entropies, goal = np.log2(volumes), math.log2(t)
    weight = 1.0 if objective == "volume" else alpha
    widest = tuple(int(np.argmax(volumes[a:b])) for a, b in pairwise(starts.tolist()))
    if volume_of(volumes, starts, widest) < t:
        return _found(entropies, starts, _array(widest), goal, weight, method)._replace(is_feasible=False)
    exact = least_of_products(volumes, starts, t, weight, MOST_PRODUCTS) if method == "exact" else None
    if exact is not None:
        return _found(entropies, starts, _array(exact), goal, weight, "exact")._replace(is_feasible=True)
    above = search_entropies(
        entropies, starts, goal + 2 * TOLERANCE, alpha=alpha, objective=objective, method=method, delta=delta
    )
    levels = above.levels if volume_of(volumes, starts, above.levels) >= t else widest
    name: Method = "one-step" if method == "exact" else method
    return _found(entropies, starts, _array(levels), goal, weight, name)._replace(is_feasible=True)


def _array(levels: tuple[int, ...]) -> Int64s:
    return np.array(levels, np.int64)


def search_entropies(
    entropies: Float64s,
    starts: Int64s,
    goal: float,
    *,
    alpha: float = 0.5,
    objective: Objective = "uniform",
    method: Method = "exact",
    delta: int = 1,
) -> GeneralizationResult:
    """Find the levels whose entropies sum up to ``goal`` bits or more; else as ``search``."""
    if not len(starts) - 1:
        return GeneralizationResult((), 0.0, 0.0, goal <= TOLERANCE, method)
    weight = 1.0 if objective == "volume" else alpha
    if method == "exact":
        levels, is_feasible, is_least = search_exact(entropies, starts, goal, weight, MOST_STATES)
        return _found(entropies, starts, levels, goal, weight, "one-step" if is_feasible and not is_least else "exact")
    lowest, is_feasible = lowest_levels(entropies, starts, goal)
    if not is_feasible:
        levels = lowest
    elif method == "pruned":
        rest = suffix_bounds(entropies, starts, goal / (len(starts) - 1))
        levels, _, _ = search_pruned(entropies, starts, goal, weight, rest, MOST_NODES)
    elif method == "lub":
        levels = search_deviations(entropies, starts, lowest, goal, weight, delta)
    else:
        levels = search_one_step(entropies, starts, lowest, goal, weight)
    return _found(entropies, starts, levels, goal, weight, method)


def volume_of(volumes: Int64s, starts: Int64s, levels: tuple[int, ...]) -> int:
    """Return the product of the chosen volumes, |D|, however large."""
    return math.prod(int(volumes[start + level]) for start, level in zip(starts.tolist(), levels, strict=False))


def _found(
    entropies: Float64s, starts: Int64s, levels: Int64s, goal: float, alpha: float, method: Method
) -> GeneralizationResult:
    entropy, cost = cost_of(entropies, starts, levels, goal, alpha)
    return GeneralizationResult(
        tuple(levels.tolist()), float(entropy), float(cost), bool(entropy >= goal - TOLERANCE), method
    )


# The text of least cost among those whose product of volumes reaches t, in integers of any size.


def least_of_products(
    volumes: Int64s, starts: Int64s, t: int, alpha: float, most_states: int
) -> tuple[int, ...] | None:
    """Return the levels of least cost (equation 1) whose product is at least t; None beyond ``most_states`` products.

    Of all partial choices with one product, the one that deviates least does. One that can't reach t remains.

    >>> import numpy as np
    >>> least_of_products(np.array([1, 3, 5, 1, 3, 9]), np.array([0, 3, 6]), 10, 0.5, 99)
    (2, 1)
    """
    paths = [volumes[start:end].tolist() for start, end in pairwise(starts.tolist())]
    words, goal = len(paths), math.log2(t)
    most = [1]
    for path in reversed(paths):
        most.append(most[-1] * max(path))
    most.reverse()
    states: dict[int, tuple[float, tuple[int, ...]]] = {1: (0.0, ())}
    for word, path in enumerate(paths):
        new: dict[int, tuple[float, tuple[int, ...]]] = {}
        for product, (local, levels) in states.items():
            for level, volume in enumerate(path):
                reached = product * volume
                if reached * most[word + 1] < t:
                    continue
                deviation = local + (math.log2(volume) - goal / words) ** 2
                if reached not in new or deviation < new[reached][0]:
                    new[reached] = deviation, (*levels, level)
        if len(new) > most_states:
            return None
        states = new
    costs = {
        levels: alpha / words**2 * (math.log2(product) - goal) ** 2 + (1 - alpha) / words * local
        for product, (local, levels) in states.items()
    }
    return min(costs, key=lambda levels: costs[levels], default=None)
