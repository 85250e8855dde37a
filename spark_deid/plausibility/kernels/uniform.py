"""The text of least cost, exactly: uniform t-PAT.

Given the sum of the words' entropies, the cost is a sum over words. So of all partial choices with one sum, the one
whose words deviate least does, and a partial choice remains when no completion is better than a text already known.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.plausibility.kernels.bounds import suffix_bounds
from spark_deid.plausibility.kernels.cost import TOLERANCE, combine
from spark_deid.plausibility.kernels.duals import duals_of, least_completion

_GRAIN = 2.0**36
"""Sums that agree to this part of a bit are one: far finer than the logarithms of different products below 2^30."""


@compiled
def least_cost(
    entropies: Float64s,
    starts: Int64s,
    goal: float,
    alpha: float,
    bound: float,
    multiplier: float,
    most_states: Int,
) -> tuple[Int64s, bool]:
    """Return the levels of least cost that reach the goal, and whether they were found in ``most_states`` states.

    That also fails where rounding leaves no choice open below ``bound``.

    ``bound`` is the cost of a text that reaches the goal, ``multiplier`` that of ``best_multiplier``.
    """
    words = len(starts) - 1
    share = goal / words
    rest = suffix_bounds(entropies, starts, share)
    slack = TOLERANCE * (1 + bound)
    duals = duals_of(entropies, starts, goal, alpha, multiplier)
    totals, locals_ = np.zeros(1), np.zeros(1)
    before, chosen = np.empty(256, np.int64), np.empty(256, np.int64)
    layers = np.zeros(words + 2, np.int64)
    layers[1] = number = 1
    # Dynamic programming over words: a state is a sum of entropies, with the least deviation that reaches it.
    for word in range(words):
        width = (starts[word + 1] - starts[word]) * len(totals)
        sums, deviations = np.empty(width), np.empty(width)
        origins, kept = np.empty(width, np.int64), 0
        for state in range(len(totals)):
            for place in range(starts[word], starts[word + 1]):
                total = totals[state] + entropies[place]
                local = locals_[state] + (entropies[place] - share) ** 2
                if total + rest.high[word + 1] < goal - TOLERANCE:
                    continue
                low, high = rest.low[word + 1], rest.high[word + 1]
                # `slack` keeps a choice that rounding puts just above the bound.
                if least_completion(duals, word + 1, total, local, low, high, goal, alpha) > bound + slack:
                    continue
                sums[kept], deviations[kept] = total, local
                origins[kept] = state * (starts[word + 1] - starts[word]) + place - starts[word]
                kept += 1
        best = _best_of_each(sums[:kept], deviations[:kept])
        if not len(best) or number + len(best) > most_states:
            return np.zeros(words, np.int64), False
        while number + len(best) > len(before):
            before = np.concatenate((before, np.empty_like(before)))
            chosen = np.concatenate((chosen, np.empty_like(chosen)))
        totals, locals_ = np.empty(len(best)), np.empty(len(best))
        for row in range(len(best)):
            totals[row], locals_[row] = sums[best[row]], deviations[best[row]]
            before[number + row] = origins[best[row]] // (starts[word + 1] - starts[word])
            chosen[number + row] = origins[best[row]] % (starts[word + 1] - starts[word])
        number += len(best)
        layers[word + 2] = number
    return _follow(before, chosen, layers, _cheapest(totals, locals_, goal, words, alpha)), True


@compiled
def _best_of_each(sums: Float64s, deviations: Float64s) -> Int64s:
    """Return, of the states with one sum each, the one that deviates least, by sum; the first of equal ones."""
    keys = np.empty(len(sums), np.int64)
    for row in range(len(sums)):
        # Sums as integers, so that equal sums are equal in spite of rounding. The
        # sort is stable: the first wins a tie.
        keys[row] = np.int64(np.round(sums[row] * _GRAIN))
    order = np.argsort(keys, kind="mergesort")
    kept = 0
    for row in order:
        if kept and keys[order[kept - 1]] == keys[row]:
            if deviations[row] < deviations[order[kept - 1]]:
                order[kept - 1] = row
        else:
            order[kept] = row
            kept += 1
    return order[:kept]


@compiled
def _cheapest(totals: Float64s, locals_: Float64s, goal: float, words: Int, alpha: float) -> int:
    chosen, least = 0, np.inf
    for row in range(len(totals)):
        cost = combine(totals[row], locals_[row], goal, words, alpha)
        if totals[row] >= goal - TOLERANCE and cost < least:
            chosen, least = row, cost
    return chosen


@compiled
def _follow(before: Int64s, chosen: Int64s, layers: Int64s, last: Int) -> Int64s:
    words = len(layers) - 2
    levels = np.empty(words, np.int64)
    # Each state knows its predecessor in the layer before, so levels are read from the last word to the first.
    for word in range(words - 1, -1, -1):
        state = layers[word + 1] + last
        levels[word], last = chosen[state], before[state]
    return levels
