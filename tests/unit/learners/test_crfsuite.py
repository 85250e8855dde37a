"""Weights read from CRFsuite's file give what CRFsuite's own tagger gives."""

from typing import Any

import numpy as np
import pycrfsuite
import pytest
from numpy.typing import NDArray

from spark_deid.learners.chain import ChainWeights, LabelledSequence, best_tags, probabilities, transition_factors
from spark_deid.learners.crfsuite import train
from spark_deid.learners.scoring import add_scores, build_weight_table
from spark_deid.text.kernels.vectors import pad_to_eight

NAMES = ("O", "B-A", "I-A", "B-B")


def sequences(seed: int, count: int = 30) -> list[LabelledSequence]:
    """Tags that follow from the first template's hash, with a second template for neighbours and some noise."""
    draw = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        n = int(draw.integers(1, 12))
        tags = draw.integers(0, len(NAMES), n).astype(np.int32)
        own = np.where(draw.random(n) < 0.9, tags * 3 + draw.integers(0, 3, n), draw.integers(0, 12, n)) + 1
        before = np.concatenate([[0], own[:-1]])
        hashes = np.stack([own, np.where(before, before + 100, 0)]).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        made.append(LabelledSequence(hashes, tags))
    return made


def strings(sequence: LabelledSequence) -> list[list[str]]:
    return [[f"{value:016x}" for value in column if value] for column in sequence.attributes.T.tolist()]


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = str(tmp_path_factory.mktemp("crf") / "model")
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params({"c1": 0, "c2": 0.3, "max_iterations": 30, "feature.minfreq": 2})
    for sequence in sequences(0):
        trainer.append(strings(sequence), [NAMES[tag] for tag in sequence.tags.tolist()])
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger


@pytest.fixture(scope="module")
def weights() -> ChainWeights:
    return train(sequences(0), NAMES, {"c1": 0, "c2": 0.3, "max_iterations": 30}, 2)


def scored(weights: ChainWeights, sequence: LabelledSequence) -> NDArray[np.float64]:
    table = build_weight_table(weights)
    scores = np.zeros((len(sequence.tags), pad_to_eight(len(weights.names))))
    add_scores(sequence.attributes, len(scores), table, table.slots.view(np.float64), scores)
    return scores


def test_tags_equal_those_of_crfsuite(weights: ChainWeights, tagger: Any) -> None:
    gains = np.ascontiguousarray((weights.transitions[None] - weights.transitions[:, None]).max(2))
    for sequence in sequences(1):
        tags = np.zeros(len(sequence.tags), np.int32)
        best_tags(scored(weights, sequence), weights.transitions, gains, tags)
        assert [weights.names[tag] for tag in tags] == tagger.tag(strings(sequence))


def test_probabilities_equal_those_of_crfsuite(weights: ChainWeights, tagger: Any) -> None:
    for sequence in sequences(2, 10):
        found = np.empty((len(sequence.tags), pad_to_eight(len(weights.names))))
        probabilities(scored(weights, sequence), transition_factors(weights.transitions), found)
        tagger.set(strings(sequence))
        expected = [[tagger.marginal(name, t) for name in weights.names] for t in range(len(sequence.tags))]
        np.testing.assert_allclose(found[:, : len(weights.names)], expected, atol=1e-9)


def test_scores_are_the_sums_of_the_weights(weights: ChainWeights) -> None:
    by_key = {
        int(key): dict(zip(weights.tags[a:b].tolist(), weights.weights[a:b].tolist(), strict=True))
        for key, a, b in zip(weights.keys, weights.starts[:-1], weights.starts[1:], strict=True)
    }
    for sequence in sequences(3, 10):
        expected = np.zeros((len(sequence.tags), len(weights.names)))
        for i, column in enumerate(sequence.attributes.T.tolist()):
            for key in column:
                for tag, weight in by_key.get(key, {}).items():
                    expected[i, tag] += weight
        assert (scored(weights, sequence)[:, : len(NAMES)] == expected).all()


def test_a_tag_that_training_never_saw_is_none_and_outside_is_always_there() -> None:
    always = [LabelledSequence(s.attributes, np.ones_like(s.tags)) for s in sequences(4)]
    assert train(always, NAMES, {"max_iterations": 5}, 1).names == ("B-A", "O")
