"""The publisher: his loss and his stop test."""

from fractions import Fraction


def publisher_loss(missed: int, wasted: int, loss_ratio: float) -> float:
    """Return ``T(H) / C``: L/C for every missed sensitive token, 1 for every token suppressed in vain."""
    return loss_ratio * missed + wasted


def is_stop(true_positives: int, false_positives: int, loss_ratio: float) -> bool:
    """Tell whether one more classifier does not lower the publisher's loss.

    By Lemma 1 ``T(H + h) - T(H) >= 0`` is exactly ``C * FP >= L * TP``, counted on what ``H`` publishes.
    A classifier that finds nothing stops the loop.
    """
    return false_positives >= exact_ratio(loss_ratio) * true_positives


def exact_ratio(loss_ratio: float) -> Fraction:
    """Return a loss ratio as it was written: ``1.1 * 10`` is 11, which floats are above.

    >>> exact_ratio(1.1) * 10
    Fraction(11, 1)
    """
    return Fraction(str(float(loss_ratio)))
