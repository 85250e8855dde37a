"""From margins to log odds: a sigmoid fitted on examples that the margins were not learned from (Platt)."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s


class SigmoidCalibration(NamedTuple):
    """Log odds of carrying a label are ``slope * margin + intercept``."""

    slope: float
    intercept: float


UNCALIBRATED = SigmoidCalibration(1.0, 0.0)
DECIDED = SigmoidCalibration(1e9, 0.0)
"""For margins that show no odds: so steep that every threshold but 0 and 1 decides by the margin's sign."""
_LOOSE = 1e4
"""Inverse strength of the penalty, which is there for margins that are all the same."""


def fit_sigmoid(margins: Float64s, positive: Bools) -> SigmoidCalibration | None:
    """Fit by maximum likelihood; None where margins do not rise with the odds, or where one class only is there.

    Targets are those of Platt (1999), ``(N+ + 1) / (N+ + 2)`` and ``1 / (N- + 2)``: with few positives, or classes that
    the margin parts wholly, no example is taken for surer than that many can show.
    """
    ones = int(np.count_nonzero(positive))
    zeros = len(positive) - ones
    if not ones or not zeros:
        return None
    # Here, since a model that is only read needs not one of it.
    from sklearn.linear_model import LogisticRegression

    target = np.where(positive, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    scale = float(margins.std()) or 1.0
    twice = np.tile(margins / scale, 2)[:, None]
    sides = np.repeat([True, False], len(positive))
    machine = LogisticRegression(C=_LOOSE, solver="newton-cholesky")
    machine.fit(twice, sides, sample_weight=np.concatenate([target, 1 - target]))
    slope, intercept = float(machine.coef_[0, 0]) / scale, float(machine.intercept_[0])
    return SigmoidCalibration(slope, intercept) if slope > 0 else None


def log_odds(probability: float) -> float:
    """Return ``ln(p / (1 - p))``, infinite at 0 and 1."""
    if probability <= 0:
        return -np.inf
    return np.inf if probability >= 1 else float(np.log(probability / (1 - probability)))


def probabilities(odds: Float64s) -> Float64s:
    """Return the probabilities of log odds."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)))
