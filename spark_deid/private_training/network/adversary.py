"""Both adversaries' network: do two sequences stem from the same sentence (Friedrich et al. 2019, 5.3)?

T1 is given a representation and an embedding, T2 two representations and their cosine similarities. Each projects its
two inputs to vectors of one size, compares these token by token, reads the comparison with a bidirectional LSTM, and
gives the log odds of *same*.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import GATES, Weights, bilstm

TASKS = ("T1", "T2")
PROJECTED = 32
"""Numbers that each token of either input is projected to."""
_COMPARED = 4 * PROJECTED + 1


class SequencePairs(NamedTuple):
    """What adversaries are shown, ``[sentence, token, number]``, and which tokens are there.

    T1 is shown ``representation`` and ``embedding``, T2 ``representation`` and ``other``.
    """

    representation: Float32s
    embedding: Float32s
    other: Float32s
    present: Bools


def adversary_shapes(representation: int, embedding: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of both networks' arrays; the first axis of the LSTM's is task and direction."""
    return {
        "left_1": (representation, PROJECTED),
        "right_1": (embedding, PROJECTED),
        "both_2": (representation, PROJECTED),
        "lstm_input": (2 * len(TASKS), _COMPARED, GATES * units),
        "lstm_recurrent": (2 * len(TASKS), units, GATES * units),
        "lstm_bias": (2 * len(TASKS), GATES * units),
        "verdict_kernel": (len(TASKS), 4 * units),
        "verdict_offset": (len(TASKS),),
    }


def log_odds(weights: Weights, pairs: SequencePairs) -> Float32s:
    """Return the log odds ``[task, sentence]`` that both inputs stem from the same sentence."""
    given = (
        compare_tokens(pairs.representation @ weights["left_1"], pairs.embedding @ weights["right_1"], None),
        compare_tokens(
            pairs.representation @ weights["both_2"],
            pairs.other @ weights["both_2"],
            cosines(pairs.representation, pairs.other),
        ),
    )
    found = []
    for task, features in enumerate(given):
        own = {f"lstm_{part}": weights[f"lstm_{part}"][2 * task : 2 * task + 2] for part in _PARTS}
        states = bilstm(own, "lstm", features, pairs.present)
        pooled = np.concatenate([largest_state(states, pairs.present), mean_state(states, pairs.present)], 1)
        found.append(pooled @ weights["verdict_kernel"][task] + weights["verdict_offset"][task])
    return np.asarray(np.stack(found), np.float32)


_PARTS = ("input", "recurrent", "bias")


def compare_tokens(one: Float32s, other: Float32s, similarities: Float32s | None) -> Float32s:
    """Return what the LSTM reads of each token: both, how they differ, their product, and their similarity."""
    last = np.zeros((*one.shape[:2], 1), np.float32) if similarities is None else similarities[:, :, None]
    return np.concatenate([one, other, np.abs(one - other), one * other, last], 2)


def cosines(one: Float32s, other: Float32s) -> Float32s:
    """Return the cosine similarity of each token's vectors; near 0 where one is of zeros."""
    sizes = np.sqrt(np.square(one).sum(2) * np.square(other).sum(2) + LEAST)
    return np.asarray((one * other).sum(2) / sizes, np.float32)


LEAST = 1e-6
_FAR = 1e4


def largest_state(states: Float32s, present: Bools) -> Float32s:
    """Return the largest state over the tokens that are there."""
    return np.asarray(np.where(present[:, :, None], states, -_FAR).max(1), np.float32)


def mean_state(states: Float32s, present: Bools) -> Float32s:
    """Return the mean state over the tokens that are there."""
    here = present[:, :, None]
    return np.asarray(np.where(here, states, 0).sum(1) / np.maximum(present.sum(1), 1)[:, None], np.float32)
