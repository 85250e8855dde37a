import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.greedy.game.attacker import InspectionOrder, expected_found
from spark_deid.greedy.game.bounds import lemma_3, theorem_2, theorem_3, theorem_4
from spark_deid.greedy.game.counts import ConfusionCounts, is_stop
from spark_deid.greedy.game.sampling import (
    deviation,
    lemma_4,
    measured_deviation,
    measured_rates,
    theorem_5,
    theorem_6,
)
from tests.unit.greedy.worlds import EXAMPLE_1, cells, played, worlds

ratios = st.sampled_from([1, 2, 5, 10, 40, 200])


def gain(counts: ConfusionCounts, budget: int) -> float | np.float64:
    chance, attack = (
        expected_found(counts, [budget], order)[0]
        for order in (InspectionOrder.UNIFORM, InspectionOrder.POSITIVES_FIRST)
    )
    return attack / chance if chance else 1.0


@given(worlds(), ratios)
def test_what_algorithm_1_ends_with_is_a_local_optimum(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int
) -> None:
    counts = played(world, ratio).counts
    assert is_stop(counts.true_positives, counts.false_positives, ratio)


@given(worlds(), ratios)
def test_theorem_3_holds_at_every_local_optimum(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int
) -> None:
    sensitive, _ = world
    counts = played(world, ratio).counts
    bound = theorem_3(counts, int((~sensitive).sum()), ratio, same_space=True)
    assert bound.applies
    assert counts.true_positives <= bound.value <= counts.sensitive


def test_theorem_3_leaves_no_hit_where_the_loss_ratio_exceeds_the_insensitive_instances() -> None:
    bound = theorem_3(ConfusionCounts(0, 3, 10, 87), 90, 200, same_space=True)
    assert (bound.value, bound.is_vacuous) == (0.0, False)
    assert theorem_3(ConfusionCounts(0, 3, 10, 87), 900, 5, same_space=True).is_vacuous


def test_theorem_3_does_not_apply_to_a_release_that_its_counts_refute() -> None:
    """A training that ended by the stop test says nothing of it: 12 are identified where 10 would be the bound."""
    refuted = theorem_3(ConfusionCounts(12, 100, 30, 0), 100, 10, same_space=True)
    assert (refuted.value, refuted.applies) == (10.0, False)
    assert theorem_3(ConfusionCounts(10, 100, 30, 0), 100, 10, same_space=True).applies
    assert not theorem_3(ConfusionCounts(10, 100, 30, 0), 100, 10, same_space=False).applies


@pytest.mark.parametrize(
    ("insensitive", "ratio", "hits"), [(11, 1.1, 10), (33, 1.1, 30), (7, 0.07, 100), (29, 2.9, 10)]
)
def test_floors_are_those_of_the_ratio_as_written(insensitive: int, ratio: float, hits: int) -> None:
    """Floats have 10 * 1.1 above 11, and 33 / 1.1 below 30."""
    counts = ConfusionCounts(hits, insensitive, 5, 0)
    assert theorem_2(counts, ratio)
    assert theorem_3(counts, insensitive, ratio, same_space=True).value == hits
    assert not theorem_2(counts._replace(false_positives=insensitive - 1), ratio)


@given(cells, st.integers(1, 60))
def test_lemma_3_bounds_the_gain_wherever_it_applies(counts: ConfusionCounts, budget: int) -> None:
    bound = lemma_3(counts, budget)
    if bound.applies:
        assert gain(counts, min(budget, sum(counts))) <= bound.value + 1e-9
        assert bound.value >= 1


def test_lemma_3_states_when_it_does_not_apply() -> None:
    assert [c.holds for c in lemma_3(EXAMPLE_1, 8).conditions] == [False, True]
    assert [c.holds for c in lemma_3(ConfusionCounts(1, 6, 4, 5), 20).conditions] == [True, False]
    assert lemma_3(ConfusionCounts(0, 0, 4, 5), 2).is_vacuous


@given(worlds(), ratios, st.integers(1, 30))
def test_theorem_4_holds_at_every_local_optimum(
    world: tuple[NDArray[np.bool_], list[NDArray[np.bool_]]], ratio: int, budget: int
) -> None:
    sensitive, _ = world
    counts = played(world, ratio).counts
    bound = theorem_4(counts, budget, int((~sensitive).sum()), ratio, same_space=True)
    if bound.applies:
        assert gain(counts, min(budget, sum(counts))) <= bound.value + 1e-9


def test_theorem_4_is_clipped_where_the_printed_bound_falls_below_1() -> None:
    bound = theorem_4(EXAMPLE_1, 20, 90, 200, same_space=True)
    assert (bound.value, bound.is_vacuous, bound.applies) == (1.0, True, False)
    assert theorem_4(EXAMPLE_1, 20, 90, 2, same_space=True).value == pytest.approx(91 / 3)


