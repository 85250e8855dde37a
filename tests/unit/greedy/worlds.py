"""Small random worlds: which instances are sensitive, and what some classifiers take for sensitive."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Bools
from spark_deid.greedy.game.counts import ConfusionCounts, count_cells, is_stop

EXAMPLE_1 = ConfusionCounts(true_positives=3, false_positives=6, false_negatives=2, true_negatives=15)
cells = st.tuples(*(st.integers(0, 12),) * 4).map(lambda values: ConfusionCounts(*values))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]:
    size = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda x: np.array(x, np.bool_))
    return draw(flags), draw(st.lists(flags, min_size=2, max_size=5))


def union(positives: Sequence[Bools]) -> Bools:
    """Return which instances a set of classifiers removes: those that at least one of them takes for sensitive."""
    return np.asarray(np.logical_or.reduce(np.asarray(positives, np.bool_), axis=0))


class Played(NamedTuple):
    """What Algorithm 1 gave: which instances are published, the classifiers kept, and the one that failed the test.

    ``kept`` and ``failing`` state what each classifier takes for sensitive among all instances at the start; ``counts``
    are those of the failing one, the publisher's stand-in for the attacker, on what is published.
    """

    published: Bools
    kept: tuple[Bools, ...]
    failing: Bools
    counts: ConfusionCounts


def play(learn: Callable[[Bools], Bools], sensitive: Bools, loss_ratio: float) -> Played:
    """Play Algorithm 1: learn on what is published, remove what was found, until the stop test.

    ``learn`` takes which instances remain and states which of all it takes for sensitive. Ends within as many rounds
    as there are instances (Theorem 1), since a round that passes the test removes at least one.
    """
    published = np.ones(len(sensitive), np.bool_)
    kept: list[Bools] = []
    while True:
        positive = learn(published)
        counts = count_cells(positive[published], sensitive[published])
        if is_stop(counts.true_positives, counts.false_positives, loss_ratio):
            return Played(published, tuple(kept), positive, counts)
        kept.append(positive)
        published = published & ~positive


def learning(classifiers: list[NDArray[np.bool_]], sensitive: NDArray[np.bool_]) -> Callable[..., Any]:
    """Learn by trying every classifier on what is published, and taking the one with the fewest errors."""

    def learn(published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return min(classifiers, key=lambda h: count_cells(h[published], sensitive[published]).errors)

    return learn


def played(world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int) -> Played:
    sensitive, classifiers = world
    return play(learning(classifiers, sensitive), sensitive, ratio)
