"""Methods of training a representation: the paper's loss, and states that a killed training continues from."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.private_training.network.adversary import SequencePairs, adversary_shapes
from spark_deid.private_training.network.encoding import TextEncoder
from spark_deid.private_training.network.layers import Weights
from spark_deid.private_training.network.replaceable import ReplaceableWords, encode_documents, with_candidates
from spark_deid.private_training.network.sizing import choose_size
from spark_deid.private_training.neural import representation_fit
from spark_deid.private_training.neural.adversaries import averaged_loss, pair_log_odds
from spark_deid.private_training.neural.held_out import HeldOutLoss, pair_losses
from spark_deid.private_training.neural.representation_fit import (
    RepresentationFit,
    RepresentationSettings,
    fit_representation,
    rank,
)
from spark_deid.private_training.neural.representation_step import RANDOM_LOSS, distance_from_guess
from spark_deid.private_training.neural.training_state import (
    ADVERSARIES,
    BRANCHES,
    REPRESENTATION,
    REVERSAL,
    TOGETHER,
    TrainingState,
)
from tests.unit.private_training.networks import drawn, notes, store

SETTINGS = RepresentationSettings(
    outputs=4, units=4, tagger_units=4, adversary_units=4, together=2, adversary=2, alternating=2
)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> ReplaceableWords:
    encoder = TextEncoder(store(tmp_path_factory.mktemp("vectors")))
    documents = [Document(f"d{n}", each.view.text, spans=each.spans) for n, each in enumerate(notes(40))]
    return with_candidates(encode_documents(documents, ("NAME",), encoder), 8)


def one_pair() -> tuple[Weights, SequencePairs]:
    """Return adversaries with outputs .9 and .1 about any pair, by their offsets, and one pair."""
    weights = {name: np.zeros(shape, np.float32) for name, shape in adversary_shapes(2, 3, 4).items()}
    weights["verdict_offset"] = np.log(np.array([9, 1 / 9], np.float32))
    ones = np.ones((1, 2, 2), np.float32)
    return weights, SequencePairs(ones, np.ones((1, 2, 3), np.float32), ones, np.ones((1, 2), np.bool_))


def test_one_pair_with_outputs_9_and_1_is_a_guess_in_the_paper_and_two_distances_otherwise() -> None:
    weights, pairs = one_pair()
    same = np.ones(1, np.float32)
    assert 1 / (1 + np.exp(-np.asarray(pair_log_odds(weights, pairs))))[:, 0] == pytest.approx([0.9, 0.1])
    assert float(distance_from_guess(weights, pairs, same, True)) == pytest.approx(0, abs=1e-6)
    assert float(distance_from_guess(weights, pairs, same, False)) == pytest.approx(1.0986, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_averaged_outputs_is_the_obvious_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = drawn(adversary_shapes(2, 3, 4), rng)
    given, vectors, other = (rng.standard_normal((5, 4, size)).astype(np.float32) for size in (2, 3, 2))
    pairs = SequencePairs(given, vectors, other, np.ones((5, 4), np.bool_))
    same = (rng.random(5) < 0.5).astype(np.float32)
    odds = np.asarray(pair_log_odds(weights, pairs), np.float64)
    mean = (1 / (1 + np.exp(-odds))).mean(0)
    expected = -np.log(np.where(same == 1, mean, 1 - mean))
    assert float(averaged_loss(weights, pairs, same)) == pytest.approx(expected.mean(), rel=1e-4)
    assert pair_losses(odds, same, True)[0] == pytest.approx(expected)
    # Outputs that are as good as certain still have a loss.
    assert np.isfinite(pair_losses(np.array([[800.0], [900.0]]), np.zeros(1, np.float32), True)).all()


def test_the_lowest_combined_loss_is_kept_however_distant_sentences_are() -> None:
    far = HeldOutLoss(0.2, 0.7, 0.01, 9.0)
    near = HeldOutLoss(0.3, 0.7, 0.01, 0.01)
    for method in ("paper", "dann"):
        own = SETTINGS._replace(method=method, invariance=0.0)
        assert min((near, far), key=lambda each: rank(each, own)) == far
        assert rank(far, own)[1] == pytest.approx(0.21)
    assert min((near, far), key=lambda each: rank(each, SETTINGS)) == near


def test_parts_and_epochs_are_those_of_the_method() -> None:
    assert SETTINGS._replace(method="paper").epochs == {TOGETHER: 2, ADVERSARIES: 2, BRANCHES: 2, REPRESENTATION: 2}
    assert SETTINGS._replace(method="dann").epochs == {REVERSAL: 4}


PARTS = {
    "divergence": (TOGETHER, ADVERSARIES, BRANCHES, REPRESENTATION),
    "paper": (TOGETHER, ADVERSARIES, BRANCHES, REPRESENTATION),
    "dann": (REVERSAL,),
}


class Killed(Exception):
    """The end of a training that is killed."""


@pytest.mark.parametrize("method", PARTS)
def test_a_training_that_is_killed_in_any_part_continues_to_equal_arrays(
    method: Any, words: ReplaceableWords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SETTINGS._replace(method=method, invariance=1.0 if method == "divergence" else 0.0)
    whole = fit_representation(words, 3, settings, seed=0)
    assert len(whole.losses) == settings.epochs[PARTS[method][-1]]
    place, train = tmp_path / "state.npz", representation_fit._Trainer.train_epoch
    for part in PARTS[method]:
        seen: list[str] = []

        def kill(own: Any, state: TrainingState, part: str = part, seen: list[str] = seen) -> TrainingState:
            seen.append(state.part)
            found = train(own, state)
            if seen.count(part) == 2:  # in its second epoch, which is lost
                raise Killed
            return found

        with monkeypatch.context() as patch:
            patch.setattr(representation_fit._Trainer, "train_epoch", kill)
            with pytest.raises(Killed):
                fit_representation(words, 3, settings, seed=0, place=place)
        assert place.stat().st_mode & 0o777 == 0o600
        again = fit_representation(words, 3, settings, seed=0, place=place)
        assert_equal(again, whole)
        # A finished state is read without training.
        with monkeypatch.context() as patch:
            patch.setattr(representation_fit._Trainer, "train_epoch", lambda *_: pytest.fail("trained again"))
            assert_equal(fit_representation(words, 3, settings, seed=0, place=place), whole)
        place.unlink()


def assert_equal(one: RepresentationFit, other: RepresentationFit) -> None:
    assert (one.epoch, one.losses) == (other.epoch, other.losses)
    for name in ("representation", "tagger", "adversary"):
        arrays, expected = getattr(one, name), getattr(other, name)
        assert arrays.keys() == expected.keys()
        assert all(np.array_equal(arrays[each], expected[each]) for each in arrays)


def test_the_state_of_another_training_and_a_damaged_one_are_refused(words: ReplaceableWords, tmp_path: Path) -> None:
    place = tmp_path / "state.npz"
    settings = SETTINGS._replace(together=1, adversary=1, alternating=1)
    fit_representation(words, 3, settings, seed=0, place=place)
    for other, seed in ((settings._replace(strength=2.0), 0), (settings, 1)):
        with pytest.raises(UsageError, match="state of another training"):
            fit_representation(words, 3, other, seed=seed, place=place)
    fewer = words._replace(sentences=words.sentences._replace(sentences=words.sentences.sentences[1:]))
    with pytest.raises(UsageError, match="state of another training"):
        fit_representation(fewer, 3, settings, seed=0, place=place)
    place.write_bytes(place.read_bytes()[:1000])
    with pytest.raises(UsageError, match="can't be read"):
        fit_representation(words, 3, settings, seed=0, place=place)


def test_a_guess_has_the_loss_of_a_coin() -> None:
    assert pair_losses(np.zeros((2, 1)), np.ones(1, np.float32), True).item() == pytest.approx(RANDOM_LOSS)


@pytest.mark.parametrize(("units", "epochs"), [(None, 7), (48, None), (48, 7), (128, 100)])
def test_units_and_epochs_are_those_that_are_given(units: int | None, epochs: int | None) -> None:
    found = choose_size(0.5, 10_000, 200_000, 100, units, epochs)
    assert found.units == (units or found.units)
    assert found.epochs == (epochs or found.epochs)
    assert epochs is None or found.most_sentences is None
