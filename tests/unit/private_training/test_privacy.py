"""Attacks' accuracies, their intervals, the verdict on them, and attacks by templates."""

import numpy as np
import pytest

from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.sentence_set import LabelledSentence, SentenceSet
from spark_deid.private_training.privacy.templates import (
    PublicModel,
    TemplateSettings,
    attack_by_templates,
    laid_length,
    trial_sentences,
    trials,
)
from spark_deid.private_training.privacy.verdict import (
    LEAST_TRIES,
    AttackAccuracy,
    accuracy_of,
    bootstrap_interval,
    exact_interval,
    judge,
)

TWO_SIDED = ("T1", "T2", "mean of both")


def attacked(attack: str = "T1", low: float = 0.48, high: float = 0.52, **other: float) -> AttackAccuracy:
    given = {"tries": 4000, "chance": 0.5, "accuracy": (low + high) / 2, **other}
    return AttackAccuracy(attack, 0, int(given["tries"]), given["chance"], given["accuracy"], low, high)


GOOD = (*(attacked(name) for name in TWO_SIDED), attacked("A1 template", 0.0, 0.05, chance=0.01))
CONTROLS = tuple(attacked(name, 0.98, 1.0, accuracy=0.99) for name in TWO_SIDED)


def test_attacks_that_do_no_better_than_a_guess_let_it_out() -> None:
    verdict = judge(GOOD, CONTROLS, TWO_SIDED)
    assert verdict.holds
    assert verdict.to_json()["holds"] is True
    assert verdict.worst.attack == "A1 template"


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(("low", "high"), [(0.48, 0.551), (0.449, 0.52), (0.9, 1.0), (0.0, 0.1)])
def test_either_adversary_and_their_mean_refuse_only_at_either_end(place: int, low: float, high: float) -> None:
    attacks = list(GOOD)
    attacks[place] = attacked(TWO_SIDED[place], low, high)
    verdict = judge(attacks, CONTROLS, TWO_SIDED)
    assert [reason.split(" of seed")[0] for reason in verdict.reasons] == [TWO_SIDED[place]]


def test_ends_at_the_margin_hold() -> None:
    assert judge([attacked(low=0.45, high=0.55)], CONTROLS, TWO_SIDED).holds


def test_templates_are_judged_at_their_upper_end_only() -> None:
    assert judge([attacked("A1 template", 0.0, 0.059, chance=0.01)], CONTROLS, TWO_SIDED).holds
    refused = judge([attacked("A1 template", 0.0, 0.061, chance=0.01)], CONTROLS, TWO_SIDED)
    assert refused.reasons == ("A1 template of seed 0 is right in up to 6.1%, expected 6.0% at most",)


@pytest.mark.parametrize("place", range(3))
def test_an_adversary_that_fails_on_embeddings_shows_nothing(place: int) -> None:
    controls = list(CONTROLS)
    controls[place] = attacked(TWO_SIDED[place], 0.85, 0.95, accuracy=0.899)
    verdict = judge(GOOD, controls, TWO_SIDED)
    assert [reason.split(":")[0] for reason in verdict.reasons] == ["adversary too weak"]


def test_what_was_not_tried_does_not_hold() -> None:
    assert judge((), CONTROLS, TWO_SIDED).reasons == ("no attack was carried out",)
    assert not judge(GOOD, (), TWO_SIDED).holds
    few = judge([attacked(tries=LEAST_TRIES - 1)], CONTROLS, TWO_SIDED)
    assert few.reasons == ("T1 of seed 0: 199 tries, expected 200 at least",)
    assert not judge([attacked(low=float("nan"), high=float("nan"))], CONTROLS, TWO_SIDED).holds


@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_those_of_an_obvious_bootstrap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    documents = rng.integers(0, 12, 300)
    right = rng.random(300) < 0.3 + 0.05 * (documents % 5)
    means = []
    for _ in range(2000):
        drawn = rng.choice(np.unique(documents), 12)
        tries = [bool(each) for document in drawn for each in right[documents == document]]
        means.append(sum(tries) / len(tries))
    found = bootstrap_interval(right, documents, seed)
    assert found == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.012)
    # Tries of one document rise and fall together: taken one by one they would seem to say more.
    low, high = accuracy_of("T1", seed, 0.5, right, documents)[-2:]
    assert (low, high) == (
        min(found[0], exact_interval(int(right.sum()), 300)[0]),
        max(found[1], exact_interval(int(right.sum()), 300)[1]),
    )


