from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.greedy.game.counts import ConfusionCounts, count_cells, is_stop, publisher_loss, tell_touched
from tests.unit.greedy.worlds import played, union, worlds

CELLS = ((True, True), (True, False), (False, True), (False, False))


def loss_of(classifiers: Sequence[NDArray[np.bool_]], sensitive: NDArray[np.bool_], ratio: float) -> float:
    missed = [i for i, s in enumerate(sensitive) if s and not any(h[i] for h in classifiers)]
    wasted = [i for i, s in enumerate(sensitive) if not s and any(h[i] for h in classifiers)]
    return publisher_loss(len(missed), len(wasted), ratio)


@given(worlds())
def test_lemma_1_one_more_classifier_counts_on_what_the_others_publish(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]],
) -> None:
    sensitive, classifiers = world
    *before, last = classifiers
    published = ~union(before)
    h = count_cells(union(before), sensitive)
    more = count_cells(last[published], sensitive[published])
    both = count_cells(union(classifiers), sensitive)
    assert both.false_negatives == h.false_negatives - more.true_positives
    assert both.false_positives == h.false_positives + more.false_positives


@given(worlds(), st.integers(1, 100))
def test_the_stop_test_is_no_gain_in_loss(world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int) -> None:
    sensitive, classifiers = world
    *before, last = classifiers
    published = ~union(before)
    more = count_cells(last[published], sensitive[published])
    gain = loss_of(classifiers, sensitive, ratio) - loss_of(before, sensitive, ratio)
    assert is_stop(more.true_positives, more.false_positives, ratio) == (gain >= 0)


def test_a_classifier_that_finds_nothing_stops_the_loop() -> None:
    assert is_stop(0, 0, 10)
    assert not is_stop(1, 9, 10)
    assert is_stop(1, 10, 10)


@given(worlds(), st.integers(1, 100))
def test_every_kept_round_lowers_the_loss_and_the_last_one_would_not(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int
) -> None:
    sensitive, _ = world
    result = played(world, ratio)
    losses = [loss_of(result.kept[:k], sensitive, ratio) for k in range(len(result.kept) + 1)]
    assert all(after < before for before, after in pairwise(losses))
    assert loss_of((*result.kept, result.failing), sensitive, ratio) >= losses[-1]


@given(worlds(), st.integers(1, 100))
def test_what_is_published_is_what_no_kept_round_took(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int
) -> None:
    sensitive, _ = world
    result = played(world, ratio)
    assert result.published.tolist() == [not any(h[i] for h in result.kept) for i in range(len(sensitive))]
    assert result.counts == count_cells(result.failing[result.published], sensitive[result.published])


@given(worlds(), st.integers(1, 100))
def test_theorem_1_bounds_the_rounds(world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int) -> None:
    assert len(played(world, ratio).kept) <= len(world[0])


@given(worlds())
def test_cells_add_up(world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]) -> None:
    sensitive, (first, *_) = world
    cells = count_cells(first, sensitive)
    assert sum(cells) == len(sensitive)
    assert cells == ConfusionCounts(
        *(sum(bool(p) == a and bool(s) == b for p, s in zip(first, sensitive, strict=True)) for a, b in CELLS)
    )
    assert cells.errors == int((first != sensitive).sum())


@st.composite
def tokens(draw: st.DrawFn) -> list[tuple[int, int]]:
    cuts = sorted(draw(st.sets(st.integers(0, 30), max_size=10)))
    return [(a, b) for a, b in pairwise(cuts) if draw(st.booleans())]


@given(tokens(), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda x: (x[0], x[0] + x[1]))))
def test_touched_equals_comparing_every_pair(pairs: list[tuple[int, int]], intervals: list[tuple[int, int]]) -> None:
    starts, ends = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    obvious = [any(s < b and a < e for a, b in intervals) for s, e in pairs]
    assert tell_touched(starts, ends, intervals).tolist() == obvious
