"""What a representation in training loses on held-out documents, by forward passes with NumPy."""

from typing import NamedTuple

import numpy as np

from spark_deid.representation.network.adversary import SequencePairs, log_odds
from spark_deid.representation.network.layers import Weights
from spark_deid.representation.network.representing import NoNoise, deviations, represent
from spark_deid.representation.network.sentence_set import SentenceSet
from spark_deid.representation.neural.fitting import mean_loss, reading_by
from spark_deid.representation.neural.pairs import PairSampler
from spark_deid.representation.neural.representation_step import RANDOM_LOSS

BATCH = 32
ROUNDS = 2
"""How many pairs are drawn of each held-out sentence."""


class HeldOutLoss(NamedTuple):
    """Mean losses of held-out documents: the de-identifier's, both adversaries', how far each of these is from a guess.

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
) -> HeldOutLoss:
    """Return the losses of three networks; where there are no pairs, the adversaries guess."""
    tagging = mean_loss(tagger, sentences, BATCH, reading_by(representation, rng))
    losses, divergences = [np.zeros((2, 0))], [np.zeros(0)]
    width = deviations(representation["noise_out"])
    for drawn in (each for _ in range(ROUNDS) for each in pairs.epoch(BATCH, rng, None)):
        first, second = sentences.table[drawn.first], sentences.table[drawn.second]
        shown, other = (represent(representation, each, drawn.present, rng) for each in (first, second))
        odds = log_odds(adversary, SequencePairs(shown, second, other, drawn.present)).astype(np.float64)
        losses.append(np.logaddexp(0, odds) - drawn.same * odds)
        means = [represent(representation, each, drawn.present, NoNoise()) for each in (first, second)]
        apart = 0.5 * np.square((means[0] - means[1]) / width).sum((1, 2))
        divergences.append(apart[drawn.same == 0])
    told, divergence = np.concatenate(losses, 1), np.concatenate(divergences)
    if not told.size:
        return HeldOutLoss(tagging, RANDOM_LOSS, 0.0, 0.0)
    means = told.mean(1)
    apart = float(divergence.mean()) if len(divergence) else 0.0
    return HeldOutLoss(tagging, float(means.mean()), float(np.abs(means - RANDOM_LOSS).mean()), apart)
