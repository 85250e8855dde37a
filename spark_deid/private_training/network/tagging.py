"""The de-identifier's network: vectors and casings to scores of tags (Friedrich et al. 2019, Table 1)."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import CASINGS
from spark_deid.private_training.network.layers import Weights, bilstm, dense, dense_shapes, lstm_shapes

LAYERS = ("lstm_1", "lstm_2")
_ONE_OF = np.eye(len(CASINGS) + 1, len(CASINGS), dtype=np.float32)
NO_CASING = len(CASINGS)
"""The casing of absent tokens."""


def tagging_shapes(inputs: int, units: int, tags: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the network's arrays: two bidirectional layers, scores, and the chain of tags."""
    return {
        **lstm_shapes(LAYERS[0], inputs + len(CASINGS), units),
        **lstm_shapes(LAYERS[1], 2 * units, units),
        **dense_shapes("scores", 2 * units, tags),
        **chain_shapes(tags),
    }


def tag_scores(weights: Weights, vectors: Float32s, casings: Int64s, present: Bools) -> Float32s:
    """Return the scores ``[sentence, token, tag]`` of vectors ``[sentence, token, number]``, without the chain's."""
    states = np.concatenate([vectors, _ONE_OF[casings]], 2)
    for name in LAYERS:
        states = bilstm(weights, name, states, present)
    return dense(weights, "scores", states)


# Decode chains of tags with NumPy, many sentences at a time: the best row, and probabilities of each token.


def chain_shapes(tags: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of a chain."""
    return {"transitions": (tags, tags), "begins": (tags,), "ends": (tags,)}


def best_rows(weights: Weights, scores: Float64s, present: Bools) -> Int32s:
    """Return the best row of tags of each sentence; absent tokens come after all others, and get 0.

    ``scores`` are ``[sentence, token, tag]``.
    """
    transitions = np.asarray(weights["transitions"], np.float64)
    count, length, tags = scores.shape
    best = weights["begins"] + scores[:, 0]
    back = np.zeros((count, length, tags), np.int32)
    for place in range(1, length):
        reached = best[:, :, None] + transitions
        back[:, place] = reached.argmax(1)
        after = reached.max(1) + scores[:, place]
        here = present[:, place, None]
        best = np.where(here, after, best)
        back[:, place] = np.where(here, back[:, place], np.arange(tags))
    chosen = np.zeros((count, length), np.int32)
    tag = (best + weights["ends"]).argmax(1)
    for place in range(length - 1, -1, -1):
        chosen[:, place] = tag
        tag = back[np.arange(count), place, tag]
    return np.where(present, chosen, 0).astype(np.int32)


def tag_probabilities(weights: Weights, scores: Float64s, present: Bools) -> Float64s:
    """Return each token's probability of each tag, ``[sentence, token, tag]``; of absent tokens 0."""
    transitions = np.asarray(weights["transitions"], np.float64)
    count, length, tags = scores.shape
    forward = np.zeros((count, length, tags))
    backward = np.zeros((count, length, tags))
    forward[:, 0] = weights["begins"] + scores[:, 0]
    for place in range(1, length):
        after = log_sum(forward[:, place - 1, :, None] + transitions, 1) + scores[:, place]
        forward[:, place] = np.where(present[:, place, None], after, forward[:, place - 1])
    backward[:, -1] = weights["ends"]
    for place in range(length - 2, -1, -1):
        following = (scores[:, place + 1] + backward[:, place + 1])[:, None, :] + transitions
        before = log_sum(following, 2)
        backward[:, place] = np.where(present[:, place + 1, None], before, weights["ends"])
    whole = log_sum(forward[:, -1] + weights["ends"], 1)[:, None, None]
    found = np.exp(forward + backward - whole)
    return np.where(present[:, :, None], found, 0.0)


def log_sum(values: Float64s, axis: int) -> Float64s:
    """Return the logarithm of the sum of exponentials along an axis."""
    most = values.max(axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - most).sum(axis)) + most.squeeze(axis))


def row_losses(weights: Weights, scores: Float64s, tags: Int64s, present: Bools) -> Float64s:
    """Return the negative log-likelihood of each sentence's row of tags, 0 for an empty sentence."""
    transitions = np.asarray(weights["transitions"], np.float64)
    numbers = np.arange(len(scores))
    reached = weights["begins"] + scores[:, 0]
    own = np.asarray(reached[numbers, tags[:, 0]], np.float64)
    for place in range(1, scores.shape[1]):
        here = present[:, place]
        after = log_sum(reached[:, :, None] + transitions, 1) + scores[:, place]
        reached = np.where(here[:, None], after, reached)
        moved = transitions[tags[:, place - 1], tags[:, place]] + scores[numbers, place, tags[:, place]]
        own += np.where(here, moved, 0)
    last = tags[numbers, np.maximum(present.sum(1), 1) - 1]
    ends = np.asarray(weights["ends"], np.float64)
    return np.asarray(log_sum(reached + ends, 1) - own - ends[last])
