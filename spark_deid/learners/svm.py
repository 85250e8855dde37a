"""A linear support vector machine over hashed attributes and the tags of preceding tokens, fitted by scikit-learn."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spark_deid.learners.background import chosen_features
from spark_deid.learners.base import Example
from spark_deid.learners.linear import LinearModel, open_linear
from spark_deid.learners.preparation import prepare
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.learners.steps import ClassWeights, fit_steps
from spark_deid.text.features import FeatureSet

NAME = "svm"


@dataclass(frozen=True)
class SvmLearner:
    """Fit an SVM that tags from left to right.

    ``features`` is a feature set or the name of a bundled one; ``key`` hashes the words in it. ``penalty`` is the
    SVM's C, the weight of errors against a wide margin, times the mean number of features of a token, so that one
    value suits small and large feature sets. ``tolerance`` ends the solver. An attribute needs ``min_frequency``
    tokens. ``calibrate`` fits a sigmoid on a third of the documents, so that thresholds are probabilities and costs of
    misses and false alarms can be stated; without it the margin itself is the log odds. ``copy_length`` is as in
    ``CrfLearner``.
    """

    features: FeatureSet | str
    key: bytes = field(repr=False)
    penalty: float = 2.5
    tolerance: float = 0.1
    min_frequency: int = 2
    calibrate: bool = True
    copy_length: int = 4

    def fit(self, examples: Sequence[Example], *, seed: int) -> LinearModel:
        """Fit a model; the seed orders the solver's passes. Raises ModelError without any token."""
        return fit_steps(
            prepare(examples, self.features, self.key),
            partial(fit_scaled_margin, penalty=self.penalty, tolerance=self.tolerance, seed=seed),
            fit_tags=partial(fit_scaled_margins, penalty=self.penalty, tolerance=self.tolerance, seed=seed),
            learner=NAME,
            min_frequency=self.min_frequency,
            copy_length=self.copy_length,
            calibrate=self.calibrate,
        )


def fit_scaled_margin(
    matrix: csr_matrix, positive: NDArray[np.bool_], *, penalty: float, tolerance: float, seed: int
) -> ClassWeights:
    """Fit as ``fit_margin`` does, with a penalty a feature of a row."""
    return fit_margin(matrix, positive, penalty=penalty * _per_feature(matrix), tolerance=tolerance, seed=seed)


def fit_scaled_margins(
    matrix: csr_matrix, classes: NDArray[np.int32], *, penalty: float, tolerance: float, seed: int
) -> dict[int, ClassWeights]:
    """Fit as ``fit_margins`` does, with a penalty a feature of a row."""
    return fit_margins(matrix, classes, penalty=penalty * _per_feature(matrix), tolerance=tolerance, seed=seed)


def fit_margin(
    matrix: csr_matrix, positive: NDArray[np.bool_], *, penalty: float, tolerance: float, seed: int
) -> ClassWeights:
    """Fit a linear SVM (squared hinge loss, in the dual)."""
    return fit_margins(matrix, positive.astype(np.int32), penalty=penalty, tolerance=tolerance, seed=seed)[1]


def fit_margins(
    matrix: csr_matrix, classes: NDArray[np.int32], *, penalty: float, tolerance: float, seed: int
) -> dict[int, ClassWeights]:
    """Fit a linear SVM (squared hinge loss, in the dual) for each class against the others.

    One call for all classes, since the solver copies the matrix in each.
    """
    # Here, since a model that is only read needs none of it.
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=penalty, tol=tolerance, dual=True, random_state=seed % 2**32)
    with warnings.catch_warnings(), config_context(assume_finite=True):
        # A solver that ends at its limit of passes has a usable result; tests elsewhere say how good.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(matrix, classes)
    weights, biases = machine.coef_, np.atleast_1d(machine.intercept_)
    if len(machine.classes_) == 2:
        weights, biases = np.vstack([-weights, weights]), np.concatenate([-biases, biases])
    rows = zip(weights, biases.tolist(), strict=True)
    return {number: ClassWeights(*row) for number, row in zip(machine.classes_.tolist(), rows, strict=True)}


def _per_feature(matrix: csr_matrix) -> float:
    """Return one over the mean number of features of a row, which is its mean squared length."""
    return float(matrix.shape[0] / max(1, matrix.nnz))


def make(settings: LearnerSettings) -> SvmLearner:
    """Make the learner as the registry wants it."""
    return SvmLearner(chosen_features(settings), settings.key)


KIND = LearnerKind(make, open_linear)
