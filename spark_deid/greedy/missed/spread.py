"""How far labelled corpora lie apart in what a model misses: a random-effects model of ratios to what is expected.

Over all corpora of a table each bin of odds has a share of names. In one corpus more or fewer words of names are missed
than these shares expect; the logarithms of the ratios differ by chance, which the number of names that are missed and
their clustering tell, and by the kind of text: its variance is estimated by moments (DerSimonian and Laird, 1986), and
one more corpus lies within the prediction interval of Higgins, Thompson and Spiegelhalter (2009).
"""

from dataclasses import dataclass

import numpy as np

from spark_deid.greedy.missed.odds import BINS, LEVELS, ODDS
from spark_deid.greedy.missed.table import MissedTable
from spark_deid.numerics.arrays import Float64s

PRIOR_WORDS, PRIOR_SHARE = 100.0, 0.3
"""So many words are added to each bin, of which the odds, times this share, are names: bins may be empty."""
HALF = 0.5
"""Is added to counts of which a logarithm is taken."""


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
    counted = names.sum(1) + HALF
    logs = np.log(counted / (words @ missed + HALF))
    chance = table.clustering / counted
    weights = 1 / chance
    mean = (weights * logs).sum() / weights.sum()
    apart = (weights * (logs - mean) ** 2).sum() - (len(logs) - 1)
    between = max(0.0, float(apart / (weights.sum() - (weights**2).sum() / weights.sum())))
    weights = 1 / (chance + between)
    return MissSpread(
        shares=np.concatenate([np.tile(missed, LEVELS - 1), marked]),
        center=float((weights * logs).sum() / weights.sum()),
        error=float(1 / weights.sum()),
        between=between,
        clustering=float(np.median(table.clustering)),
        corpora=len(logs),
    )


def _shares(words: Float64s, names: Float64s) -> Float64s:
    """Return the share of names among the words of each bin, over all corpora."""
    odds = np.array([ODDS[0], *ODDS])
    assert len(odds) == BINS
    prior = PRIOR_SHARE * odds / (1 + odds)
    return np.asarray((names.sum(0) + PRIOR_WORDS * prior) / (words.sum(0) + PRIOR_WORDS))
