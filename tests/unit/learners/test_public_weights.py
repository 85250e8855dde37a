"""What is exported holds the weights of features without words, and nothing of the others."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.errors import ModelError
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.chain import ChainWeights
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.scoring import WeightTable, add_scores, build_weight_table, only_public, public_slots
from spark_deid.text.kernels.vectors import pad_to_eight
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, load_model


@st.composite
def weights(draw: st.DrawFn) -> ChainWeights:
    """Rows of no weight, of one, of a few and of many."""
    tags = draw(st.integers(1, 20))
    sizes = draw(st.lists(st.integers(0, tags), max_size=30))
    chance = np.random.default_rng(draw(st.integers(0, 99)))
    rows = [np.sort(chance.permutation(tags)[:size]) for size in sizes]
    keys = chance.integers(1 << 9, 1 << 63, len(sizes)).astype(np.uint64)
    values = chance.normal(size=sum(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    chosen = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.uint8)
    return ChainWeights(("",) * tags, keys, starts, chosen, values, np.zeros((tags, tags)))


def dense(given: ChainWeights) -> NDArray[np.float64]:
    """The weights of each attribute, ``[attribute, tag]``."""
    rows = np.zeros((len(given.keys), len(given.names)))
    for row, first, end in zip(rows, given.starts[:-1], given.starts[1:], strict=True):
        row[given.tags[first:end]] = given.weights[first:end]
    return rows


def looked_up(table: WeightTable, keys: NDArray[np.uint64], tags: int) -> NDArray[np.float64]:
    scores = np.zeros((len(keys), pad_to_eight(tags)))
    add_scores(keys.reshape(1, -1).copy(), len(keys), table, table.slots.view(np.float64), scores)
    return scores[:, :tags]


@given(weights())
def test_a_table_gives_back_every_weight(given: ChainWeights) -> None:
    found = looked_up(build_weight_table(given), given.keys, len(given.names))
    assert (found == dense(given)).all()


@given(weights(), st.integers(0, 99))
def test_a_public_table_has_the_public_weights_only(given: ChainWeights, seed: int) -> None:
    tags, public = len(given.names), np.random.default_rng(seed).random(len(given.keys)) < 0.5
    table = build_weight_table(given)
    shared = only_public(table, public_slots(table, given.keys[public]), tags)
    assert (looked_up(shared, given.keys, tags) == np.where(public[:, None], dense(given), 0)).all()
    hidden = set(dense(given)[~public].ravel().tolist()) - {0.0}
    held = {*shared.row_weights.tolist(), *shared.wide.tolist(), *shared.slots.view(np.float64)[1::2].tolist()}
    assert not hidden & held


@pytest.fixture(scope="module")
def model() -> CrfModel:
    texts = [f"Name: Quimby{'abc'[i % 3]}\nSeen 3/{1 + i % 9}/2009 by nobody.\n" for i in range(12)]
    spans = [(Span(6, 13, "NAME"), Span(19, 27, "DATE")) for _ in texts]
    examples = [
        TrainingExample(str(i), TextView(text), found) for i, (text, found) in enumerate(zip(texts, spans, strict=True))
    ]
    return CrfLearner("rich", KEY, max_iterations=20).fit(examples, seed=0)


def test_an_exported_model_needs_no_key_and_reads_no_words(model: CrfModel, tmp_path: Path) -> None:
    public = model.without_words()
    public.save(tmp_path / "public")
    again = load_model(CrfModel, tmp_path / "public", b"")
    text = TextView("Name: Zoltan\nSeen 4/7/2011 by nobody.\n")
    assert again.predict(text) == public.predict(text)
    assert "DATE" in {span.label for span in again.predict(text)}
    assert not again.extractor.templates.secret.any()
    assert not again.lexicon.words.keys.any()
    assert again.table.slots.astype(bool).sum() < model.table.slots.astype(bool).sum()


def test_what_is_left_weighs_as_before(model: CrfModel) -> None:
    public, view = model.without_words(), TextView("Name: Zoltan\nSeen 4/7/2011.\n")
    tokens = model.extractor.tokenizer(view)
    (first, end, attributes), *_ = public.extractor.sequences(view, tokens, public.lexicon.known())
    tags = len(model.names)
    for row in attributes:
        known = row[row != 0]
        assert (looked_up(public.table, known, tags) == looked_up(model.table, known, tags)).all()
    assert (first, end) == (0, len(tokens))


def test_an_older_folder_is_read_and_can_not_be_exported(model: CrfModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    record = json.loads(path.read_text())
    record["format"] = "spark-deid crf 1"
    for name in ("wide.npy", "public.npy"):
        (tmp_path / "model" / name).unlink()
        del record["sha256"][name]
    path.write_text(json.dumps(record))
    older = load_model(CrfModel, tmp_path / "model", KEY)
    assert older.table.wide.size == 0
    with pytest.raises(ModelError, match="Train it again"):
        older.without_words()
