"""The publisher: his loss, his stop test, and Algorithm 1 on arrays."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spark_deid.greedy.game.counts import Counts, Flags, count


class Played(NamedTuple):
    """What Algorithm 1 gave: which instances are published, the classifiers kept, and the one that failed the test.

    ``kept`` and ``failing`` say what each classifier takes for sensitive among all instances at the start; ``counts``
    are those of the failing one, the publisher's stand-in for the attacker, on what is published.
    """

    published: Flags
    kept: tuple[Flags, ...]
    failing: Flags
    counts: Counts


def publisher_loss(missed: int, wasted: int, loss_ratio: float) -> float:
    """Return ``T(H) / C``: L/C for every missed sensitive token, 1 for every token suppressed in vain."""
    return loss_ratio * missed + wasted


def worst_case_loss(missed: int, loss: float) -> float:
    """Return ``L * FN(H)``: what is lost to an attacker who inspects everything."""
    return loss * missed


def add_classifier(missed: int, wasted: int, more: Counts) -> tuple[int, int]:
    """Return ``FN(H + h)`` and ``FP(H + h)`` from those of ``H`` and the cells of ``h`` on what ``H`` publishes.

    Lemma 1: ``FN(H) = FN(H + h) + TP(h, P(H))`` and ``FP(H + h) = FP(H) + FP(h, P(H))``.
    """
    return missed - more.true_positives, wasted + more.false_positives


def is_stop(true_positives: int, false_positives: int, loss_ratio: float) -> bool:
    """Tell whether one more classifier does not lower the publisher's loss.

    By Lemma 1 ``T(H + h) - T(H) >= 0`` is exactly ``C * FP >= L * TP``, counted on what ``H`` publishes.
    A classifier that finds nothing stops the loop.
    """
    return false_positives >= loss_ratio * true_positives


def play(learn: Callable[[Flags], Flags], sensitive: Flags, loss_ratio: float) -> Played:
    """Play Algorithm 1: learn on what is published, remove what was found, until the stop test.

    ``learn`` takes which instances are left and says which of all it takes for sensitive. Ends within as many rounds
    as there are instances (Theorem 1), since a round that passes the test removes at least one.
    """
    published = np.ones(len(sensitive), np.bool_)
    kept: list[Flags] = []
    while True:
        positive = learn(published)
        counts = count(positive[published], sensitive[published])
        if is_stop(counts.true_positives, counts.false_positives, loss_ratio):
            return Played(published, tuple(kept), positive, counts)
        kept.append(positive)
        published = published & ~positive
