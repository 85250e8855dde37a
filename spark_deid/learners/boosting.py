"""Real AdaBoost over one-feature stumps on a sparse matrix of zeros and ones.

Schapire and Singer (1999), section 4.1: each round takes the feature whose presence parts the weighted examples best
(least Z) and adds half the log odds on either side of it. Since a stump gives one value to all examples without its
feature, their weights change by two common factors, one a class: only examples that have the feature are touched, and
with them the sums of the features they have. A round so costs its feature's examples, not all of them.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.learners.two_step import ClassWeights, one_by_one

REFRESH = 64
"""Rounds after which sums are made again, so that rounding does not pile up."""
OUTGROWN = 1e4
"""Sums are made again as well, once a class's factor is so large: what remains of a sum by then is mostly rounding."""
EXHAUSTED = 1e-12
"""Least gain by which a feature must separate the examples, and the mean loss below which learning ends."""


class DecisionStumps(NamedTuple):
    """A feature a round, and what its presence and its absence add to the score."""

    features: Int32s
    present: Float64s
    absent: Float64s

    def linear(self, width: int) -> tuple[Float64s, float]:
        """Return the same score as weights of ``width`` features, and a bias."""
        weights = np.zeros(width)
        np.add.at(weights, self.features, self.present - self.absent)
        return weights, float(self.absent.sum())


def boost(matrix: csr_matrix, positive: Bools, rounds: int) -> DecisionStumps:
    """Fit at most that many stumps; fewer where none parts examples any more, or all are surely right."""
    columns = matrix.tocsc()
    features = np.zeros(rounds, np.int32)
    present, absent = np.zeros(rounds), np.zeros(rounds)
    count = _boost(matrix.indptr, matrix.indices, columns.indptr, columns.indices, positive, features, present, absent)
    return DecisionStumps(features[:count], present[:count], absent[:count])


@dataclass(frozen=True)
class BoostingMethod:
    """Real AdaBoost as a method of ``LinearLearner``; ``rounds`` are the stumps of each class. It draws nothing."""

    name: ClassVar[str] = "adaboost"

    rounds: int = 500

    def fit_class(self, matrix: csr_matrix, positive: Bools, *, seed: int) -> ClassWeights:
        """Boost stumps; their score is linear in the features. Doubled, it is the log odds that boosting estimates."""
        weights, bias = boost(matrix, positive, self.rounds).linear(matrix.shape[1])
        return ClassWeights(2 * weights, 2 * bias)

    def fit_tags(self, matrix: csr_matrix, tags: Int32s, *, seed: int) -> dict[int, ClassWeights]:
        """Fit each tag against the others, one after the other."""
        return one_by_one(matrix, tags, fit_class=partial(self.fit_class, seed=seed))


@compiled
def _sum(rows_at: Int32s, rows: Int32s, positive: Bools, weights: Float64s, sums: Float64s) -> None:
    """Write ``sums[0]`` and ``sums[1]``: the weight of negative and positive examples with each feature."""
    sums[:] = 0.0
    for i in range(len(positive)):
        side = 1 if positive[i] else 0
        for k in range(rows_at[i], rows_at[i + 1]):
            sums[side, rows[k]] += weights[i]


@compiled
def _boost(
    rows_at: Int32s,
    rows: Int32s,
    columns_at: Int32s,
    columns: Int32s,
    positive: Bools,
    features: Int32s,
    present: Float64s,
    absent: Float64s,
) -> int:
    n, width = len(positive), len(columns_at) - 1
    if n == 0 or width == 0:
        return 0
    least = 1.0 / n
    weights = np.full(n, 1.0 / n)
    scale = np.ones(2)
    totals = np.zeros(2)
    sums = np.zeros((2, width))
    parting = np.empty(width)
    refreshed = 0
    loss = 1.0
    for r in range(len(features)):
        # `scale` is the factor of each class since the last refresh: weights and sums are multiplied by it only now.
        if r == 0 or r - refreshed == REFRESH or scale.max() > OUTGROWN:
            refreshed = r
            totals[:] = 0.0
            for i in range(n):
                side = 1 if positive[i] else 0
                weights[i] *= scale[side]
                totals[side] += weights[i]
            weights /= totals.sum()
            totals /= totals.sum()
            scale[:] = 1.0
            _sum(rows_at, rows, positive, weights, sums)
        all0, all1 = scale[0] * totals[0], scale[1] * totals[1]
        for j in range(width):
            # Rounding can leave a sum slightly below 0, and a root of it would be NaN.
            with0, with1 = max(0.0, scale[0] * sums[0, j]), max(0.0, scale[1] * sums[1, j])
            without0, without1 = max(0.0, all0 - with0), max(0.0, all1 - with1)
            # Z of Schapire and Singer, without its factor 2, which all features share.
            parting[j] = np.sqrt(with0 * with1) + np.sqrt(without0 * without1)
        best = np.argmin(parting)
        if parting[best] > np.sqrt(all0 * all1) - EXHAUSTED:
            return r
        with0, with1 = max(0.0, scale[0] * sums[0, best]), max(0.0, scale[1] * sums[1, best])
        there = 0.5 * np.log((with1 + least) / (with0 + least))
        elsewhere = 0.5 * np.log((max(0.0, all1 - with1) + least) / (max(0.0, all0 - with0) + least))
        features[r], present[r], absent[r] = best, there, elsewhere
        scale[0] *= np.exp(elsewhere)
        scale[1] *= np.exp(-elsewhere)
        factors = np.exp(there - elsewhere), np.exp(elsewhere - there)
        for c in range(columns_at[best], columns_at[best + 1]):
            i = columns[c]
            side = 1 if positive[i] else 0
            change = weights[i] * (factors[side] - 1.0)
            weights[i] += change
            totals[side] += change
            for k in range(rows_at[i], rows_at[i + 1]):
                sums[side, rows[k]] += change
        whole = scale[0] * totals[0] + scale[1] * totals[1]
        scale /= whole
        loss *= whole
        if loss < EXHAUSTED:
            return r + 1
    return len(features)
