import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.calibration import fit_sigmoid, log_odds, probabilities
from spark_deid.learners.linear_model import history_columns, history_table, tag_in_order

LIKELY = 0.5


def obvious(
    scores: NDArray[np.float64], history: NDArray[np.float64], closed: NDArray[np.bool_], cut: float
) -> tuple[list[int], list[float]]:
    tags: list[int] = []
    marked: list[int] = []
    margins: list[float] = []
    for t in range(len(scores)):
        last, before = (tags[t - 1] if t else 0), (tags[t - 2] if t > 1 else 0)
        told = scores[t] + history[0, last] + history[1, before]
        margins.append(-np.inf if closed[t] else told[0])
        best = 1 + int(told[1:].argmax()) if not closed[t] and len(told) > 1 else 0
        tags.append(best if margins[-1] > LIKELY else 0)
        marked.append(best if margins[-1] > cut else 0)
    return marked, margins


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(1, 5))
def test_tags_are_those_of_the_definition(seed: int, n: int, size: int) -> None:
    draw = np.random.default_rng(seed)
    scores, history = draw.integers(-3, 4, (n, size)).astype(float), draw.integers(-2, 3, (2, size, size)).astype(float)
    closed = draw.random(n) < 0.2
    for cut in (LIKELY, -1.5, 2.5):
        tags, margins = np.zeros(n, np.int32), np.empty(n)
        tag_in_order(scores, history, closed, LIKELY, cut, tags, margins)
        assert (tags.tolist(), margins.tolist()) == obvious(scores, history, closed, cut)


@given(st.lists(st.integers(0, 4), max_size=8))
def test_history_columns_add_what_the_table_states(tags: list[int]) -> None:
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


def test_margins_that_show_nothing_have_no_sigmoid() -> None:
    assert fit_sigmoid(np.array([1.0, 2.0]), np.array([True, True])) is None
    assert fit_sigmoid(np.array([1.0, -1.0, 2.0, -2.0]), np.array([False, True, False, True])) is None
    assert fit_sigmoid(np.ones(4), np.array([False, True, False, True])) is None


@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("ones", [1, 3, 50])
def test_parted_classes_are_as_sure_as_their_number_shows(ones: int, reach: float) -> None:
    """By Platt's targets: the best a sigmoid can do is to give each class its own."""
    positive = np.arange(200) < ones
    margins = np.where(positive, reach, -reach)
    sigmoid = fit_sigmoid(margins, positive)
    assert sigmoid is not None
    chances = probabilities(sigmoid.slope * margins + sigmoid.intercept)
    assert chances[positive] == pytest.approx((ones + 1) / (ones + 2), abs=1e-3)
    assert chances[~positive] == pytest.approx(1 / (200 - ones + 2), abs=1e-3)


def test_log_odds_and_probabilities_are_inverse_to_each_other() -> None:
    assert [log_odds(p) for p in (0, 0.5, 1)] == [-np.inf, 0, np.inf]
    assert probabilities(np.array([log_odds(0.2), -np.inf, 800.0])) == pytest.approx([0.2, 0, 1])