def test_the_deviation_shrinks_with_data_and_is_that_of_the_paper() -> None:
    expected = math.sqrt(41 / 10_000 * (10 * math.log(2 * math.e * 10_000 / 10) + math.log(4 / 0.05)))
    assert deviation(10_000, 10, 0.05) == pytest.approx(expected)
    assert deviation(1_000_000, 10, 0.05) < deviation(10_000, 10, 0.05)
    assert deviation(0, 10, 0.05) == math.inf


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, ConfusionCounts, ConfusionCounts]:
    """A stand-in that failed the stop test and found something, and an attacker, on as many instances each."""
    ratio = draw(ratios)
    stand_in, attacker = draw(cells), draw(cells)
    assume(stand_in.true_positives >= 1)
    wanted = max(stand_in.false_positives, ratio * stand_in.true_positives)
    stand_in = stand_in._replace(false_positives=wanted)
    size = max(sum(stand_in), sum(attacker))
    stand_in, attacker = (
        each._replace(true_negatives=each.true_negatives + size - sum(each)) for each in (stand_in, attacker)
    )
    assert is_stop(stand_in.true_positives, stand_in.false_positives, ratio)
    return ratio, stand_in, attacker


@given(samples())
def test_lemma_4_holds_where_the_error_bound_does(sample: tuple[int, ConfusionCounts, ConfusionCounts]) -> None:
    ratio, stand_in, attacker = sample
    bound = lemma_4(stand_in, attacker, ratio, measured_deviation(stand_in, attacker), same_space=True)
    assert bound.applies
    if attacker.true_positives:
        assert attacker.false_positives / attacker.true_positives >= bound.value - 1e-9


@given(samples())
def test_theorem_5_holds_where_the_error_bound_does(sample: tuple[int, ConfusionCounts, ConfusionCounts]) -> None:
    ratio, stand_in, attacker = sample
    insensitive = attacker.false_positives + attacker.true_negatives
    apart = measured_deviation(stand_in, attacker)
    bound = theorem_5(stand_in, attacker, insensitive, ratio, apart, same_space=True)
    assert attacker.true_positives <= bound.value <= attacker.sensitive


@given(samples(), st.integers(1, 600))
def test_theorem_6_holds_where_the_error_bound_does(
    sample: tuple[int, ConfusionCounts, ConfusionCounts], budget: int
) -> None:
    ratio, stand_in, attacker = sample
    insensitive = attacker.false_positives + attacker.true_negatives
    apart = measured_deviation(stand_in, attacker)
    bound = theorem_6(stand_in, attacker, budget, insensitive, ratio, apart, same_space=True)
    if bound.applies:
        assert gain(attacker, min(budget, sum(attacker))) <= bound.value + 1e-9


def test_too_little_text_makes_the_sampling_bounds_vacuous() -> None:
    stand_in, attacker = ConfusionCounts(1, 12, 3, 100), ConfusionCounts(2, 9, 4, 101)
    apart = deviation(sum(stand_in), 50, 0.05)
    assert lemma_4(stand_in, attacker, 10, apart, same_space=True).is_vacuous
    bound = theorem_5(stand_in, attacker, 110, 10, apart, same_space=True)
    assert (bound.value, bound.is_vacuous, bound.applies) == (6.0, True, False)
    assert not theorem_6(stand_in, attacker, 50, 110, 10, apart, same_space=True).applies


def test_sampling_bounds_rest_on_the_stop_test_the_space_and_the_error_rates() -> None:
    stand_in, attacker = ConfusionCounts(1, 12, 3, 100), ConfusionCounts(2, 9, 4, 101)
    apart = measured_deviation(stand_in, attacker)
    assert apart == Fraction(2, 116)
    assert theorem_5(stand_in, attacker, 110, 10, apart, same_space=True).applies
    assert not theorem_5(stand_in, attacker, 110, 10, apart, same_space=False).applies
    assert not theorem_5(stand_in, attacker, 110, 13, apart, same_space=True).applies
    assert not lemma_4(stand_in, attacker, 10, apart / 2, same_space=True).applies


def test_rates_of_nothing_are_no_errors() -> None:
    nothing, wasteful = ConfusionCounts(0, 0, 0, 5), ConfusionCounts(0, 3, 0, 2)
    assert measured_rates(nothing, wasteful) == (math.inf, 0.0, math.inf, 0.0)
    assert lemma_4(nothing, wasteful, 10, 0.1, same_space=True).value == math.inf
    assert not lemma_4(nothing, wasteful, 10, 0.1, same_space=True).applies
