import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.chain import best_tags, probabilities


@st.composite
def chains(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores in quarters, so that sums are exact and ties happen."""
    n, size = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    quarters = st.integers(-20, 20).map(lambda x: x / 4)
    scores = np.array(draw(st.lists(quarters, min_size=n * size, max_size=n * size))).reshape(n, size)
    transitions = np.array(draw(st.lists(quarters, min_size=size * size, max_size=size * size))).reshape(size, size)
    return scores, transitions


def total(
    scores: NDArray[np.float64], transitions: NDArray[np.float64], tags: list[int] | tuple[int, ...]
) -> np.float64:
    pairs = itertools.pairwise(tags)
    return sum(scores[t, tag] for t, tag in enumerate(tags)) + sum(transitions[a, b] for a, b in pairs)


def all_rows(scores: NDArray[np.float64]) -> list[tuple[int, ...]]:
    return list(itertools.product(range(scores.shape[1]), repeat=len(scores)))


@given(chains())
def test_best_tags_have_the_highest_score_of_all_rows(chain: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
    scores, transitions = chain
    gains = np.ascontiguousarray((transitions[None] - transitions[:, None]).max(2))
    tags = np.zeros(len(scores), np.int32)
    best_tags(scores, transitions, gains, tags)
    assert total(scores, transitions, tags.tolist()) == max(total(*chain, row) for row in all_rows(scores))


@given(chains())
def test_probabilities_are_shares_of_all_rows(chain: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
    scores, transitions = chain
    weights = {row: np.exp(total(*chain, row)) for row in all_rows(scores)}
    expected = np.zeros_like(scores)
    for row, weight in weights.items():
        expected[np.arange(len(row)), row] += weight
    found = np.empty_like(scores)
    probabilities(scores, transitions, found)
    np.testing.assert_allclose(found, expected / sum(weights.values()), rtol=1e-9, atol=1e-12)
