"""Bounds by samples are those that obvious code finds, and hold as often as they state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from spark_deid.evaluation.sampling import SMALL, upper_bounds


@given(st.integers(1, 60), st.data(), st.sampled_from([0.9, 0.95, 0.975]))
def test_small_numbers_are_counted_without_replacement(number: int, data: st.DataObject, confidence: float) -> None:
    drawn = data.draw(st.integers(1, number))
    for hits, bound in enumerate(upper_bounds(number, drawn, confidence)):
        possible = range(hits, number - drawn + hits + 1)
        chances = {most: hypergeom.cdf(hits, number, most, drawn) for most in possible}
        most = max(most for most, chance in chances.items() if chance >= (1 - confidence) * (1 - 1e-6))
        assert round(bound * number) == most


@pytest.mark.parametrize("hits", [0, 1, 7, 99, 100])
def test_large_numbers_are_bounded_as_if_documents_went_back(hits: int) -> None:
    bound = upper_bounds(SMALL + 1, 100, 0.95)[hits]
    assert 1 if hits == 100 else binom.cdf(hits, 100, bound) == pytest.approx(1 if hits == 100 else 0.05)
    assert bound >= upper_bounds(SMALL, 100, 0.95)[hits]


def test_bounds_hold_as_often_as_they_state() -> None:
    random = np.random.default_rng(5)
    number, drawn, true = 400, 60, 37
    bounds = np.array(upper_bounds(number, drawn, 0.95))
    hits = random.hypergeometric(true, number - true, drawn, 20_000)
    assert (bounds[hits] >= true / number).mean() >= 0.945
