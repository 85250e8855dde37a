"""Lower bounds on the cost of what is still open, by Lagrange's multipliers on the sum of entropies.

The cost of a text is a (S - L)² + b Σ (H_i - L / m)² with S = Σ H_i >= L. For any multiplier λ, the words of a suffix
cost at least Σ min ((H_i - L / m)² - λ H_i) + λ Σ H_i, where each word is chosen separately. A good λ makes that nearly
the truth, so that few partial choices remain open; every λ is a valid bound.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined

_ROUNDS = 24
_OFFSETS = (0.0, 0.04, -0.04, 0.12, -0.12, 0.3, -0.3, 0.7, -0.7)


class DualBounds(NamedTuple):
    """Multipliers, and by multiplier and number of words decided the least of what the others add to the bound."""

    multipliers: Float64s
    rests: Float64s


@compiled
def duals_of(entropies: Float64s, starts: Int64s, goal: float, alpha: float, chosen: float) -> DualBounds:
    """Return bounds by the multiplier that is best for the whole text, by some around it, and by 0."""
    words = len(starts) - 1
    reach = max(abs(chosen), 1.0)
    multipliers = np.zeros(len(_OFFSETS) + 1)
    for place in range(len(_OFFSETS)):
        multipliers[place] = chosen + _OFFSETS[place] * reach
    rests = np.zeros((len(multipliers), words + 1))
    # For one multiplier the words are independent, so the minimum of each word is enough.
    for place in range(len(multipliers)):
        for word in range(words - 1, -1, -1):
            path = entropies[starts[word] : starts[word + 1]]
            least = ((path - goal / words) ** 2 - multipliers[place] * path).min()
            rests[place, word] = rests[place, word + 1] + least
    return DualBounds(multipliers, rests)


@inlined
def least_completion(
    duals: DualBounds,
    decided: Int,
    total: float,
    local: float,
    lowest: float,
    highest: float,
    goal: float,
    alpha: float,
) -> float:
    """Return a cost that no completion of a partial choice is below.

    ``total`` and ``local`` are those of the words decided, ``lowest`` and ``highest`` what the others may add.
    """
    words = duals.rests.shape[1] - 1
    text, word = alpha / (words * words), (1 - alpha) / words
    best = 0.0
    for place in range(len(duals.multipliers)):
        multiplier = duals.multipliers[place]
        # A completion ends between goal and `highest`. With a negative multiplier the
        # text's own cost has its minimum inside.
        end = max(goal, total + lowest)
        if multiplier < 0:
            end = max(end, min(goal - word * multiplier / (2 * text), total + highest) if text else total + highest)
        open_words = local + duals.rests[place, decided] + multiplier * (end - total)
        best = max(best, text * (end - goal) ** 2 + word * open_words)
    return best


@compiled
def best_multiplier(entropies: Float64s, starts: Int64s, goal: float, alpha: float) -> tuple[float, Int64s]:
    """Return the multiplier of the best bound for the whole text, and the levels just beyond it."""
    words = len(starts) - 1
    text, word = alpha / (words * words), (1 - alpha) / words
    high = 2 * np.abs(entropies).max() + 1.0
    low = -high
    # The chosen sum rises with the multiplier, so bisection finds where it reaches the goal.
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        end = goal
        if middle < 0:
            end = goal - word * middle / (2 * text) if text else np.inf
        if _sum_at(entropies, starts, goal, middle) < end:
            low = middle
        else:
            high = middle
    return high, _levels_at(entropies, starts, goal, high)


@compiled
def _levels_at(entropies: Float64s, starts: Int64s, goal: float, multiplier: float) -> Int64s:
    words = len(starts) - 1
    levels = np.empty(words, np.int64)
    for word in range(words):
        path = entropies[starts[word] : starts[word + 1]]
        levels[word] = np.argmin((path - goal / words) ** 2 - multiplier * path)
    return levels


@compiled
def _sum_at(entropies: Float64s, starts: Int64s, goal: float, multiplier: float) -> float:
    total = 0.0
    share = goal / (len(starts) - 1)
    for word in range(len(starts) - 1):
        least, chosen = np.inf, 0.0
        for place in range(starts[word], starts[word + 1]):
            entry = (entropies[place] - share) ** 2 - multiplier * entropies[place]
            if entry < least:
                least, chosen = entry, entropies[place]
        total += chosen
    return total
