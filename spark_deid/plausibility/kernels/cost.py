"""The cost of a generalized text, and what all searches start from (Jiang et al., section 4.2, equation 1).

C = alpha / m² (H - log t)² + (1 - alpha) / m Σ (H_i - log t / m)², all logs of base 2, H the sum of the words' H_i.
With alpha 1 the text of least cost that reaches log t is the one of least volume: t-PAT is that case.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined

TOLERANCE = 1e-9
"""Sums of logarithms that differ by less are equal."""


@inlined
def combine(total: float, local: float, goal: float, words: Int, alpha: float) -> float:
    """Return the cost of entropy ``total`` and of ``local``, the sum of the words' squared deviations."""
    return alpha / (words * words) * (total - goal) ** 2 + (1 - alpha) / words * local


@compiled
def cost_of(entropies: Float64s, starts: Int64s, levels: Int64s, goal: float, alpha: float) -> tuple[float, float]:
    """Return the entropy and the cost of one choice of levels."""
    words = len(starts) - 1
    total = local = 0.0
    for word in range(words):
        entropy = entropies[starts[word] + levels[word]]
        total += entropy
        local += (entropy - goal / words) ** 2
    return total, combine(total, local, goal, words, alpha)


@compiled
def lowest_levels(entropies: Float64s, starts: Int64s, goal: float) -> tuple[Int64s, bool]:
    """Return every word's lowest level whose entropy reaches its fraction of the goal, and whether the text does.

    Algorithm 3, lines 1 to 3. A word too narrow for its share has its level of most entropy; then others are raised,
    the cheapest step first, until the goal is reached. Entropies need not rise along a path.
    """
    words = len(starts) - 1
    levels = np.zeros(words, np.int64)
    total = 0.0
    for word in range(words):
        best = starts[word]
        # `entropies` has the levels of all words in order: those of word i from `starts[i]` to `starts[i + 1]`.
        for place in range(starts[word], starts[word + 1]):
            if entropies[place] > entropies[best]:
                best = place
            if entropies[best] >= goal / words - TOLERANCE:
                break
        levels[word] = best - starts[word]
        total += entropies[best]
    while total < goal - TOLERANCE:
        word, level = _cheapest_rise(entropies, starts, levels, goal / words)
        if word < 0:
            return levels, False
        total += entropies[starts[word] + level] - entropies[starts[word] + levels[word]]
        levels[word] = level
    return levels, True


@compiled
def _cheapest_rise(entropies: Float64s, starts: Int64s, levels: Int64s, share: float) -> tuple[int, int]:
    """Return the word and its next level of more entropy that deviates least from its share, -1 where none remains."""
    chosen, level, least = -1, -1, np.inf
    for word in range(len(levels)):
        here = starts[word] + levels[word]
        # Only the next level of more entropy is a step. Entropies need not rise, so levels in between may have less.
        for place in range(here + 1, starts[word + 1]):
            if entropies[place] > entropies[here]:
                if (entropies[place] - share) ** 2 < least:
                    chosen, level, least = word, place - starts[word], (entropies[place] - share) ** 2
                break
    return chosen, level
