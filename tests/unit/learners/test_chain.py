import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.learners.chain import best_tags, probabilities, transition_factors, write_marked
from spark_deid.text.kernels.vectors import pad_to_eight


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


def found_probabilities(scores: Float64s, transitions: Float64s) -> Float64s:
    """Return the probabilities without their padding, which must be 0."""
    size = len(transitions)
    found = np.full((len(scores), pad_to_eight(size)), np.nan)
    probabilities(scores, transition_factors(transitions), found)
    assert not found[:, size:].any()
    return found[:, :size]


@given(chains())
def test_probabilities_are_shares_of_all_rows(chain: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
    scores, transitions = chain
    weights = {row: np.exp(total(*chain, row)) for row in all_rows(scores)}
    expected = np.zeros_like(scores)
    for row, weight in weights.items():
        expected[np.arange(len(row)), row] += weight
    found = found_probabilities(scores, transitions)
    np.testing.assert_allclose(found, expected / sum(weights.values()), rtol=1e-9, atol=1e-12)


def plain_probabilities(scores: NDArray[np.float64], transitions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forward and backward one number at a time, in the order in which compiled code adds."""
    n, size = len(scores), len(transitions)
    steps = np.exp(transitions)
    local = np.exp(scores[:, :size] - scores[:, :size].max(1, keepdims=True))
    forward = np.zeros((n, size))
    for t in range(n):
        now = np.zeros(size) if t else np.ones(size)
        for i in range(size if t else 0):
            now = now + forward[t - 1, i] * steps[i]
        forward[t] = scaled(now * local[t])
    out, backward = np.zeros((n, size)), np.ones(size)
    for t in range(n - 1, -1, -1):
        out[t] = scaled(forward[t] * backward)
        ahead = scaled(backward * local[t])
        backward = np.zeros(size)
        for j in range(size):
            backward = backward + steps[:, j] * ahead[j]
    return out


def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values / sum(values.tolist()))


@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    st.integers(1, 12),
    st.sampled_from([0.1, 1, 10, 100]),
    st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)
def test_probabilities_are_those_of_sums_one_number_at_a_time(
    seed: int, size: int, n: int, scale: float, zeros: float
) -> None:
    random = np.random.default_rng(seed)
    padding = -size % 8
    scores = np.pad(random.normal(size=(n, size)) * scale, ((0, 0), (0, padding)), constant_values=1e9)
    transitions = random.normal(size=(size, size)) * min(scale, 10) * (random.random((size, size)) >= zeros)
    found = found_probabilities(scores, transitions)
    # Not to the last bit: exponentials of numpy and of compiled code may differ there.
    np.testing.assert_allclose(found, plain_probabilities(scores, transitions), rtol=1e-11, atol=1e-290)


def test_what_has_no_chance_at_all_leads_nowhere() -> None:
    scores, transitions = np.array([[0.0, -1e30], [0.0, 0.0]]), np.array([[0.0, -5.0], [-5.0, 700.0]])
    found = found_probabilities(scores, transitions)
    np.testing.assert_allclose(found[1], np.array([1.0, np.exp(-5)]) / (1 + np.exp(-5)))


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 9))
def test_what_is_marked_is_summed_and_the_first_of_the_likeliest_taken(seed: int, size: int, n: int) -> None:
    random = np.random.default_rng(seed)
    found, is_marked = np.zeros((n, pad_to_eight(size))), np.zeros(pad_to_eight(size))
    found[:, :size] = random.integers(0, 4, (n, size)) / 4
    is_marked[:size] = random.random(size) < 0.5
    is_marked[random.integers(size)] = 1.0
    chances, likeliest = np.zeros(n), np.zeros(n, np.int32)
    write_marked(found, is_marked, chances, likeliest)
    places = np.flatnonzero(is_marked)
    assert chances.tolist() == found[:, places].sum(1).tolist()
    assert likeliest.tolist() == places[found[:, places].argmax(1)].tolist()
