"""The likelihood of a linear-chain CRF and its slope, in compiled code.

Lafferty, McCallum and Pereira (2001). Tags are padded to a multiple of ``LANES`` (P), so that a row of weights, one for
each tag, is added in a few vector registers. Arrays ``[., P]`` are contiguous.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.core.numerics.compilation import compiled, prefetch
from spark_deid.text.kernels.vectors import LANES, add_lanes

AHEAD = 8
"""Attributes by which rows of weights are fetched before they are added."""


@compiled
def add_weights(starts: Int32s, attributes: Int32s, weights: Float64s, states: Float64s) -> None:
    """Add to ``states[token, P]`` the rows of ``weights[attribute, P]`` that each token has."""
    width = states.shape[1]
    last = len(attributes) - 1
    for t in range(len(states)):
        for k in range(starts[t], starts[t + 1]):
            # Rows of a large model are not in the cache, and waiting for them would dominate the time of the sum.
            prefetch(weights, np.int64(attributes[min(k + AHEAD, last)]) * width)
            row = np.int64(attributes[k]) * width
            for j in range(0, width, LANES):
                add_lanes(states, t * width + j, weights, row + j)


@compiled
def add_slopes(starts: Int32s, attributes: Int32s, slopes: Float64s, gradient: Float64s) -> None:
    """Add ``slopes[token, P]`` to the rows of ``gradient[attribute, P]`` that each token has."""
    width = slopes.shape[1]
    last = len(attributes) - 1
    for t in range(len(slopes)):
        for k in range(starts[t], starts[t + 1]):
            prefetch(gradient, np.int64(attributes[min(k + AHEAD, last)]) * width)
            row = np.int64(attributes[k]) * width
            for j in range(0, width, LANES):
                add_lanes(gradient, row + j, slopes, t * width + j)


@compiled
def add_lone_weights(starts: Int32s, attributes: Int32s, tags: Int32s, weights: Float64s, states: Float64s) -> None:
    """Add to ``states[token, P]`` the weights of attributes that have one only, for ``tags[attribute]``."""
    for t in range(len(states)):
        for k in range(starts[t], starts[t + 1]):
            states[t, tags[attributes[k]]] += weights[attributes[k]]


@compiled
def add_lone_slopes(starts: Int32s, attributes: Int32s, tags: Int32s, slopes: Float64s, gradient: Float64s) -> None:
    """Add ``slopes[token, P]`` to the slopes of attributes that have one weight only."""
    for t in range(len(slopes)):
        for k in range(starts[t], starts[t + 1]):
            gradient[attributes[k]] += slopes[t, tags[attributes[k]]]


@compiled
def chain_loss(
    states: Float64s, tags: Int32s, borders: Int32s, transitions: Float64s, size: int, between: Float64s
) -> float:
    """Return the negative log-likelihood of gold tags, and put its slopes by score in the place of ``states``.

    ``borders`` are the first tokens of the sequences, and the number of tokens; ``transitions[P, P]`` has weights of
    pairs of tags below ``size``; ``between[P, P]`` takes the slopes of these.
    """
    width = states.shape[1]
    steps = np.zeros((width, width))
    for i in range(size):
        for j in range(size):
            steps[i, j] = np.exp(transitions[i, j])
    # Both directions read rows in order, so the transposed factors are stored as well.
    back = np.ascontiguousarray(steps.T)
    expected = np.zeros((width, width))
    longest = 0
    for s in range(len(borders) - 1):
        longest = max(longest, borders[s + 1] - borders[s])
    local, forward = np.zeros((longest, width)), np.zeros((longest, width))
    scales = np.zeros(longest)
    backward, ahead = np.zeros(width), np.zeros(width)
    loss = 0.0
    for s in range(len(borders) - 1):
        first, n = borders[s], borders[s + 1] - borders[s]
        for t in range(n):
            top = states[first + t, 0]
            for j in range(1, size):
                top = max(top, states[first + t, j])
            for j in range(size):
                local[t, j] = np.exp(states[first + t, j] - top)
            now = forward[t]
            if t:
                now[:] = 0.0
                for i in range(size):
                    share = forward[t - 1, i]
                    for j in range(width):
                        now[j] += share * steps[i, j]
                for j in range(width):
                    now[j] *= local[t, j]
            else:
                now[:] = local[0]
            # Rabiner's scaling: forward values of each token sum to 1, and the
            # logarithms of the scales are the partition's.
            scales[t] = 1.0 / now.sum()
            for j in range(width):
                now[j] *= scales[t]
            tag = tags[first + t]
            loss += top - np.log(scales[t]) - states[first + t, tag]
            if t:
                loss -= transitions[tags[first + t - 1], tag]
                between[tags[first + t - 1], tag] -= 1.0
        backward[:] = 1.0
        for t in range(n - 1, -1, -1):
            for j in range(width):
                states[first + t, j] = forward[t, j] * backward[j]
            # The slope by a score is the expected minus the observed count, so gold's own cell loses 1.
            states[first + t, tags[first + t]] -= 1.0
            if t:
                for j in range(width):
                    ahead[j] = backward[j] * local[t, j] * scales[t]
                backward[:] = 0.0
                for j in range(size):
                    share = ahead[j]
                    for i in range(width):
                        backward[i] += share * back[j, i]
                for i in range(size):
                    share = forward[t - 1, i]
                    for j in range(width):
                        expected[i, j] += share * ahead[j]
    for i in range(size):
        for j in range(size):
            # The factor of a transition is the same at each token, so it is multiplied once at the end.
            between[i, j] += expected[i, j] * steps[i, j]
    return loss


@compiled
def count_pairs(starts: Int32s, attributes: Int32s, tags: Int32s, counts: Int32s) -> None:
    """Count how often ``counts[attribute, P]`` each attribute stands with each tag."""
    for t in range(len(tags)):
        for k in range(starts[t], starts[t + 1]):
            counts[attributes[k], tags[t]] += 1