def test_exact_intervals_are_clopper_and_pearsons() -> None:
    assert exact_interval(0, 200) == pytest.approx((0.0, 0.018275), abs=1e-5)
    assert exact_interval(200, 200) == pytest.approx((0.981725, 1.0), abs=1e-5)
    assert exact_interval(20, 200) == pytest.approx((0.062163, 0.150207), abs=1e-5)
    # No try was right: resampling only would make no width at all.
    assert accuracy_of("A1", 0, 0.1, [False] * 200, list(range(200))).high == pytest.approx(0.018275, abs=1e-5)


def words(sentences: int = 30, seed: int = 0) -> ReplaceableWords:
    """Draw sentences of six words, of which the third is annotated; words 1 to 9 may represent each other."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((30, 4)).astype(np.float32)
    table[0] = 0
    given = []
    for number in range(sentences):
        rows = rng.integers(10, 30, 6)
        rows[2] = rng.integers(1, 10)
        given.append(LabelledSentence(rows, np.zeros(6, np.uint8), np.array([0, 0, 1, 0, 0, 0], np.int32), number // 2))
    candidates = {row: np.setdiff1d(np.arange(1, 10), [row]) for row in range(1, 10)}
    return ReplaceableWords(SentenceSet(tuple(given), table), candidates)


def test_trials_show_nothing_by_one_sequence_only() -> None:
    given = words()
    known = trial_sentences(given)
    assert {each.place for each in known} == {2}
    drawn = list(trials(known, 2000, 20, np.random.default_rng(0)))
    assert sum(len(each.are_same) for each in drawn) == 2000
    originals = {tuple(sentence.rows.tolist()) for sentence in given.sentences.sentences}
    shares = {True: [0, 0], False: [0, 0]}
    for each in drawn:
        for first, second, same in zip(each.first[:, :6], each.second[:, :6], each.are_same, strict=True):
            assert (first != second).sum() == (not same)
            shares[bool(same)][tuple(first.tolist()) in originals] += 1
    assert [sum(counts) for counts in shares.values()] == [1000, 1000]
    assert all(0.45 < counts[1] / 1000 < 0.56 for counts in shares.values())
    assert [laid_length(length) for length in (1, 16, 17, 65)] == [16, 16, 32, 128]


def model_of(noise: float, leak: float) -> PublicModel:
    """Return a model that shows vectors as they are, as far as ``leak`` states, with noise on them."""

    def transform(vectors: "np.ndarray", present: "np.ndarray", rng: np.random.Generator | None) -> "np.ndarray":
        drawn = 0 if rng is None else noise * rng.standard_normal(vectors.shape)
        return np.asarray(leak * vectors + drawn, np.float32)

    def quiet(vectors: "np.ndarray", present: "np.ndarray", _: np.random.Generator | None) -> "np.ndarray":
        return transform(vectors, present, None)

    return PublicModel(transform, quiet, np.full(4, noise, np.float32))


SETTINGS = TemplateSettings(sentences=400, candidates=9, mean_candidates=5, transforms=3)


@pytest.mark.parametrize("leak", [1.0, 0.3])
def test_templates_read_what_an_encoder_shows_behind_little_noise(leak: float) -> None:
    given = words()
    found = attack_by_templates(model_of(0.01, leak), given.sentences.table, trial_sentences(given), SETTINGS, seed=0)
    assert [each.accuracy for each in found] == [1.0, 1.0]
    assert [each.chance for each in found] == pytest.approx([1 / 9, 1 / 5])
    assert not judge(found, CONTROLS, ()).holds


def test_templates_guess_where_nothing_is_to_be_read() -> None:
    given = words()
    found = attack_by_templates(model_of(1.0, 0.0), given.sentences.table, trial_sentences(given), SETTINGS, seed=0)
    assert all(each.low < each.chance < each.high for each in found)


def test_a_mean_of_transforms_reads_through_noise_on_inputs() -> None:
    """One transform of his own is as noisy as the one that was published; the mean of many is not."""

    def quiet(vectors: "np.ndarray", present: "np.ndarray", rng: np.random.Generator | None) -> "np.ndarray":
        assert rng is not None
        return np.asarray(vectors + rng.standard_normal(vectors.shape), np.float32)

    given = words()
    accuracies = []
    for transforms in (1, 50):
        settings = SETTINGS._replace(transforms=transforms)
        model = PublicModel(
            lambda v, p, rng: quiet(v, p, rng or np.random.default_rng(1)), quiet, np.ones(4, np.float32)
        )
        accuracies.append(attack_by_templates(model, given.sentences.table, trial_sentences(given), settings, 0)[1])
    assert accuracies[1].accuracy > accuracies[0].accuracy + 0.08
