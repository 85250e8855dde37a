"""Greedy searches from the lowest levels that reach the goal: the paper's Algorithms 4 and 5, corrected."""

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.plausibility.kernels.cost import TOLERANCE, combine, cost_of


@compiled
def search_deviations(
    entropies: Float64s, starts: Int64s, start: Int64s, goal: float, alpha: float, delta: Int
) -> Int64s:
    """Return the best text within ``delta`` steps up or down from ``start``, on one word or several (Algorithm 4).

    Every text is checked once: the words' net steps are chosen one word after the other.
    """
    words = len(starts) - 1
    best = start.copy()
    _, least = cost_of(entropies, starts, start, goal, alpha)
    rest_total, rest_local = np.zeros(words + 1), np.zeros(words + 1)
    for word in range(words - 1, -1, -1):
        entropy = entropies[starts[word] + start[word]]
        rest_total[word] = rest_total[word + 1] + entropy
        rest_local[word] = rest_local[word + 1] + (entropy - goal / words) ** 2
    total, local = np.zeros(words + 1), np.zeros(words + 1)
    # `left[word]` steps remain for this word and those after it, and `steps`
    # counts the tried ones: 0, +1, -1, +2, ...
    left, steps = np.full(words + 1, delta, np.int64), np.full(words, -1, np.int64)
    levels = start.copy()
    word = 0
    while word >= 0:
        steps[word] += 1
        if steps[word] > 2 * left[word]:
            steps[word] = -1
            levels[word] = start[word]
            word -= 1
            continue
        step = (steps[word] + 1) // 2 if steps[word] % 2 else -(steps[word] // 2)
        if not 0 <= start[word] + step < starts[word + 1] - starts[word]:
            continue
        levels[word] = start[word] + step
        entropy = entropies[starts[word] + levels[word]]
        total[word + 1] = total[word] + entropy
        local[word + 1] = local[word] + (entropy - goal / words) ** 2
        left[word + 1] = left[word] - abs(step)
        # Without steps left, the other words remain at `start`, whose sums are `rest_total` and `rest_local`.
        if word + 1 < words and left[word + 1]:
            word += 1
            continue
        reached = total[word + 1] + rest_total[word + 1]
        cost = combine(reached, local[word + 1] + rest_local[word + 1], goal, words, alpha)
        if reached >= goal - TOLERANCE and cost < least - TOLERANCE:
            least = cost
            best[:] = levels
    return best


@compiled
def search_one_step(entropies: Float64s, starts: Int64s, start: Int64s, goal: float, alpha: float) -> Int64s:
    """Return the text that the best single steps lead to, one a round, in at most m rounds (Algorithm 5)."""
    words = len(starts) - 1
    levels = start.copy()
    total, least = cost_of(entropies, starts, levels, goal, alpha)
    share = goal / words
    for _ in range(words):
        local = 0.0
        for word in range(words):
            local += (entropies[starts[word] + levels[word]] - share) ** 2
        chosen, direction = -1, 0
        for word in range(words):
            here = entropies[starts[word] + levels[word]]
            for step in (-1, 1):
                if not 0 <= levels[word] + step < starts[word + 1] - starts[word]:
                    continue
                there = entropies[starts[word] + levels[word] + step]
                # One word changes, so its two terms update the sum over all words.
                changed = local - (here - share) ** 2 + (there - share) ** 2
                cost = combine(total - here + there, changed, goal, words, alpha)
                if total - here + there >= goal - TOLERANCE and cost < least - TOLERANCE:
                    chosen, direction, least = word, step, cost
        if chosen < 0:
            break
        levels[chosen] += direction
        total, least = cost_of(entropies, starts, levels, goal, alpha)
    return levels
