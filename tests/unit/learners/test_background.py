"""Background models: opened by name or folder, checked, and read as features."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.hashing import write_key
from spark_deid.learners.background import (
    chosen_features,
    make_extractor,
    open_background,
    shipped_background,
    uses_of,
)
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.model_cache import open_model
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.text.background import BORDER, CUTS, background_columns, chances_at, fill_background
from spark_deid.text.column_layout import PAD
from spark_deid.text.features import feature_set
from spark_deid.text.tokenizer import TokenBorder, ViewTokenizer
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, bare, load_model, notes

EXAMPLES = notes(12, seed=1)


def save(model: CrfModel, folder: Path) -> str:
    folder.mkdir()
    write_key(folder / "feature.key", KEY)
    model.save(folder / "rounds" / "01")
    (folder / "model.json").write_text("{}")
    return str(folder)


@pytest.fixture(scope="module")
def fitted() -> CrfModel:
    return CrfLearner("hide", KEY, max_iterations=10).fit(EXAMPLES, seed=0)


@pytest.fixture
def place(fitted: CrfModel, tmp_path: Path) -> str:
    return save(fitted, tmp_path / "background")


def test_chances_are_the_models_own(fitted: CrfModel, place: str) -> None:
    [use] = uses_of([place])
    view = TextView("Mr Quimby of Springfield came.")
    tokens = fitted.extractor.tokenizer(view)
    found = open_background(use).chances(view, tokens)
    assert use.labels == ("DATE", "NAME", "PLACE")
    assert found.shape == (len(tokens), 3)
    assert found.sum(1) == pytest.approx(1 - fitted.probabilities(view, tokens)[:, 0])


def test_a_model_with_background_is_the_same_when_read_back(place: str, tmp_path: Path) -> None:
    settings = LearnerSettings("hide", KEY, 10, (place,))
    model = make_learner("crf", settings).fit(EXAMPLES, seed=0)
    model.save(tmp_path / "model")
    again = load_model(CrfModel, tmp_path / "model", KEY)
    view = EXAMPLES[0].view
    assert bare(again.predict(view)) == bare(model.predict(view))
    assert again.extractor.features.background[0].place == place
    assert len(pickle.dumps(again.extractor.background)) < 2000


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("features", ["hide", "rich"])
def test_a_text_without_words_has_nothing_to_find(place: str, features: str, text: str) -> None:
    model = make_learner("crf", LearnerSettings(features, KEY, 10, (place,))).fit(EXAMPLES, seed=0)
    assert model.predict(TextView(text)) == ()
    assert isinstance(model, CrfModel)
    assert model.with_threshold(0.1).predict(TextView(text)) == ()


@pytest.mark.parametrize("learner", ["svm", "adaboost"])
def test_every_learner_reads_background_models(place: str, learner: str) -> None:
    model = make_learner(learner, LearnerSettings("gazetteer", KEY, 10, (place,))).fit(EXAMPLES, seed=0)
    reader: Any = model
    assert any("background1" in template for template in reader.extractor.features.templates)
    assert model.predict(EXAMPLES[0].view)


def test_a_background_model_that_is_gone_or_another_is_an_error(fitted: CrfModel, place: str, tmp_path: Path) -> None:
    model = make_learner("crf", LearnerSettings("hide", KEY, 5, (place,))).fit(EXAMPLES, seed=0)
    model.save(tmp_path / "model")
    open_background.cache_clear()
    kept = shutil.move(place, tmp_path / "elsewhere")
    open_model.__globals__["_read"].cache_clear()
    with pytest.raises(ModelError, match=r"not found. Expected a shipped one"):
        load_model(CrfModel, tmp_path / "model", KEY)
    save(CrfLearner("hide", KEY, max_iterations=2).fit(EXAMPLES, seed=0), tmp_path / "background")
    with pytest.raises(ModelError, match="another digest"):
        load_model(CrfModel, tmp_path / "model", KEY)
    assert kept


def test_a_damaged_background_model_is_an_error(place: str) -> None:
    [use] = uses_of([place])
    slots = np.load(f"{place}/rounds/01/slots.npy")
    np.save(f"{place}/rounds/01/slots.npy", slots + 1)
    open_background.cache_clear()
    with pytest.raises(ModelError, match="damaged"):
        open_background(use)


def test_background_models_have_none_themselves(place: str, tmp_path: Path) -> None:
    model = make_learner("crf", LearnerSettings("hide", KEY, 2, (place,))).fit(EXAMPLES, seed=0)
    assert isinstance(model, CrfModel)
    with pytest.raises(UsageError, match="Choose a model without background models"):
        uses_of([save(model, tmp_path / "second")])


@pytest.mark.parametrize(
    ("name", "labels"), [("english", ("LOCATION", "NAME", "ORGANIZATION")), ("public", ("LOC", "ORG", "PER"))]
)
def test_shipped_models_can_be_named_and_find_people(name: str, labels: tuple[str, ...]) -> None:
    assert shipped_background() == ("english", "public")
    features = chosen_features(LearnerSettings("full", KEY, background=(name,)))
    assert [use.labels for use in features.background] == [labels]
    assert "background1.3.cut12" in features.templates
    model = open_background(features.background[0])
    view = TextView("Yesterday I met Susan Miller in London .")
    found = model.chances(view, model.tokenizer(view))
    person = max(labels.index(each) for each in ("NAME", "PER") if each in labels)
    assert found[3:5].argmax(1).tolist() == [person, person]
    assert found[3:5, person].min() > 4 * found[[0, 1, 2, 5, 6], person].max()


def test_an_export_names_no_background_model() -> None:
    features = chosen_features(LearnerSettings("full", KEY, background=("public",)))
    without = features.without_words()
    assert without.background == ()
    assert not any("background" in template for template in without.templates)
    assert "gaz" in without.templates


def test_columns_show_thresholds_and_neighbours_in_the_line() -> None:
    tokens = ViewTokenizer(TokenBorder.MARK, merged=False)(TextView("a b\nc"))
    [use] = chosen_features(LearnerSettings("full", KEY, background=("public",))).background
    names = [column.name for column in background_columns([use.model_copy(update={"labels": ("X",)})])]
    rows = fill_background(tokens.arrays, np.array([[0.0], [0.5], [1.0]]))[:, PAD:-PAD]
    table = dict(zip(names, rows.tolist(), strict=True))
    assert table["background1.1"] == [1, 8, 13]
    assert table["background1.1.left"] == [BORDER, 1, BORDER]
    assert table["background1.1.right"] == [8, BORDER, BORDER]
    for cut, least in enumerate(CUTS, 1):
        assert table[f"background1.1.cut{cut}"] == [int(least <= chance) for chance in (0.0, 0.5, 1.0)]


def test_tokens_cut_otherwise_get_the_highest_chance_they_overlap() -> None:
    view = TextView("O'Brien came")
    whole, cut = ViewTokenizer(TokenBorder(0), merged=False)(view), ViewTokenizer(TokenBorder.MARK, merged=False)(view)
    assert chances_at(whole, cut, np.array([[0.1], [0.9], [0.2], [0.0]])).ravel().tolist() == [0.9, 0.0]
    assert chances_at(cut, whole, np.array([[0.7], [0.0]])).ravel().tolist() == [0.7, 0.7, 0.7, 0.0]


def test_the_default_sets_have_no_background() -> None:
    assert feature_set("rich").background == ()


@pytest.mark.parametrize("table", ["gazetteer", "clusters"])
def test_tables_that_are_not_those_of_training_are_an_error(table: str) -> None:
    features = feature_set("clusters")
    assert len(getattr(features, table)) == 64
    assert getattr(feature_set("rich"), table) == ""
    with pytest.raises(ModelError, match=rf"{table.rstrip('s')}s: expected .*Train the model again"):
        make_extractor(features.model_copy(update={table: "0" * 64}), KEY)
