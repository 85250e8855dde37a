"""Decode a linear chain: the best row of tags, and each tag's probability.

Scores are ``[token, tag]``; cells beyond the tags are padding.
"""

import numpy as np

from spark_deid.numerics.arrays import Float64s, Int32s
from spark_deid.numerics.compilation import compiled
from spark_deid.text.kernels.vectors import LANES, TOGETHER, sum_rows

Scores = Float64s
SLACK = 1e-6
"""Predecessors this close to the bound are kept, since sums are rounded."""

NO_CHANCE = 1e-30
SIDE = LANES * TOGETHER
"""Rows of transitions are padded to a multiple of so many tags."""


@compiled
def best_tags(scores: Scores, transitions: Scores, gains: Scores, tags: Int32s) -> None:
    """Write the tags of the highest score (Viterbi); of equal ones the first tag wins, as in CRFsuite.

    ``gains[b, i]`` is the most that tag i can win over tag b by any transition, ``max_j t[i, j] - t[b, j]``: a
    predecessor that even so stays behind the best one is skipped, which changes nothing.
    """
    n = len(scores)
    size = len(transitions)
    now = scores[0, :size].copy()
    best = np.empty(size)
    origin = np.empty(size, np.int32)
    back = np.empty((n, size), np.int32)
    for t in range(1, n):
        top = np.argmax(now)
        limit = now[top] - SLACK
        first = True
        for i in range(size):
            if now[i] + gains[top, i] < limit:
                continue
            here = now[i]
            if first:
                first = False
                for j in range(size):
                    best[j] = here + transitions[i, j]
                    origin[j] = i
            else:
                for j in range(size):
                    value = here + transitions[i, j]
                    better = value > best[j]
                    best[j] = value if better else best[j]
                    origin[j] = i if better else origin[j]
        for j in range(size):
            back[t, j] = origin[j]
            now[j] = best[j] + scores[t, j]
    tags[n - 1] = np.argmax(now)
    for t in range(n - 1, 0, -1):
        tags[t - 1] = back[t, tags[t]]


@compiled
def probabilities(scores: Scores, transitions: Scores, out: Scores) -> None:
    """Write each token's probability of each tag, by the scaled forward-backward algorithm.

    A tag with next to no chance after all tokens so far leads nowhere and is left out of the next sums.
    """
    n = len(scores)
    size = len(transitions)
    width = -(-size // SIDE) * SIDE
    steps, turned = np.zeros((size, width)), np.zeros((size, width))
    for i in range(size):
        for j in range(size):
            steps[i, j] = turned[j, i] = np.exp(transitions[i, j])
    factors, places = np.empty(size), np.empty(size, np.int64)
    local = np.empty((n, size))
    forward = np.empty((n, size))
    now = np.ones(width)
    for t in range(n):
        highest = scores[t, 0]
        for j in range(size):
            highest = max(highest, scores[t, j])
        for j in range(size):
            local[t, j] = np.exp(scores[t, j] - highest)
        if t:
            count = 0
            for i in range(size):
                factors[count], places[count] = forward[t - 1, i], i * width
                count += forward[t - 1, i] > NO_CHANCE
            for at in range(0, width, SIDE):
                sum_rows(factors, places, count, steps, now, at)
        total = 0.0
        for j in range(size):
            now[j] *= local[t, j]
            total += now[j]
        for j in range(size):
            forward[t, j] = np.divide(now[j], total)
    backward = np.ones(width)
    for j in range(size):
        places[j] = j * width
    for t in range(n - 1, -1, -1):
        total = 0.0
        for j in range(size):
            out[t, j] = forward[t, j] * backward[j]
            total += out[t, j]
        for j in range(size):
            out[t, j] = np.divide(out[t, j], total)
        if t:
            total = 0.0
            for j in range(size):
                factors[j] = backward[j] * local[t, j]
                total += factors[j]
            for j in range(size):
                factors[j] = np.divide(factors[j], total)
            for at in range(0, width, SIDE):
                sum_rows(factors, places, size, turned, backward, at)
