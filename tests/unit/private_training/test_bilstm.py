"""The learner ``bilstm`` and its models."""

from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.span import Span
from spark_deid.learners.registry import LEARNERS, LearnerSettings, load_learned, make_learner
from spark_deid.private_training.embeddings.store import ABSENT, open_store
from spark_deid.private_training.network.encoding import LONGEST, TextEncoder, sentence_borders
from spark_deid.private_training.network.encoding import TOKENIZER as cut
from spark_deid.private_training.network.model import BilstmModel
from spark_deid.text.bio import OUTSIDE
from spark_deid.text.view import TextView
from tests.unit.private_training.networks import notes, store


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(store(tmp_path_factory.mktemp("vectors")).folder)


@pytest.fixture(scope="module")
def fitted(vectors: str) -> BilstmModel:
    pytest.importorskip("jax")
    settings = LearnerSettings("rich", b"k" * 32, embeddings=vectors, minutes=0.05)
    model = make_learner("bilstm", settings).fit(notes(150), seed=0)
    assert isinstance(model, BilstmModel)
    return model


def test_it_finds_names_that_it_never_saw_where_they_occur(fitted: BilstmModel) -> None:
    found = [(each.spans, fitted.predict(each.view)) for each in notes(40, seed=9)]
    right = sum([(s.start, s.end) for s in gold] == [(s.start, s.end) for s in spans] for gold, spans in found)
    assert right >= 36
    assert fitted.labels == ("NAME",)


def test_models_are_read_back_as_they_were(fitted: BilstmModel, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    again = load_learned("bilstm", tmp_path / "model", b"any")
    assert isinstance(again, BilstmModel)
    again.check()
    for each in notes(10, seed=3):
        assert again.predict(each.view) == fitted.predict(each.view)
    assert not any(path.suffix in (".pkl", ".pickle") for path in (tmp_path / "model").rglob("*"))


def test_damaged_folders_are_refused(fitted: BilstmModel, tmp_path: Path) -> None:
    fitted.save(tmp_path / "other")
    np.save(tmp_path / "other" / "transitions.npy", np.full((2, 2), np.nan, np.float32))
    with pytest.raises(ModelError, match="transitions"):
        load_learned("bilstm", tmp_path / "other", b"").check()  # type: ignore[attr-defined]
    fitted.save(tmp_path / "none")
    for path in (tmp_path / "none" / "embeddings").iterdir():
        path.unlink()
    with pytest.raises(ModelError, match="vectors can't be read"):
        load_learned("bilstm", tmp_path / "none", b"")


def test_a_lower_threshold_finds_no_less_and_scores_are_probabilities(fitted: BilstmModel) -> None:
    view = notes(1, seed=5)[0].view
    sizes = []
    for threshold in (0.9, 0.5, 0.1, 0.001):
        spans = fitted.with_threshold(threshold).predict(view)
        assert all(span.score is not None and threshold < span.score <= 1 for span in spans)
        sizes.append(sum(span.end - span.start for span in spans))
    assert sizes == sorted(sizes)
    assert fitted.with_bias(1e4).predict(view) == ()
    assert len(fitted.with_bias(-1e3).predict(view)) >= 1


def test_what_was_removed_is_never_found_nor_looked_at(fitted: BilstmModel) -> None:
    text = "Seen by Ann fever. Call Bob today."
    gone = (Span(8, 11, "NAME"),)
    one = fitted.with_bias(-1e3)
    spans = one.predict(TextView(text, gone))
    assert all(span.end <= 8 or span.start >= 11 for span in spans)
    other = one.predict(TextView(text.replace("Ann", "x. "), gone))
    assert [(s.start, s.end) for s in other] == [(s.start, s.end) for s in spans]
    probabilities = fitted.probabilities(fitted.encoder(TextView(text, gone)))
    assert probabilities[2, OUTSIDE] == pytest.approx(1)


def test_words_are_rows_and_long_sentences_are_cut(vectors: str) -> None:
    encoder = TextEncoder(open_store(vectors))
    view = TextView("Ann 25yo, " + "fever " * 300 + "Bob")
    encoded = encoder(view)
    assert encoded.rows[0] == encoder.rows(["ann"])[0] != ABSENT
    assert encoded.casings[:4].tolist() == [4, 0, 2, 6]
    assert np.diff(encoded.borders).max() == LONGEST
    assert encoded.borders[-1] == len(encoded.tokens)
    assert not encoder.vectors(np.array([[ABSENT]])).any()
    assert sentence_borders(TextView(""), cut(TextView(""))).tolist() == [0]


def test_it_needs_vectors() -> None:
    with pytest.raises(UsageError, match="--embeddings"):
        LEARNERS.find("bilstm").make(LearnerSettings("rich", b""))


def test_without_jax_it_reports_what_to_install(vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [each for each in sys.modules if each.startswith("spark_deid.private_training.neural.framework")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("spark_deid.private_training.neural.framework", raising=False)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UsageError, match=r"pip install 'spark-deid\[neural\]'"):
        make_learner("bilstm", LearnerSettings("rich", b"", embeddings=vectors))


def test_vectors_of_a_private_corpus_are_not_exported(fitted: BilstmModel) -> None:
    assert fitted.without_words() is fitted
    object.__setattr__(fitted.encoder.store.about, "private", True)
    try:
        with pytest.raises(ModelError, match="private"):
            fitted.without_words()
    finally:
        object.__setattr__(fitted.encoder.store.about, "private", False)
