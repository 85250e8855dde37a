import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.calibration import UNCALIBRATED, fit_sigmoid, log_odds, probabilities
from spark_deid.learners.sequential import history_columns, history_table, tag_in_order


def obvious(
    scores: NDArray[np.float64], history: NDArray[np.float64], closed: NDArray[np.bool_], cut: float
) -> tuple[list[int], list[float]]:
    tags: list[int] = []
    margins: list[float] = []
    for t in range(len(scores)):
        last, before = (tags[t - 1] if t else 0), (tags[t - 2] if t > 1 else 0)
        told = scores[t] + history[0, last] + history[1, before]
        margins.append(-np.inf if closed[t] else told[0])
        found = not closed[t] and told[0] > cut and len(told) > 1
        tags.append(1 + int(told[1:].argmax()) if found else 0)
    return tags, margins


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(1, 5))
def test_tags_are_those_of_the_definition(seed: int, n: int, size: int) -> None:
    draw = np.random.default_rng(seed)
    scores, history = draw.integers(-3, 4, (n, size)).astype(float), draw.integers(-2, 3, (2, size, size)).astype(float)
    closed = draw.random(n) < 0.2
    tags, margins = np.zeros(n, np.int32), np.empty(n)
    tag_in_order(scores, history, closed, 0.5, tags, margins)
    assert (tags.tolist(), margins.tolist()) == obvious(scores, history, closed, 0.5)


@given(st.lists(st.integers(0, 4), max_size=8))
def test_history_columns_add_what_the_table_says(tags: list[int]) -> None:
    size, given_tags = 5, np.array(tags, np.int32)
    weights = np.random.default_rng(0).random((2 * (size - 1), size))
    table = history_table(weights, size)
    for t, columns in enumerate(history_columns(given_tags, size)):
        last, before = (tags[t - 1] if t else 0), (tags[t - 2] if t > 1 else 0)
        expected = sum((weights[c] for c in columns if c >= 0), np.zeros(size))
        assert table[0, last] + table[1, before] == pytest.approx(expected)


def test_a_sigmoid_gives_the_shares_it_was_fitted_to() -> None:
    draw = np.random.default_rng(0)
    margins = draw.normal(size=4000)
    sigmoid = fit_sigmoid(margins, draw.random(4000) < probabilities(3 * margins - 1))
    assert sigmoid == pytest.approx((3, -1), abs=0.3)


def test_margins_that_tell_nothing_stay_as_they_are() -> None:
    assert fit_sigmoid(np.array([1.0, 2.0]), np.array([True, True])) == UNCALIBRATED
    assert fit_sigmoid(np.array([1.0, -1.0, 2.0, -2.0]), np.array([False, True, False, True])) == UNCALIBRATED


def test_log_odds_and_probabilities_are_inverse_to_each_other() -> None:
    assert [log_odds(p) for p in (0, 0.5, 1)] == [-np.inf, 0, np.inf]
    assert probabilities(np.array([log_odds(0.2), -np.inf, 800.0])) == pytest.approx([0.2, 0, 1])
