"""The learners ``svm`` and ``adaboost`` on made-up notes."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from spark_deid.core.errors import ModelError
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.boosting import BoostingMethod
from spark_deid.learners.linear import LinearLearner
from spark_deid.learners.linear_model import LinearModel
from spark_deid.learners.svm import SupportVectorMachine, fit_margin, fit_margins
from spark_deid.learners.two_step import one_by_one
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, NAMES, TOWNS, bare, load_model, notes

LEARNERS = {
    "svm": partial(LinearLearner, SupportVectorMachine()),
    "adaboost": partial(LinearLearner, BoostingMethod(60)),
}


@pytest.fixture(scope="module", params=["svm", "adaboost"])
def model(request: pytest.FixtureRequest) -> LinearModel:
    return LEARNERS[request.param]("hide", KEY).fit(notes(40, 0), seed=0)


@pytest.fixture
def folder(model: LinearModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_it_learns(model: LinearModel) -> None:
    assert model.labels == ("DATE", "NAME", "PLACE")
    for example in notes(10, 1):
        assert bare(model.predict(example.view)) == bare(example.spans)


def test_it_learns_from_rich_features_too() -> None:
    model = LEARNERS["svm"]("rich", KEY).fit(notes(20, 0), seed=0)
    for example in notes(4, 1):
        assert bare(model.predict(example.view)) == bare(example.spans)


def test_scores_are_probabilities_and_a_low_threshold_finds_more(model: LinearModel) -> None:
    view = notes(1, 2)[0].view
    assert all(0 < span.score <= 1 for span in model.predict(view))
    shy, eager = (sum(s.end - s.start for s in model.with_threshold(t).predict(view)) for t in (0.5, 1e-9))
    assert eager > shy
    assert sum(s.end - s.start for s in model.with_threshold(0.0).predict(view)) >= eager


def test_a_bias_moves_the_balance(model: LinearModel) -> None:
    view = notes(1, 2)[0].view
    assert model.with_bias(-50).predict(view)
    assert model.with_bias(50).predict(TextView("Mr Zoltan came.")) == ()


def test_removed_pieces_are_never_predicted_and_what_they_hid_changes_nothing(model: LinearModel) -> None:
    example = notes(1, 3)[0]
    view = example.view.remove(example.spans[:2])
    for biased in (model, model.with_bias(-50), model.with_threshold(0.0)):
        for span in biased.predict(view):
            assert all(span.end <= removed.start or span.start >= removed.end for removed in view.removed)
    first = view.removed[0]
    other = view.text[: first.start] + "x" * (first.end - first.start) + view.text[first.end :]
    assert model.predict(view) == model.predict(TextView(other, view.removed))


@pytest.mark.parametrize("text", ["", " \n", "😀", "漢字", "a" * 5000, "Name: " * 3000])
def test_any_text_has_a_prediction(model: LinearModel, text: str) -> None:
    spans = model.predict(TextView(text))
    assert all(0 <= s.start < s.end <= len(text) for s in spans)


def test_a_saved_model_predicts_the_same(model: LinearModel, folder: Path) -> None:
    loaded = load_model(LinearModel, folder, KEY)
    assert loaded is load_model(LinearModel, folder, KEY)
    assert loaded.learner == model.learner
    for example in notes(5, 6):
        assert loaded.predict(example.view) == model.predict(example.view)
        assert loaded.with_threshold(0.1).predict(example.view) == model.with_threshold(0.1).predict(example.view)


def test_the_folder_holds_no_word_of_the_training_texts(folder: Path) -> None:
    content = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
    assert not [word for word in (*NAMES, *TOWNS, "nobody", "wound") if word.lower().encode() in content]


@pytest.mark.parametrize("name", LEARNERS)
def test_fitting_twice_gives_equal_models(name: str, tmp_path: Path) -> None:
    for place in ("a", "b"):
        LEARNERS[name]("hide", KEY).fit(notes(8, 0), seed=0).save(tmp_path / place)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_wrong_key_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="key"):
        load_model(LinearModel, folder, b"x" * 32)


@pytest.mark.parametrize("name", ["slots.npy", "biases.npy", "model.json"])
def test_a_damaged_or_incomplete_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    missing = tmp_path / "missing"
    shutil.copytree(folder, missing)
    (missing / name).unlink()
    (folder / name).write_bytes((folder / name).read_bytes()[:-3] + b"xyz")
    for damaged in (missing, folder):
        with pytest.raises(ModelError):
            load_model(LinearModel, damaged, KEY)


@pytest.mark.parametrize("change", [{"format": "spark-deid linear 0"}, {"key": 3}, {"settings": {}}])
def test_another_version_or_a_changed_record_is_refused(folder: Path, change: dict[str, Any]) -> None:
    record = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**record, **change}))
    with pytest.raises(ModelError, match=r"format|damaged"):
        load_model(LinearModel, folder, KEY)


@pytest.mark.parametrize("tags", [2, 3])
def test_tags_fitted_together_decide_as_tags_fitted_one_by_one(tags: int) -> None:
    draw = np.random.default_rng(0)
    classes = draw.integers(1, 1 + tags, 200).astype(np.int32)
    matrix = csr_matrix((draw.random((200, 12)) < 0.2 + 0.5 * (np.arange(12) % tags == classes[:, None] - 1)) * 1.0)
    settings: dict[str, Any] = {"penalty": 1.0, "tolerance": 1e-6, "seed": 0}
    together = fit_margins(matrix, classes, **settings)
    alone = one_by_one(matrix, classes, fit_class=partial(fit_margin, **settings))
    assert together.keys() == alone.keys() == set(range(1, 1 + tags))
    for tag, found in together.items():
        assert found.weights == pytest.approx(alone[tag].weights, abs=1e-3)
        assert found.bias == pytest.approx(alone[tag].bias, abs=1e-3)


@pytest.mark.parametrize("learner", LEARNERS.values())
def test_training_without_spans_gives_a_model_that_finds_nothing(
    learner: Callable[..., Any],
) -> None:
    model = learner("hide", KEY).fit([TrainingExample("a", TextView("nothing here"), ())], seed=0)
    assert model.labels == ()
    assert model.predict(TextView("nothing here")) == ()
    assert model.with_threshold(0.0).predict(TextView("nothing here")) == ()


@pytest.mark.parametrize("learner", LEARNERS.values())
def test_training_on_one_span_only_works(learner: Callable[..., Any]) -> None:
    model = learner("hide", KEY).fit([TrainingExample("a", TextView("Zoltan"), (Span(0, 6, "NAME"),))], seed=0)
    assert bare(model.predict(TextView("Zoltan"))) == [(0, 6, "NAME")]


def test_an_exported_model_needs_no_key_and_reads_no_words(model: LinearModel, tmp_path: Path) -> None:
    public = model.without_words()
    public.save(tmp_path / "public")
    again = load_model(LinearModel, tmp_path / "public", b"")
    view = notes(1, 1)[0].view
    assert again.predict(view) == public.predict(view)
    assert not again.extractor.templates.secret.any()
    assert not again.lexicon.words.keys.any()
    assert 0 < (again.table.slots[::2] != 0).sum() < (model.table.slots[::2] != 0).sum()
    with pytest.raises(ModelError, match=r"older version.*Train it again"):
        again.without_words()


def test_an_older_folder_is_read_and_can_not_be_exported(model: LinearModel, folder: Path) -> None:
    path = folder / "model.json"
    record = json.loads(path.read_text())
    record["format"] = "spark-deid linear 1"
    (folder / "public.npy").unlink()
    del record["sha256"]["public.npy"]
    path.write_text(json.dumps(record))
    older = load_model(LinearModel, folder, KEY)
    view = notes(1, 1)[0].view
    assert older.predict(view) == model.predict(view)
    with pytest.raises(ModelError, match=r"older version.*Train it again"):
        older.without_words()
