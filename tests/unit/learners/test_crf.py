"""The learner on made-up notes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import ModelError
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel
from spark_deid.text.extractor import MAX_SEQUENCE
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, NAMES, TOWNS, bare, load_model, notes


@pytest.fixture(scope="module", params=["rich", "hide"])
def model(request: pytest.FixtureRequest) -> CrfModel:
    return CrfLearner(request.param, KEY, max_iterations=30).fit(notes(40, 0), seed=0)


@pytest.fixture
def folder(model: CrfModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_it_learns(model: CrfModel) -> None:
    assert model.labels == ("DATE", "NAME", "PLACE")
    for example in notes(10, 1):
        assert bare(model.predict(example.view)) == bare(example.spans)


def test_a_threshold_gives_scores_and_a_low_one_finds_more(model: CrfModel) -> None:
    view = notes(1, 2)[0].view
    spans = model.with_threshold(0.5).predict(view)
    assert all(0.5 < span.score <= 1 for span in spans)
    count = sum(span.end - span.start for span in model.with_threshold(1e-9).predict(view))
    assert count > sum(span.end - span.start for span in spans)


def test_a_bias_moves_the_balance(model: CrfModel) -> None:
    view = notes(1, 2)[0].view
    assert model.with_bias(-50).predict(view)
    assert bare(model.with_bias(50).predict(TextView("Mr Zoltan came."))) == []


def test_removed_pieces_are_no_instances_and_never_predicted(model: CrfModel) -> None:
    example = notes(1, 3)[0]
    view = example.view.remove(example.spans[:2])
    starts, ends = model.tokens(view)
    for removed in view.removed:
        assert not ((starts < removed.end) & (ends > removed.start)).any()
        for biased in (model, model.with_bias(-50), model.with_threshold(0.0)):
            assert all(s.end <= removed.start or s.start >= removed.end for s in biased.predict(view))


def test_what_a_removed_piece_hid_changes_nothing(model: CrfModel) -> None:
    example = notes(1, 4)[0]
    hidden = example.spans[0]
    text = example.view.text
    other = text[: hidden.start] + "x" * (hidden.end - hidden.start) + text[hidden.end :]
    assert model.predict(TextView(text, (hidden,))) == model.predict(TextView(other, (hidden,)))


@pytest.mark.parametrize("text", ["", " \n", "😀", "\u0301", "漢字", "a" * 5000, "Name: " * 3000])
def test_any_text_has_a_prediction(model: CrfModel, text: str) -> None:
    spans = model.predict(TextView(text))
    assert all(0 <= s.start < s.end <= len(text) for s in spans)


def test_a_text_longer_than_a_sequence_is_cut_where_lines_end(model: CrfModel) -> None:
    one = notes(1, 5)[0]
    repeats = 2 * MAX_SEQUENCE // len(model.tokens(one.view)[0]) + 1
    found = model.predict(TextView(one.view.text * repeats))
    assert len(found) == repeats * len(one.spans)


def test_a_saved_model_predicts_the_same(model: CrfModel, folder: Path) -> None:
    loaded = load_model(CrfModel, folder, KEY)
    assert loaded is load_model(CrfModel, folder, KEY)
    for example in notes(5, 6):
        assert loaded.predict(example.view) == model.predict(example.view)
        assert loaded.with_threshold(0.1).predict(example.view) == model.with_threshold(0.1).predict(example.view)


def test_the_folder_holds_no_word_of_the_training_texts(folder: Path) -> None:
    for path in folder.iterdir():
        data = path.read_bytes()
        for word in (*NAMES, *TOWNS, "nobody", "wound"):
            for form in (word, word.lower()):
                assert form.encode() not in data
                assert form.encode("utf-16-le") not in data
                assert form.encode("utf-32-le") not in data


def test_another_key_gives_other_hashes() -> None:
    examples = [TrainingExample("a", TextView("Zoltan came to Springfield"), (Span(0, 6, "NAME"),))]
    learners = [CrfLearner("rich", key, max_iterations=1) for key in (KEY, b"another key, as long as the first")]
    first, second = (set(learner.fit(examples, seed=0).lexicon.words.keys.tolist()) for learner in learners)
    assert len(first) == len(second) == 5
    assert first & second == {0}


def test_fitting_twice_gives_equal_models(tmp_path: Path) -> None:
    for name in ("a", "b"):
        CrfLearner("hide", KEY, max_iterations=5).fit(notes(6, 0), seed=0).save(tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_wrong_key_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="key"):
        load_model(CrfModel, folder, b"x" * 32)


@pytest.mark.parametrize("name", ["slots.npy", "transitions.npy", "model.json"])
def test_a_damaged_or_incomplete_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    missing = tmp_path / "missing"
    shutil.copytree(folder, missing)
    (missing / name).unlink()
    (folder / name).write_bytes((folder / name).read_bytes()[:-3] + b"xyz")
    for damaged in (missing, folder):
        with pytest.raises(ModelError):
            load_model(CrfModel, damaged, KEY)


def test_another_version_is_refused(folder: Path) -> None:
    record = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**record, "format": "spark-deid crf 0"}))
    with pytest.raises(ModelError, match="format"):
        load_model(CrfModel, folder, KEY)


def test_training_needs_tokens() -> None:
    with pytest.raises(ModelError, match="token"):
        CrfLearner("hide", KEY).fit([TrainingExample("a", TextView(" "), ())], seed=0)


def test_training_without_spans_gives_a_model_that_finds_nothing() -> None:
    model = CrfLearner("rich", KEY, max_iterations=3).fit([TrainingExample("a", TextView("nothing here"), ())], seed=0)
    assert model.labels == ()
    assert model.predict(TextView("nothing here")) == ()
    assert model.with_threshold(0.1).predict(TextView("nothing here")) == ()


def test_calibration_makes_probabilities_of_an_unseen_document_fit(tmp_path: Path) -> None:
    examples = notes(30, seed=5)
    sure = CrfLearner("hide", KEY, max_iterations=30).fit(examples, seed=0)
    model = CrfLearner("hide", KEY, max_iterations=30, calibrate=True).fit(examples, seed=0)
    view = examples[0].view
    tokens = model.extractor.tokenizer(view)
    assert model.sigmoid != sure.sigmoid
    odds = np.log(sure.chances(view, tokens) / (1 - sure.chances(view, tokens)))
    expected = model.sigmoid.slope * odds + model.sigmoid.intercept
    middle = np.abs(odds) < 10
    found = model.chances(view, tokens)
    assert np.log(found / (1 - found))[middle] == pytest.approx(expected[middle], abs=1e-6)
    model.save(tmp_path / "model")
    assert load_model(CrfModel, tmp_path / "model", KEY).sigmoid == model.sigmoid


def test_auxiliary_labels_are_learned_and_never_marked() -> None:
    examples = [
        each._replace(
            spans=tuple(span for span in each.spans if span.label == "NAME"),
            auxiliary=tuple(span for span in each.spans if span.label == "PLACE"),
        )
        for each in notes(20, seed=6)
    ]
    model = CrfLearner("hide", KEY, max_iterations=20).fit(examples, seed=0)
    assert (model.labels, model.auxiliary) == (("NAME", "PLACE"), ("PLACE",))
    view = notes(1, seed=7)[0].view
    for decoded in (model, model.with_threshold(0.2)):
        assert {span.label for span in decoded.predict(view)} == {"NAME"}
    tokens = model.extractor.tokenizer(view)
    whole = 1 - model.probabilities(view, tokens)[:, 0]
    assert (whole - model.chances(view, tokens)).max() > 0.5
