"""Words of names that are missed in text without labels, and the loss ratio by which no more than a share is missed."""

from dataclasses import dataclass, replace
from math import ceil, exp, sqrt

import numpy as np

from spark_deid.core.missed_names import MissedEstimate, OddsCounts, TargetChoice
from spark_deid.core.numerics.arrays import Float64s
from spark_deid.greedy.missed_names.table import BINS, CELLS, LEVELS, ODDS, RATIOS, MissedTable
from spark_deid.greedy.missed_names.word_forms import TextRange, range_of

# How much labelled corpora differ in the names that a model misses: a random-effects model of ratios to expectations.
#
# Over all corpora of a table, each bin of odds has a fraction of names. If this fraction held for every text, similar
# words would be names equally often in text of few names and of many. If the missed names were a fraction of all names,
# they would be as many times fewer. The truth is between the two: fractions grow with the root of the density of names.
# A corpus has more or fewer missed words than this expectation. The logarithms of these ratios differ by chance, which
# follows from the number of missed names and their clustering, and by the kind of text. The variance of the latter is
# estimated by moments (DerSimonian and Laird, 1986). A further corpus is within the prediction interval of Higgins,
# Thompson and Spiegelhalter (2009).


PRIOR_WORDS, PRIOR_SHARE = 100.0, 0.3
"""Words added to each bin; the odds, times this number, are the fraction of names among them: bins may be empty."""
HALF = 0.5
"""Is added to counts of which a logarithm is taken."""
USUAL_DENSITY, DENSITY_POWER = 0.05, 0.5
"""The fraction of name words at which fractions are unchanged, and the power with which they grow with it."""


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
    """Return the factor of fractions at an expected number of names among words."""
    density = (expected + HALF) / (words + HALF / USUAL_DENSITY)
    return np.asarray((density / USUAL_DENSITY) ** DENSITY_POWER)


def _shares(words: Float64s, names: Float64s) -> Float64s:
    """Return the fraction of names among the words of each bin, over all corpora."""
    odds = np.array([ODDS[0], *ODDS])
    assert len(odds) == BINS
    prior = PRIOR_SHARE * odds / (1 + odds)
    return np.asarray((names.sum(0) + PRIOR_WORDS * prior) / (words.sum(0) + PRIOR_WORDS))


COVERED = 0.975
"""The fraction of cases below an interval's upper end, and above its lower end."""
LEAST = 1e-3
"""The least number of expected words for which there is a fraction."""


def estimate_missed(table: MissedTable, counts: OddsCounts) -> MissedEstimate:
    """Predict the words of names that no edit touches, for text that is like the corpora of a table.

    The interval of the number has the spread of corpora, what documents differ by where they were resampled (a
    jackknife over groups of them), and the chance of few words; the interval of the fraction is of the expectation.
    """
    return replace(_estimated(spread_of(table), counts), covered=sum(covered_corpora(table)))


def choose_ratio(table: MissedTable, counts: OddsCounts, target: float, *, own_ratio: float) -> TargetChoice:
    """Choose the lowest loss ratio, none below the model's own, at which the fraction's upper end is within a target.

    ``counts`` are those of the model's own ratio. Where no ratio is high enough the highest is chosen.
    """
    spread = spread_of(table)
    ratios = [own_ratio, *(ratio for ratio in sorted(RATIOS) if ratio > own_ratio)]
    for ratio in ratios:
        given = counts if ratio == own_ratio else with_ratio(counts, ratio)
        reached = _estimated(spread, given).share_high <= target
        if reached:
            break
    return TargetChoice(ratio, reached, {"loss_ratio": ratio, "target": None, "segments": False})


def with_ratio(counts: OddsCounts, ratio: float) -> OddsCounts:
    """Return the counts as if words of all levels that decoding by a ratio of ``RATIOS`` marks had been edited."""
    marked = np.arange(CELLS) // BINS > RATIOS.index(ratio)
    moved = np.where(marked, counts.untouched, 0)
    return counts._replace(untouched=counts.untouched - moved, edited=counts.edited + moved)


def outside_range(table: MissedTable, counts: OddsCounts) -> tuple[str, ...]:
    """Return the features of a text's words that are outside the range of the corpora of a table."""
    return _range_of(table).outside(counts.forms)


def _range_of(table: MissedTable) -> TextRange:
    return range_of(np.array(each.forms, np.int64) for each in table.corpora.values())


def covered_corpora(table: MissedTable) -> tuple[bool, ...]:
    """Return for each corpus of a table whether its interval, predicted by the others, contains what labels count."""
    return tuple(_is_covered(table, name) for name in table.corpora)


def _is_covered(table: MissedTable, name: str) -> bool:
    """Predict a corpus by the others, at the lowest of the ratios, as one group of documents."""
    corpus = table.corpora[name]
    untouched, edited = np.zeros((2, 1, CELLS), np.int64)
    untouched[0, :BINS], edited[0, -BINS:] = corpus.words, corpus.marked_words
    result = _estimated(spread_of(table.without(name)), OddsCounts(untouched, edited, 1, 1, np.array(corpus.forms)))
    return result.low <= sum(corpus.names) <= result.high


def _estimated(spread: MissSpread, counts: OddsCounts) -> MissedEstimate:
    scale = counts.all_documents / max(1, counts.documents)
    by_group, edited = counts.untouched @ spread.shares, counts.edited.sum(0) @ spread.shares
    looked_at = counts.untouched.sum() + counts.edited.sum()
    dense = density_factor(by_group.sum() + edited, looked_at)
    words = max(LEAST, scale * float(by_group.sum() * dense) * exp(spread.center))
    found = scale * float(edited)
    variance = spread.error + spread.between + _variance_of_documents(by_group)
    reach = _student(spread.corpora - 2) * sqrt(variance)
    least, most = words * exp(-reach), words * exp(reach)
    return MissedEstimate(
        words=words,
        low=_count_at(1 - COVERED, least, spread.clustering),
        high=_count_at(COVERED, most, spread.clustering),
        found=found,
        share=words / (words + found),
        share_low=least / (least + found),
        share_high=most / (most + found),
        documents=counts.documents,
        corpora=spread.corpora,
        covered=0,
    )


def _variance_of_documents(by_group: Float64s) -> float:
    """Return the variance of the logarithm of a sum over groups of documents, by leaving each group out (jackknife)."""
    rest = float(by_group.sum()) - by_group[by_group > 0]
    if len(rest) < 2:
        return 0.0
    logs = np.log(rest)
    return float(((logs - logs.mean()) ** 2).sum() * (len(logs) - 1) / len(logs))


def _student(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, COVERED))


def _count_at(probability: float, expected: float, clustering: float) -> float:
    """Return the quantile of a number whose variance is its expectation times ``clustering``, as of a Poisson one."""
    from scipy.special import pdtrik

    found = float(np.nan_to_num(pdtrik(probability, expected / clustering)))
    return float(max(0, ceil(clustering * found - 1e-9)))
