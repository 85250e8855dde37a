"""How far labelled corpora lie apart in what a model misses: a random-effects model of ratios to what is expected.

Over all corpora of a table each bin of odds has a share of names. Were it that of every text, words that look alike
would be names as often in text of few names as in that of many; were the names that are missed a share of all names,
they would be as many times fewer. The truth lies between, and half-way is taken: shares go with the root of how dense
names are. In one corpus more or fewer words of names are missed than is expected so. The logarithms of these ratios
differ by chance, which the number of names that are missed and their clustering tell, and by the kind of text: its
variance is estimated by moments (DerSimonian and Laird, 1986), and one more corpus lies within the prediction interval
of Higgins, Thompson and Spiegelhalter (2009).
"""

from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.greedy.missed_names.odds import BINS, LEVELS, ODDS
from spark_deid.greedy.missed_names.table import MissedTable

PRIOR_WORDS, PRIOR_SHARE = 100.0, 0.3
"""So many words are added to each bin, of which the odds, times this share, are names: bins may be empty."""
HALF = 0.5
"""Is added to counts of which a logarithm is taken."""
USUAL_DENSITY, DENSITY_POWER = 0.05, 0.5
"""The share of words that are of names at which shares are as they stand, and the power by which they go with it."""


@dataclass(frozen=True)
class MissSpread:
    """Shares of names ``[cell]``; the logarithm of a corpus's ratio to them, and its variances.

    ``center`` is the mean of the logarithms, ``error`` its variance, ``between`` that of corpora; ``clustering`` is the
    variance of a number of names over that number.
    """

    shares: Float64s
    center: float
    error: float
    between: float
    clustering: float
    corpora: int


def spread_of(table: MissedTable) -> MissSpread:
    """Fit the model of a table's corpora."""
    words, names = table.counts("words"), table.counts("names")
    missed = _shares(words, names)
    marked = _shares(table.counts("marked_words"), table.counts("marked_names"))
    shares = np.concatenate([np.tile(missed, LEVELS - 1), marked])
    both = words.sum(1) + table.counts("marked_words").sum(1)
    dense = density_factor(words @ missed + table.counts("marked_words") @ marked, both)
    counted = names.sum(1) + HALF
    logs = np.log(counted / (dense * (words @ missed) + HALF))
    chance = table.clustering / counted
    weights = 1 / chance
    mean = (weights * logs).sum() / weights.sum()
    distance = (weights * (logs - mean) ** 2).sum() - (len(logs) - 1)
    between = max(0.0, float(distance / (weights.sum() - (weights**2).sum() / weights.sum())))
    weights = 1 / (chance + between)
    return MissSpread(
        shares=shares,
        center=float((weights * logs).sum() / weights.sum()),
        error=float(1 / weights.sum()),
        between=between,
        clustering=float(np.median(table.clustering)),
        corpora=len(logs),
    )


def density_factor(expected: Float64s, words: Float64s) -> Float64s:
    """Return by how much shares are other where so many names are expected among words."""
    density = (expected + HALF) / (words + HALF / USUAL_DENSITY)
    return np.asarray((density / USUAL_DENSITY) ** DENSITY_POWER)


def _shares(words: Float64s, names: Float64s) -> Float64s:
    """Return the share of names among the words of each bin, over all corpora."""
    odds = np.array([ODDS[0], *ODDS])
    assert len(odds) == BINS
    prior = PRIOR_SHARE * odds / (1 + odds)
    return np.asarray((names.sum(0) + PRIOR_WORDS * prior) / (words.sum(0) + PRIOR_WORDS))
