"""Small random worlds: which instances are sensitive, and what some classifiers take for sensitive."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.greedy.game import Counts, count, play
from spark_deid.greedy.game.publisher import Played

EXAMPLE_1 = Counts(true_positives=3, false_positives=6, false_negatives=2, true_negatives=15)
cells = st.tuples(*(st.integers(0, 12),) * 4).map(lambda values: Counts(*values))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]:
    size = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda x: np.array(x, np.bool_))
    return draw(flags), draw(st.lists(flags, min_size=2, max_size=5))


def learning(classifiers: list[NDArray[np.bool_]], sensitive: NDArray[np.bool_]) -> Callable[..., Any]:
    """Learn by trying every classifier on what is published, and taking the one with the fewest errors."""

    def learn(published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return min(classifiers, key=lambda h: count(h[published], sensitive[published]).errors)

    return learn


def played(world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int) -> Played:
    sensitive, classifiers = world
    return play(learning(classifiers, sensitive), sensitive, ratio)
