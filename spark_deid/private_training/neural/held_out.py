"""Losses of a representation in training on held-out documents, by forward passes with NumPy."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.adversary import TASKS, SequencePairs, log_odds
from spark_deid.private_training.network.layers import NoNoise, Weights, deviations, represent
from spark_deid.private_training.network.sentence_set import SentenceSet
from spark_deid.private_training.neural.fitting import mean_loss, reading_by
from spark_deid.private_training.neural.pairs import PairSampler
from spark_deid.private_training.neural.representation_step import RANDOM_LOSS

BATCH = 32
ROUNDS = 2
"""How many pairs are drawn of each held-out sentence."""


class HeldOutLoss(NamedTuple):
    """Mean losses of held-out documents: the de-identifier's, the adversaries', and how far these are from a guess.

    ``divergence`` is that of sentences and their others, without noise on inputs.
    """

    tagging: float
    adversaries: float
    from_guess: float
    divergence: float

    def combined(self, strength: float) -> float:
        """Return the loss of the representation, ``strength`` being the paper's lambda; the divergence is bounded."""
        return self.tagging + strength * self.from_guess


def held_out_loss(
    representation: Weights,
    tagger: Weights,
    adversary: Weights,
    sentences: SentenceSet,
    pairs: PairSampler,
    rng: np.random.Generator,
    is_averaged: bool,
) -> HeldOutLoss:
    """Return the losses of three networks; if there are no pairs, the adversaries guess.

    ``is_averaged`` adversaries have one loss, of the average of their outputs, and otherwise one loss per task.
    """
    tagging = mean_loss(tagger, sentences, BATCH, reading_by(representation, rng))
    losses, divergences = [np.zeros((1 if is_averaged else len(TASKS), 0))], [np.zeros(0)]
    width = deviations(representation["noise_out"])
    for drawn in (each for _ in range(ROUNDS) for each in pairs.epoch(BATCH, rng, None)):
        first, second = sentences.table[drawn.first], sentences.table[drawn.second]
        shown, other = (represent(representation, each, drawn.present, rng) for each in (first, second))
        odds = log_odds(adversary, SequencePairs(shown, second, other, drawn.present)).astype(np.float64)
        losses.append(pair_losses(odds, drawn.same, is_averaged))
        means = [represent(representation, each, drawn.present, NoNoise()) for each in (first, second)]
        distance = 0.5 * np.square((means[0] - means[1]) / width).sum((1, 2))
        divergences.append(distance[drawn.same == 0])
    entry, divergence = np.concatenate(losses, 1), np.concatenate(divergences)
    if not entry.size:
        return HeldOutLoss(tagging, RANDOM_LOSS, 0.0, 0.0)
    means = entry.mean(1)
    distance = float(divergence.mean()) if len(divergence) else 0.0
    return HeldOutLoss(tagging, float(means.mean()), float(np.abs(means - RANDOM_LOSS).mean()), distance)


def pair_losses(odds: Float64s, same: Float32s, is_averaged: bool) -> Float64s:
    """Return the loss of each pair ``[task, pair]`` by log odds; of averaged outputs there is one row.

    One pair of the same sentence with outputs .9 and .1: the average is a guess.

    >>> odds = np.log([[0.9 / 0.1], [0.1 / 0.9]])
    >>> pair_losses(odds, np.ones(1, np.float32), True).round(4).tolist()
    [[0.6931]]
    >>> pair_losses(odds, np.ones(1, np.float32), False).round(4).tolist()
    [[0.1054], [2.3026]]
    """
    if not is_averaged:
        return np.asarray(np.logaddexp(0, odds) - same * odds, np.float64)
    is_same, differs = (np.logaddexp.reduce(-np.logaddexp(0, -each), 0) - np.log(len(odds)) for each in (odds, -odds))
    return np.asarray(-(same * is_same + (1 - same) * differs)[None], np.float64)
