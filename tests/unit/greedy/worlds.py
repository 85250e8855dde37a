"""Small random worlds: which instances are sensitive, and what some classifiers take for sensitive."""

import numpy as np
from hypothesis import strategies as st

from spark_deid.greedy.game import Counts, count, play

EXAMPLE_1 = Counts(true_positives=3, false_positives=6, false_negatives=2, true_negatives=15)
cells = st.tuples(*(st.integers(0, 12),) * 4).map(lambda values: Counts(*values))


@st.composite
def worlds(draw):
    size = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda x: np.array(x, np.bool_))
    return draw(flags), draw(st.lists(flags, min_size=2, max_size=5))


def learning(classifiers, sensitive):
    """Learn by trying every classifier on what is published, and taking the one with the fewest errors."""

    def learn(published):
        return min(classifiers, key=lambda h: count(h[published], sensitive[published]).errors)

    return learn


def played(world, ratio):
    sensitive, classifiers = world
    return play(learning(classifiers, sensitive), sensitive, ratio)
