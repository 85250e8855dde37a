"""The compiled likelihood against obvious code, and the fit against CRFsuite's."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.crf_training import LEAST_GAIN, TrainingChains, chains_of, maximize
from spark_deid.learners.crfsuite import train
from spark_deid.learners.preparation import prepare
from spark_deid.text.bio import tag_names
from tests.unit.learners.notes import KEY, notes

SIZE = 3
ATTRIBUTES = (7 << 8, 9 << 8, 11 << 8)


@st.composite
def sequences(draw: st.DrawFn) -> list[LabelledSequence]:
    """Draw short sequences over three attributes and three tags."""
    found = []
    for length in draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
        cells = draw(st.lists(st.sampled_from((0, *ATTRIBUTES)), min_size=2 * length, max_size=2 * length))
        tags = draw(st.lists(st.integers(0, SIZE - 1), min_size=length, max_size=length))
        found.append(LabelledSequence(np.array(cells, np.uint64).reshape(2, length), np.array(tags, np.int32)))
    return found


def obvious_loss(
    chains: TrainingChains, given: list[LabelledSequence], weights: NDArray[np.float64], keys: NDArray[np.uint64]
) -> float:
    """Sum over every row of tags."""
    cells, lone, _ = chains.parts(weights)
    table, transitions = np.zeros((len(keys), chains.table.shape[1])), chains.transitions(weights)
    table[: len(chains.table)].ravel()[chains.cells] = cells
    table[np.arange(len(chains.table), len(keys)), chains.lone_tags] = lone
    rows = {int(key): row for row, key in enumerate(keys)}

    def score(each: LabelledSequence, tags: list[int] | tuple[int, ...]) -> float:
        own = sum(
            table[rows[int(h)], tag] for t, tag in enumerate(tags) for h in each.attributes[:, t] if int(h) in rows
        )
        return own + sum(transitions[pair] for pair in pairwise(tags))

    total = 0.0
    for each in given:
        every = [score(each, tags) for tags in product(range(SIZE), repeat=len(each.tags))]
        total += np.logaddexp.reduce(every) - score(each, each.tags.tolist())
    return total + 0.5 * float(weights @ weights)


@settings(max_examples=60)
@given(sequences(), st.integers(0, 2**32 - 1))
def test_the_loss_is_that_of_every_row_of_tags_and_its_gradient_that_of_differences(
    sequences: list[LabelledSequence], seed: int
) -> None:
    tags = np.concatenate([each.tags for each in sequences])
    chains, keys = chains_of(sequences, tags, SIZE, 1)
    weights = np.random.default_rng(seed).normal(size=len(chains))
    loss, gradient = chains.loss(weights, 0.5)
    assert loss == pytest.approx(obvious_loss(chains, sequences, weights, keys))
    for place in range(len(weights)):
        step = np.zeros(len(weights))
        step[place] = 1e-5
        up, down = (obvious_loss(chains, sequences, weights + sign * step, keys) for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-5, abs=1e-5)


@pytest.fixture(scope="module")
def ready() -> tuple[list[LabelledSequence], tuple[str, ...]]:
    prepared = prepare(notes(20, 0), "hide", KEY)
    return [s for e in prepared.examples for s in prepared.sequences(e)], tag_names(prepared.labels)


def by_name(weights: ChainWeights) -> dict[tuple[int | str, str], float]:
    attributes = np.repeat(weights.keys, np.diff(weights.starts)).tolist()
    found = {(key, weights.names[t]): w for key, t, w in zip(attributes, weights.tags, weights.weights, strict=True)}
    pairs = product(range(len(weights.names)), repeat=2)
    return found | {(weights.names[i], weights.names[j]): weights.transitions[i, j] for i, j in pairs}


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.3), (0.1, 0.5)])
def test_weights_are_crfsuites(
    ready: tuple[list[LabelledSequence], tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, c1: float, c2: float
) -> None:
    monkeypatch.setattr("spark_deid.learners.crf_training.LEAST_GAIN", 1e-12)
    own = by_name(maximize(*ready, penalty=c2, sparsity=c1, iterations=1000, least=2))
    options = {"c1": c1, "c2": c2, "max_iterations": 1000, "epsilon": 1e-9, "delta": 1e-12}
    theirs = by_name(train(*ready, options, 2))
    assert max(abs(own.get(name, 0.0) - theirs.get(name, 0.0)) for name in own | theirs) < 1e-3
    assert {name for name in own if own[name]} == {name for name in theirs if theirs[name]}
    assert LEAST_GAIN < 1e-5


def test_tags_that_never_occur_have_no_weights(ready: tuple[list[LabelledSequence], tuple[str, ...]]) -> None:
    sequences, names = ready
    weights = maximize(sequences, (*names, "B-NEVER", "I-NEVER"), penalty=0.3, iterations=5, least=2)
    used = sorted({0, *(tag for each in sequences for tag in each.tags.tolist())})
    assert weights.names == tuple(names[tag] for tag in used)


def test_tokens_without_tags_make_a_model_of_one_tag() -> None:
    sequence = LabelledSequence(np.array([[256, 512]], np.uint64), np.zeros(2, np.int32))
    weights = maximize([sequence], ("O",), penalty=0.3, iterations=5, least=2)
    assert weights.names == ("O",)
    assert weights.transitions.shape == (1, 1)
