"""Decode a linear chain: the best row of tags, and each tag's probability.

Scores are ``[token, tag]``; cells beyond the tags are padding.
"""

import numpy as np

from spark_deid.numerics.arrays import Float64s, Int32s
from spark_deid.numerics.compilation import compiled

Scores = Float64s
SLACK = 1e-6
"""Predecessors this close to the bound are kept, since sums are rounded."""


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
    """Write each token's probability of each tag, by the scaled forward-backward algorithm."""
    n = len(scores)
    size = len(transitions)
    steps = np.exp(transitions)
    turned = np.ascontiguousarray(steps.T)
    local = np.empty((n, size))
    forward = np.empty((n, size))
    now = np.ones(size)
    for t in range(n):
        local[t] = np.exp(scores[t, :size] - scores[t, :size].max())
        if t:
            now[:] = 0.0
            for i in range(size):
                if forward[t - 1, i] > 1e-30:
                    for j in range(size):
                        now[j] += forward[t - 1, i] * steps[i, j]
        now *= local[t]
        now /= now.sum()
        forward[t] = now
    backward = np.ones(size)
    ahead = np.empty(size)
    for t in range(n - 1, -1, -1):
        out[t] = forward[t] * backward
        out[t] /= out[t].sum()
        if t:
            ahead[:] = backward * local[t]
            ahead /= ahead.sum()
            # Row by row, as above: a sum along a row would be one long chain of additions.
            backward[:] = 0.0
            for j in range(size):
                for i in range(size):
                    backward[i] += turned[j, i] * ahead[j]
