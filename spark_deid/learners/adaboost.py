"""Real AdaBoost over one-feature stumps on hashed attributes and the tags of preceding tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spark_deid.learners.background import chosen_features
from spark_deid.learners.base import Example
from spark_deid.learners.boosting import boost
from spark_deid.learners.linear import LinearModel, open_linear
from spark_deid.learners.preparation import prepare
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.learners.steps import ClassWeights, fit_steps
from spark_deid.text.features import FeatureSet

NAME = "adaboost"


@dataclass(frozen=True)
class AdaBoostLearner:
    """Fit boosted stumps that tag from left to right.

    ``features`` is a feature set or the name of a bundled one; ``key`` hashes the words in it. ``rounds`` are the
    stumps of each class; an attribute needs ``min_frequency`` tokens. ``calibrate`` and ``copy_length`` are as in
    ``SvmLearner``; without calibration twice the score is the log odds, as the method has it, and too sure of itself.
    """

    features: FeatureSet | str
    key: bytes = field(repr=False)
    rounds: int = 500
    min_frequency: int = 2
    calibrate: bool = True
    copy_length: int = 4

    def fit(self, examples: Sequence[Example], *, seed: int) -> LinearModel:
        """Fit a model; boosting draws nothing, so the seed changes nothing. Raises ModelError without any token."""
        return fit_steps(
            prepare(examples, self.features, self.key),
            partial(fit_stumps, rounds=self.rounds),
            learner=NAME,
            min_frequency=self.min_frequency,
            copy_length=self.copy_length,
            calibrate=self.calibrate,
        )


def fit_stumps(matrix: csr_matrix, positive: NDArray[np.bool_], *, rounds: int) -> ClassWeights:
    """Boost stumps; their score is linear in the features. Doubled, it is the log odds that boosting estimates."""
    weights, bias = boost(matrix, positive, rounds).linear(matrix.shape[1])
    return ClassWeights(2 * weights, 2 * bias)


def make(settings: LearnerSettings) -> AdaBoostLearner:
    """Make the learner as the registry wants it."""
    return AdaBoostLearner(chosen_features(settings), settings.key)


KIND = LearnerKind(make, open_linear)
