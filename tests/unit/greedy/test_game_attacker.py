import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.greedy.game.attacker import (
    InspectionOrder,
    best_classifier,
    expected_best,
    expected_found,
    prefers_positives,
    simulate_found,
)
from spark_deid.greedy.game.bounds import lemma_3
from spark_deid.greedy.game.counts import ConfusionCounts
from tests.unit.greedy.worlds import EXAMPLE_1, cells

tiny = st.tuples(*(st.integers(0, 2),) * 4).map(lambda values: ConfusionCounts(*values))


def flags_of(counts: ConfusionCounts) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    tp, fp, fn, tn = counts
    positive = np.array([True] * (tp + fp) + [False] * (fn + tn), np.bool_)
    sensitive = np.array([True] * tp + [False] * fp + [True] * fn + [False] * tn, np.bool_)
    return positive, sensitive


def enumerated(counts: ConfusionCounts, budget: int, order: InspectionOrder) -> float:
    """Try every order of inspection that the rule allows."""
    positive, sensitive = flags_of(counts)
    rank = {
        InspectionOrder.POSITIVES_FIRST: ~positive,
        InspectionOrder.UNIFORM: positive & False,
        InspectionOrder.NEGATIVES_FIRST: positive,
    }[order]
    groups = [[i for i in range(len(rank)) if rank[i] == value] for value in (False, True)]
    total = runs = 0
    for first in itertools.permutations(groups[0]):
        for second in itertools.permutations(groups[1]):
            total += int(sensitive[list((*first, *second)[:budget])].sum())
            runs += 1
    return total / runs


@given(tiny.filter(lambda counts: sum(counts) <= 6), st.integers(0, 8), st.sampled_from(InspectionOrder))
def test_the_closed_form_is_the_mean_over_all_orders(
    counts: ConfusionCounts, budget: int, order: InspectionOrder
) -> None:
    assert expected_found(counts, [budget], order)[0] == pytest.approx(enumerated(counts, budget, order))


@given(cells, st.lists(st.integers(0, 60), max_size=5))
def test_the_best_order_is_positives_first_or_negatives_first_by_lemma_2(
    counts: ConfusionCounts, budgets: list[int]
) -> None:
    best = InspectionOrder.POSITIVES_FIRST if prefers_positives(counts) else InspectionOrder.NEGATIVES_FIRST
    assert expected_best(counts, budgets) == pytest.approx(expected_found(counts, budgets, best))


@given(cells, st.integers(0, 50))
def test_lemma_2_positives_first_is_no_worse_than_chance_where_they_are_richer(
    counts: ConfusionCounts, budget: int
) -> None:
    chance, attack = (
        expected_found(counts, [budget], o)[0] for o in (InspectionOrder.UNIFORM, InspectionOrder.POSITIVES_FIRST)
    )
    if prefers_positives(counts):
        assert attack >= chance - 1e-9
    else:
        assert attack <= chance + 1e-9


def test_example_1_of_the_paper() -> None:
    chance, attack = (
        expected_found(EXAMPLE_1, [20], order)[0]
        for order in (InspectionOrder.UNIFORM, InspectionOrder.POSITIVES_FIRST)
    )
    assert attack / chance == pytest.approx(1.1165, abs=5e-5)
    assert prefers_positives(EXAMPLE_1)
    bound = lemma_3(EXAMPLE_1, 20)
    assert bound.value == pytest.approx(1.7333, abs=5e-5)
    assert bound.applies


def test_without_a_hit_negatives_first_finds_more_than_the_classifier() -> None:
    useless = ConfusionCounts(true_positives=0, false_positives=5, false_negatives=5, true_negatives=10)
    assert expected_found(useless, [10], InspectionOrder.POSITIVES_FIRST)[0] == pytest.approx(5 / 3)
    assert expected_best(useless, [10])[0] == pytest.approx(10 / 3)


def test_a_budget_beyond_everything_finds_everything() -> None:
    for order in InspectionOrder:
        assert expected_found(EXAMPLE_1, [26, 1000], order).tolist() == [5.0, 5.0]


@pytest.mark.parametrize("order", InspectionOrder)
def test_simulation_agrees_with_the_expectation_and_repeats_with_its_seed(order: InspectionOrder) -> None:
    budgets = [0, 4, 9, 20, 30]
    runs = [
        simulate_found(*flags_of(EXAMPLE_1), budgets, order, runs=400, draw=np.random.default_rng(1)) for _ in range(2)
    ]
    assert (runs[0] == runs[1]).all()
    assert runs[0].mean(0) == pytest.approx(expected_found(EXAMPLE_1, budgets, order), abs=0.25)


def test_nothing_is_found_where_nothing_is_left() -> None:
    for order in InspectionOrder:
        assert expected_found(ConfusionCounts(0, 0, 0, 0), [5], order).tolist() == [0.0]


def test_the_best_classifier_has_the_fewest_errors() -> None:
    assert best_classifier([ConfusionCounts(1, 5, 1, 0), ConfusionCounts(0, 0, 2, 5), ConfusionCounts(2, 2, 0, 3)]) == 1
