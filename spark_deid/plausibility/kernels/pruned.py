"""Exhaustive search with pruning: the paper's Algorithms 1 and 2 in their corrected reading, one walk for both.

A partial choice remains when no completion can be better than the best text so far, or none can reach the goal. The
bound holds both observations of section 4.2: the words' part of the cost grows with every word (Observation 1), and the
text's part grows with entropy once the goal is reached (Observation 2). With alpha 1, that is Algorithm 1's product.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.plausibility.kernels.bounds import UndecidedBounds
from spark_deid.plausibility.kernels.cost import TOLERANCE, combine


@compiled
def search_pruned(
    entropies: Float64s, starts: Int64s, goal: float, alpha: float, bounds: UndecidedBounds, most_nodes: Int
) -> tuple[Int64s, float, bool]:
    """Return the levels of least cost that reach the goal, that cost, and whether the search came to its end.

    The cost is infinite where none was found. At most ``most_nodes`` partial choices are checked. ``bounds``
    state what open words add: by ``suffix_bounds``, or as the paper does, which is slower
    (``published_suffix_bounds``).
    """
    words = len(starts) - 1
    share = goal / words
    levels, best_levels, best = np.full(words, -1, np.int64), np.zeros(words, np.int64), np.inf
    totals, locals_ = np.zeros(words + 1), np.zeros(words + 1)
    nodes, word = 0, 0
    # A walk without recursion: `levels[word]` is the level tried last, and -1 before the first.
    while word >= 0:
        levels[word] += 1
        place = starts[word] + levels[word]
        if place == starts[word + 1]:
            levels[word] = -1
            word -= 1
            continue
        nodes += 1
        if nodes > most_nodes:
            return best_levels, best, False
        total, local = totals[word] + entropies[place], locals_[word] + (entropies[place] - share) ** 2
        if total + bounds.high[word + 1] < goal - TOLERANCE:
            continue
        # Entropy beyond the goal only adds cost, so the goal is the cheapest end that a completion can have.
        surely = max(total + bounds.low[word + 1], goal)
        if combine(surely, local + bounds.local[word + 1], goal, words, alpha) >= best:
            continue
        if word + 1 < words:
            totals[word + 1], locals_[word + 1] = total, local
            word += 1
        else:
            best, best_levels = combine(total, local, goal, words, alpha), levels.copy()
    return best_levels, best, True
