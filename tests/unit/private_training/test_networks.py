"""Forward passes, chains and gradients, against obvious code."""

import itertools
import math

import numpy as np
import pytest

from spark_deid.private_training.network.adversary import SequencePairs, adversary_shapes, log_odds
from spark_deid.private_training.network.layers import NoNoise, bilstm, lstm_shapes, represent, representing_shapes
from spark_deid.private_training.network.sizing import SIZES, choose_size
from spark_deid.private_training.network.tagging import (
    best_rows,
    chain_shapes,
    row_losses,
    tag_probabilities,
    tag_scores,
    tagging_shapes,
)
from tests.unit.private_training.networks import batch, drawn, rows_of

TAGS, WIDTH, UNITS = 3, 5, 4


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_a_layer_is_the_equations_of_an_lstm_in_both_directions() -> None:
    rng = np.random.default_rng(0)
    weights = drawn(lstm_shapes("x", WIDTH, UNITS), rng)
    given = rng.standard_normal((1, 4, WIDTH)).astype(np.float32)
    found = bilstm(weights, "x", np.pad(given, ((0, 0), (0, 2), (0, 0))), np.arange(6)[None] < 4)
    for direction in range(2):
        hidden, cell = [0.0] * UNITS, [0.0] * UNITS
        for place in range(4) if direction == 0 else range(3, -1, -1):
            gates = [
                sum(float(given[0, place, i] * weights["x_input"][direction, i, g]) for i in range(WIDTH))
                + sum(hidden[u] * float(weights["x_recurrent"][direction, u, g]) for u in range(UNITS))
                + float(weights["x_bias"][direction, g])
                for g in range(4 * UNITS)
            ]
            for u in range(UNITS):
                entering, kept = logistic(gates[u]), logistic(gates[UNITS + u])
                cell[u] = kept * cell[u] + entering * math.tanh(gates[2 * UNITS + u])
            hidden = [logistic(gates[3 * UNITS + u]) * math.tanh(cell[u]) for u in range(UNITS)]
            own = found[0, place, direction * UNITS : (direction + 1) * UNITS]
            assert np.allclose(own, hidden, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_chains_are_sums_over_all_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = drawn(chain_shapes(TAGS), rng)
    lengths = (1, 2, 4, 5)
    scores = rng.standard_normal((4, 5, TAGS))
    present = np.arange(5) < np.array(lengths)[:, None]
    tags = rng.integers(0, TAGS, (4, 5))
    best, chances = best_rows(weights, scores, present), tag_probabilities(weights, scores, present)
    losses = row_losses(weights, scores, tags, present)
    for number, length in enumerate(lengths):
        sums = {
            row: float(
                weights["begins"][row[0]]
                + weights["ends"][row[-1]]
                + sum(scores[number, place, tag] for place, tag in enumerate(row))
                + sum(weights["transitions"][one, other] for one, other in itertools.pairwise(row))
            )
            for row in rows_of(length, TAGS)
        }
        whole = math.log(sum(map(math.exp, sums.values())))
        assert tuple(best[number, :length].tolist()) == max(sums, key=lambda row: sums[row])
        assert losses[number] == pytest.approx(whole - sums[tuple(tags[number, :length].tolist())])
        for place in range(length):
            for tag in range(TAGS):
                share = sum(math.exp(value - whole) for row, value in sums.items() if row[place] == tag)
                assert chances[number, place, tag] == pytest.approx(share)


def test_jax_computes_what_numpy_does() -> None:
    pytest.importorskip("jax")
    from spark_deid.private_training.neural.adversaries import pair_log_odds
    from spark_deid.private_training.neural.layers import kept_mask
    from spark_deid.private_training.neural.representation_step import pass_vectors
    from spark_deid.private_training.neural.tagging import LayerMasks, TaggerMasks, tag_loss

    rng = np.random.default_rng(1)
    given, vectors = batch(rng, WIDTH, TAGS)
    weights = drawn(tagging_shapes(WIDTH, UNITS, TAGS), rng)
    one = np.ones((), np.float32)
    nothing_dropped = TaggerMasks(one, (LayerMasks(one, one, one),) * 2)
    scores = tag_scores(weights, vectors, given.casings, given.present).astype(np.float64)
    losses = row_losses(weights, scores, given.tags, given.present)
    expected = float((losses * given.weights).sum() / given.weights.sum())
    assert float(tag_loss(weights, vectors, given, nothing_dropped)) == pytest.approx(expected, rel=1e-4)

    own = drawn(representing_shapes(WIDTH, UNITS, 3), rng)
    clean = represent(own, vectors, given.present, NoNoise())
    assert np.allclose(pass_vectors(own, vectors, given.present, np.zeros_like(vectors)), clean, atol=1e-5)

    adversary = drawn(adversary_shapes(3, WIDTH, UNITS), rng)
    pairs = SequencePairs(clean, vectors, clean + 0.1, given.present)
    whole = given.weights > 0
    assert np.allclose(pair_log_odds(adversary, pairs)[:, whole], log_odds(adversary, pairs)[:, whole], atol=1e-3)
    assert kept_mask(rng, 0.0, (3,)).tolist() == [1, 1, 1]


def test_gradients_are_differences() -> None:
    jax = pytest.importorskip("jax")
    from spark_deid.private_training.neural.tagging import negative_log_likelihood

    rng = np.random.default_rng(2)
    weights = drawn(chain_shapes(TAGS), rng)
    scores = rng.standard_normal((2, 5, TAGS)).astype(np.float32)
    present = np.arange(5) < np.array([3, 5])[:, None]
    tags = rng.integers(0, TAGS, (2, 5))

    def loss(given: dict[str, np.ndarray]) -> float:
        return negative_log_likelihood(given, scores, tags, present).sum()

    found = jax.grad(loss)(weights)
    for name, values in weights.items():
        for place in np.ndindex(values.shape):
            sides = []
            for step in (-1e-3, 1e-3):
                moved = {**weights, name: values.copy()}
                moved[name][place] += step
                told = row_losses(moved, scores.astype(np.float64), tags, present)
                sides.append(float(told.sum()))
            assert float(found[name][place]) == pytest.approx((sides[1] - sides[0]) / 2e-3, abs=2e-3)


def test_adversaries_gradients_are_turned_round() -> None:
    jax = pytest.importorskip("jax")
    from spark_deid.private_training.neural.representation_step import _turned

    turned = jax.grad(lambda value: (_turned(value, 0.5) ** 2).sum())(np.array([1.0, 2.0], np.float32))
    assert turned.tolist() == [-1.0, -2.0]


def test_absent_tokens_and_noise_that_is_off_change_nothing() -> None:
    rng = np.random.default_rng(3)
    weights = drawn(representing_shapes(WIDTH, UNITS, 3), rng)
    vectors = rng.standard_normal((1, 4, WIDTH)).astype(np.float32)
    alone = represent(weights, vectors, np.ones((1, 4), np.bool_), NoNoise())
    wider = np.pad(vectors, ((0, 0), (0, 3), (0, 0)), constant_values=9)
    padded = represent(weights, wider, np.arange(7)[None] < 4, NoNoise())
    assert np.allclose(padded[:, :4], alone, atol=1e-6)
    assert not padded[:, 4:].any()
    noisy = represent(weights, vectors, np.ones((1, 4), np.bool_), rng)
    assert np.abs(noisy - alone).max() > 0.1


@pytest.mark.parametrize("minutes", [0.1, 1, 10, 1000])
def test_more_minutes_are_larger_networks(minutes: float) -> None:
    one, more = (choose_size(each, 10_000, 200_000, 100) for each in (minutes, 3 * minutes))
    assert (one.units, one.epochs) <= (more.units, 20)
    assert more.units >= one.units
    assert one.units in SIZES
