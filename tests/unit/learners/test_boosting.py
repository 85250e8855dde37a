import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spark_deid.learners.boosting import REFRESH, DecisionStumps, boost


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    n, width = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    cells = draw(st.lists(st.booleans(), min_size=n * width, max_size=n * width))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(cells, np.bool_).reshape(n, width), np.array(positive, np.bool_)


def partings(
    dense: NDArray[np.bool_], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Z of every feature, from the definition."""

    def root(flags: NDArray[np.bool_]) -> np.float64:
        return np.sqrt(weights[flags & positive].sum() * weights[flags & ~positive].sum())

    return np.array([root(dense[:, j]) + root(~dense[:, j]) for j in range(dense.shape[1])])


def check(dense: NDArray[np.bool_], positive: NDArray[np.bool_], stumps: DecisionStumps) -> None:
    """Play the rounds again with all weights written out: each takes a best feature, with half its log odds."""
    n = len(positive)
    weights = np.full(n, 1 / n)
    for j, there, elsewhere in zip(*stumps, strict=True):
        z = partings(dense, positive, weights)
        assert z[j] <= z.min() + 1e-9
        for flags, value in ((dense[:, j], there), (~dense[:, j], elsewhere)):
            right, wrong = weights[flags & positive].sum(), weights[flags & ~positive].sum()
            assert value == pytest.approx(0.5 * np.log((right + 1 / n) / (wrong + 1 / n)), abs=1e-7)
        weights *= np.exp(np.where(positive, -1, 1) * np.where(dense[:, j], there, elsewhere))
        weights /= weights.sum()


@given(problems())
def test_every_round_is_that_of_the_definition(problem: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> None:
    dense, positive = problem
    check(dense, positive, boost(csr_matrix(dense.astype(float)), positive, 5))


def test_sums_remain_exact_over_many_rounds() -> None:
    draw = np.random.default_rng(0)
    dense, positive = draw.random((60, 25)) < 0.3, draw.random(60) < 0.4
    stumps = boost(csr_matrix(dense.astype(float)), positive, 3 * REFRESH)
    assert len(stumps.features) == 3 * REFRESH
    check(dense, positive, stumps)


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_sums_remain_exact_where_a_feature_parts_nearly_all(share: float) -> None:
    """Weights fall by some thousands a round there: what is subtracted from a sum leaves nothing but rounding of it."""
    draw = np.random.default_rng(0)
    positive = draw.random(2000) < share
    dense = np.column_stack([positive, positive & (draw.random(2000) < 0.9), draw.random((2000, 6)) < 0.2])
    stumps = boost(csr_matrix(dense.astype(float)), positive, 100)
    assert 4 < len(stumps.features) < 100
    check(dense, positive, stumps)
    dense[np.flatnonzero(positive)[0], 0] = False
    check(dense, positive, boost(csr_matrix(dense.astype(float)), positive, 100))


def test_stumps_are_linear() -> None:
    draw = np.random.default_rng(1)
    dense, positive = draw.random((40, 10)) < 0.3, draw.random(40) < 0.4
    stumps = boost(csr_matrix(dense.astype(float)), positive, 30)
    weights, bias = stumps.linear(10)
    score = sum(np.where(dense[:, j], there, elsewhere) for j, there, elsewhere in zip(*stumps, strict=True))
    assert dense @ weights + bias == pytest.approx(score)


def test_features_that_part_nothing_end_it() -> None:
    assert len(boost(csr_matrix(np.ones((4, 2))), np.array([True, False, True, False]), 5).features) == 0
    assert len(boost(csr_matrix((3, 0)), np.array([True, False, True]), 5).features) == 0
