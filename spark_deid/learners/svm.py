"""Linear support vector machines, fitted by scikit-learn."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from spark_deid.core.numerics.arrays import Bools, Int32s
from spark_deid.learners.two_step import ClassWeights


@dataclass(frozen=True)
class SupportVectorMachine:
    """A linear SVM as a method of ``LinearLearner``; the seed orders the solver's passes.

    ``penalty`` is the SVM's C, the weight of errors against a wide margin, times the mean number of features of a
    token, so that one value suits small and large feature sets. ``tolerance`` ends the solver.
    """

    name: ClassVar[str] = "svm"

    penalty: float = 2.5
    tolerance: float = 0.1

    def fit_class(self, matrix: csr_matrix, positive: Bools, *, seed: int) -> ClassWeights:
        """Fit as ``fit_margin`` does, with a penalty a feature of a row."""
        return self.fit_tags(matrix, positive.astype(np.int32), seed=seed)[1]

    def fit_tags(self, matrix: csr_matrix, tags: Int32s, *, seed: int) -> dict[int, ClassWeights]:
        """Fit as ``fit_margins`` does, with a penalty a feature of a row."""
        # The mean number of features of a row is its mean squared length.
        penalty = self.penalty * float(matrix.shape[0] / max(1, matrix.nnz))
        return fit_margins(matrix, tags, penalty=penalty, tolerance=self.tolerance, seed=seed)


def fit_margin(matrix: csr_matrix, positive: Bools, *, penalty: float, tolerance: float, seed: int) -> ClassWeights:
    """Fit a linear SVM (squared hinge loss, in the dual)."""
    return fit_margins(matrix, positive.astype(np.int32), penalty=penalty, tolerance=tolerance, seed=seed)[1]


def fit_margins(
    matrix: csr_matrix, classes: Int32s, *, penalty: float, tolerance: float, seed: int
) -> dict[int, ClassWeights]:
    """Fit a linear SVM (squared hinge loss, in the dual) for each class against the others.

    One call for all classes, since the solver copies the matrix in each.
    """
    # Here, since a model that is only read needs not one of it.
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    machine = LinearSVC(C=penalty, tol=tolerance, dual=True, random_state=seed % 2**32)
    with warnings.catch_warnings(), config_context(assume_finite=True):
        # A solver that ends at its limit of passes has a usable result; tests elsewhere state how good.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(matrix, classes)
    weights, biases = machine.coef_, np.atleast_1d(machine.intercept_)
    if len(machine.classes_) == 2:
        weights, biases = np.vstack([-weights, weights]), np.concatenate([-biases, biases])
    rows = zip(weights, biases.tolist(), strict=True)
    return {number: ClassWeights(*row) for number, row in zip(machine.classes_.tolist(), rows, strict=True)}
