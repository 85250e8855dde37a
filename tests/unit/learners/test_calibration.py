"""Sigmoids from margins to log odds, against what the margins were drawn by."""

import numpy as np
import pytest

from spark_deid.learners.calibration import fit_sigmoid, log_odds, probabilities


def test_the_odds_that_margins_were_drawn_by_are_found() -> None:
    draw = np.random.default_rng(0)
    margins = draw.normal(0, 3, 20_000)
    positive = draw.random(20_000) < probabilities(0.8 * margins - 1)
    sigmoid = fit_sigmoid(margins, positive)
    assert sigmoid is not None
    assert sigmoid == pytest.approx((0.8, -1), abs=0.06)


@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
def test_the_unit_of_margins_does_not_matter(scale: float) -> None:
    margins = np.array([-2.0, -1.0, -0.5, 0.5, 0.7, 2.0])
    positive = np.array([False, False, True, False, True, True])
    one, other = fit_sigmoid(margins, positive), fit_sigmoid(scale * margins, positive)
    assert one
    assert other
    assert other == pytest.approx((one.slope / scale, one.intercept), rel=1e-3)


@pytest.mark.parametrize("ones", [1, 2, 30])
def test_no_example_is_surer_than_so_many_can_show(ones: int) -> None:
    """Margins that part the classes wholly: the targets of Platt, not 0 and 1, are what is fitted."""
    zeros = 100
    margins = np.repeat([-1.0, 1.0], [zeros, ones])
    sigmoid = fit_sigmoid(margins, margins > 0)
    assert sigmoid is not None
    low, high = probabilities(sigmoid.slope * np.array([-1.0, 1.0]) + sigmoid.intercept)
    assert high == pytest.approx((ones + 1) / (ones + 2), abs=0.01)
    assert low == pytest.approx(1 / (zeros + 2), abs=0.01)


def test_what_shows_nothing_is_not_calibrated() -> None:
    margins = np.array([-1.0, -0.5, 0.5, 1.0])
    assert fit_sigmoid(margins, np.zeros(4, np.bool_)) is None
    assert fit_sigmoid(margins, np.ones(4, np.bool_)) is None
    assert fit_sigmoid(margins, margins < 0) is None


def test_log_odds_and_probabilities_are_inverse() -> None:
    assert log_odds(1 / 11) == pytest.approx(-np.log(10))
    assert (log_odds(0), log_odds(1)) == (-np.inf, np.inf)
    for probability in (0.001, 0.27, 0.5, 0.9):
        assert probabilities(np.array([log_odds(probability)]))[0] == pytest.approx(probability)
