"""From margins to log odds: a sigmoid fitted on examples that the margins were not learned from (Platt)."""

from typing import NamedTuple

import numpy as np

from spark_deid.numerics.arrays import Bools, Float64s


class Sigmoid(NamedTuple):
    """Log odds of carrying a label are ``slope * margin + intercept``."""

    slope: float
    intercept: float


UNCALIBRATED = Sigmoid(1.0, 0.0)
_LOOSE = 1e4
"""Inverse strength of the penalty: enough to keep separable margins finite."""


def fit_sigmoid(margins: Float64s, positive: Bools) -> Sigmoid:
    """Fit by maximum likelihood; margins that do not rise with the odds, or tell one class alone, stay as they are."""
    if len(np.unique(positive)) < 2:
        return UNCALIBRATED
    # Here, since a model that is only read needs none of it.
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=_LOOSE, solver="newton-cholesky").fit(margins[:, None], positive)
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    return Sigmoid(slope, intercept) if slope > 0 else UNCALIBRATED


def log_odds(probability: float) -> float:
    """Return ``ln(p / (1 - p))``, infinite at 0 and 1."""
    if probability <= 0:
        return -np.inf
    return np.inf if probability >= 1 else float(np.log(probability / (1 - probability)))


def probabilities(odds: Float64s) -> Float64s:
    """Return the probabilities of log odds."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)))
