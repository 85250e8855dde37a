from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.greedy.game import (
    Counts,
    count,
    expected_by_chance,
    expected_positives_first,
    is_stop,
    prefers_positives,
    publisher_loss,
    touched,
    union,
)

EXAMPLE_1 = Counts(true_positives=3, false_positives=6, false_negatives=2, true_negatives=15)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[np.ndarray, list[np.ndarray]]:
    size = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda x: np.array(x, np.bool_))
    return draw(flags), draw(st.lists(flags, min_size=2, max_size=5))


def loss_of(classifiers: list[np.ndarray], sensitive: np.ndarray, ratio: float) -> float:
    missed = [i for i, s in enumerate(sensitive) if s and not any(h[i] for h in classifiers)]
    wasted = [i for i, s in enumerate(sensitive) if not s and any(h[i] for h in classifiers)]
    return publisher_loss(len(missed), len(wasted), ratio)


@given(worlds())
def test_lemma_1_one_more_classifier_counts_on_what_the_others_publish(world):
    sensitive, classifiers = world
    *before, last = classifiers
    published = ~union(before)
    h = count(union(before), sensitive)
    more = count(last[published], sensitive[published])
    both = count(union(classifiers), sensitive)
    assert h.false_negatives == both.false_negatives + more.true_positives
    assert both.false_positives == h.false_positives + more.false_positives


@given(worlds(), st.integers(1, 100))
def test_the_stop_test_is_no_gain_in_loss(world, ratio):
    sensitive, classifiers = world
    *before, last = classifiers
    published = ~union(before)
    more = count(last[published], sensitive[published])
    gain = loss_of(classifiers, sensitive, ratio) - loss_of(before, sensitive, ratio)
    assert is_stop(more.true_positives, more.false_positives, ratio) == (gain >= 0)


def test_a_classifier_that_finds_nothing_stops_the_loop():
    assert is_stop(0, 0, 10)
    assert not is_stop(1, 9, 10)
    assert is_stop(1, 10, 10)


@given(worlds())
def test_cells_add_up(world):
    sensitive, (first, *_) = world
    cells = count(first, sensitive)
    assert sum(cells) == len(sensitive)
    assert cells == Counts(
        *(sum(bool(p) == a and bool(s) == b for p, s in zip(first, sensitive, strict=True)) for a, b in CELLS)
    )


CELLS = ((True, True), (True, False), (False, True), (False, False))


@st.composite
def tokens(draw: st.DrawFn) -> list[tuple[int, int]]:
    cuts = sorted(draw(st.sets(st.integers(0, 30), max_size=10)))
    return [(a, b) for a, b in pairwise(cuts) if draw(st.booleans())]


@given(tokens(), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda x: (x[0], x[0] + x[1]))))
def test_touched_equals_comparing_every_pair(pairs, intervals):
    starts, ends = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    obvious = [any(s < b and a < e for a, b in intervals) for s, e in pairs]
    assert touched(starts, ends, intervals).tolist() == obvious


def test_example_1_of_the_paper():
    chance, attack = expected_by_chance(EXAMPLE_1, 20), expected_positives_first(EXAMPLE_1, 20)
    assert attack / chance == pytest.approx(1.1165, abs=5e-5)
    assert prefers_positives(EXAMPLE_1)


@given(st.tuples(*(st.integers(0, 12),) * 4).map(lambda cells: Counts(*cells)), st.integers(0, 50))
def test_lemma_2_positives_first_is_no_worse_than_chance_where_they_are_richer(counts, budget):
    budget = min(budget, sum(counts))
    chance, attack = expected_by_chance(counts, budget), expected_positives_first(counts, budget)
    if prefers_positives(counts):
        assert attack >= chance - 1e-9
    else:
        assert attack <= chance + 1e-9
