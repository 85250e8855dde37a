"""What the words that are still open add at least and at most."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import compiled


class UndecidedBounds(NamedTuple):
    """By number of words decided: least and most entropy of the others, and least sum of their squared deviations."""

    low: Float64s
    high: Float64s
    local: Float64s


@compiled
def suffix_bounds(entropies: Float64s, starts: Int64s, share: float) -> UndecidedBounds:
    """Return the bounds of all suffixes of the words."""
    words = len(starts) - 1
    low, high, local = np.zeros(words + 1), np.zeros(words + 1), np.zeros(words + 1)
    # From the last word to the first, so that each suffix is one addition to the next shorter one.
    for word in range(words - 1, -1, -1):
        path = entropies[starts[word] : starts[word + 1]]
        low[word] = low[word + 1] + path.min()
        high[word] = high[word + 1] + path.max()
        local[word] = local[word + 1] + ((path - share) ** 2).min()
    return UndecidedBounds(low, high, local)


@compiled
def published_suffix_bounds(entropies: Float64s, starts: Int64s) -> UndecidedBounds:
    """Return what the paper's observations know of the open words: that they add no less than nothing.

    Only what can't reach the goal any more remains beyond that.
    """
    nothing, high = np.zeros(len(starts)), np.zeros(len(starts))
    for word in range(len(starts) - 2, -1, -1):
        high[word] = high[word + 1] + entropies[starts[word] : starts[word + 1]].max()
    return UndecidedBounds(nothing, high, nothing)
