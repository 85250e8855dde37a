"""Trainings of representations for real, on few short notes: what holds is published, and planted leaks are not."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError
from spark_deid.private_training.network.encoding import TextEncoder
from spark_deid.private_training.network.layers import representing_shapes
from spark_deid.private_training.network.replaceable import ReplaceableWords, encode_documents, with_candidates
from spark_deid.private_training.neural import publishing
from spark_deid.private_training.neural.attack import AttackSettings, assess_representation
from spark_deid.private_training.neural.fitting import TaggerSettings
from spark_deid.private_training.neural.held_out import HeldOutLoss
from spark_deid.private_training.neural.publishing import (
    PublicationSettings,
    PublicationTrial,
    publish_representation,
)
from spark_deid.private_training.neural.representation_fit import (
    MOST_CHANGE,
    RepresentationFit,
    RepresentationSettings,
    fit_representation,
    moved_weight,
    rank,
)
from spark_deid.private_training.privacy.templates import TemplateSettings
from tests.unit.private_training.networks import drawn, notes, store

OUTPUTS = 8
ATTACK = AttackSettings(
    seeds=1,
    epochs=3,
    pairs=1000,
    tries=2000,
    units=32,
    templates=TemplateSettings(sentences=1500, candidates=9, mean_candidates=9, transforms=20),
)
FEW = ATTACK.templates._replace(sentences=600, transforms=5)
FIT = RepresentationSettings(
    outputs=OUTPUTS,
    units=16,
    tagger_units=16,
    adversary_units=32,
    together=4,
    adversary=1,
    alternating=14,
    divergence=0.04,
)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> ReplaceableWords:
    encoder = TextEncoder(store(tmp_path_factory.mktemp("vectors")))
    documents = [Document(f"d{n}", each.view.text, spans=each.spans) for n, each in enumerate(notes(400))]
    return with_candidates(encode_documents(documents, ("NAME",), encoder), 8)


@pytest.fixture(scope="module")
def fits() -> list[RepresentationFit]:
    """What ``published`` was fitted to: training takes most of the time here, and is done once."""
    return []


@pytest.fixture(scope="module")
def published(words: ReplaceableWords, fits: list[RepresentationFit]) -> PublicationTrial:
    def fit_and_keep(*given: Any) -> RepresentationFit:
        fits.append(fit_representation(*given))
        return fits[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "fit_representation", fit_and_keep)
        return publish_representation(words, 3, PublicationSettings(FIT, TaggerSettings(16, 8), ATTACK), seed=0)


def test_a_representation_is_let_out_that_a_de_identifier_reads_and_adversaries_do_not(
    published: PublicationTrial,
) -> None:
    assert published.verdict.reasons == ()
    assert published.score.f1 > 0.9
    assert {each.attack for each in published.verdict.attacks} == {
        *("T1", "T2", "mean of both", "A1 template", "A2 mean of transforms")
    }
    assert all(each.accuracy > 0.9 for each in published.verdict.controls)


@pytest.mark.usefixtures("published")
def test_a_divergence_is_held_where_it_is_wanted_and_reading_goes_on(fits: list[RepresentationFit]) -> None:
    [fit] = fits
    late = [each.divergence for each in fit.losses[4:]]
    assert all(FIT.divergence / 2 < each < 1.25 * FIT.divergence for each in late)
    assert fit.losses[fit.epoch].divergence <= FIT.divergence
    assert fit.losses[fit.epoch].tagging < 0.2 * fit.losses[4].tagging


def test_what_is_no_number_is_too_distant_and_kept_last() -> None:
    lost = float("nan")
    assert moved_weight(2.0, lost, 0.15) == moved_weight(2.0, float("inf"), 0.15) == 2.0 * MOST_CHANGE
    assert moved_weight(0.0, lost, 0.15) == 0.0
    near, far, worse = (HeldOutLoss(0.1, 0.7, 0.0, FIT.divergence * by) for by in (1, 2, 3))
    ordered = [near, near._replace(tagging=lost), far, worse, near._replace(divergence=lost)]
    mixed = [ordered[place] for place in (4, 2, 1, 3, 0)]
    assert sorted(mixed, key=lambda each: rank(each, FIT))[2:] == ordered[2:]
    assert min(mixed, key=lambda each: rank(each, FIT)) == near
    bare = FIT._replace(invariance=0.0)
    assert rank(worse, bare) == rank(near, bare) < rank(near._replace(tagging=lost), bare)


def test_an_encoder_without_noise_is_refused(words: ReplaceableWords) -> None:
    weights = drawn(representing_shapes(words.sentences.table.shape[1], 16, OUTPUTS), np.random.default_rng(0))
    weights["noise_in"][:] = weights["noise_out"][:] = -30.0
    verdict = assess_representation(weights, *parts(words), ATTACK._replace(templates=FEW))
    refused = {reason.split(" of seed")[0] for reason in verdict.reasons}
    assert refused >= {"T2", "A1 template", "A2 mean of transforms"}
    assert not any("too weak" in reason for reason in verdict.reasons)


def test_an_adversary_that_did_not_learn_is_too_weak_to_let_anything_out(words: ReplaceableWords) -> None:
    weights = drawn(representing_shapes(words.sentences.table.shape[1], 16, OUTPUTS), np.random.default_rng(0))
    weights["noise_in"][:] = weights["noise_out"][:] = 30.0
    verdict = assess_representation(weights, *parts(words), ATTACK._replace(epochs=0, templates=FEW))
    assert not verdict.holds
    assert all("adversary too weak" in reason for reason in verdict.reasons)


def parts(words: ReplaceableWords) -> tuple[ReplaceableWords, ReplaceableWords]:
    known, other = words.sentences.parted(0.3, 0)
    assert not {each.document for each in known.sentences} & {each.document for each in other.sentences}
    return words._replace(sentences=known), words._replace(sentences=other)


def test_without_words_that_others_may_represent_nothing_is_trained(words: ReplaceableWords) -> None:
    bare = words._replace(candidates={})
    with pytest.raises(CorpusError, match="neighbours among the vectors"):
        publish_representation(bare, 3, PublicationSettings(FIT, TaggerSettings(16, 1), ATTACK), seed=0)
    with pytest.raises(CorpusError, match="neighbours among the vectors"):
        fit_representation(bare, 3, FIT, seed=0)
