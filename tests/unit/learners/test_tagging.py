"""Parts of speech as features: nltk's perceptron from a folder, and taggers of installed packages."""

import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.learners.registry import LearnerSettings, load_learned, make_learner
from spark_deid.text import tagging
from spark_deid.text.features import feature_set
from spark_deid.text.kernels.hashing import salt
from spark_deid.text.tagging import PartsOfSpeech, TaggerError, open_tagger, tagger_use
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, bare, notes

SENTENCES = [[("Ann", "NNP"), ("saw", "VBD"), ("the", "DT"), ("ward", "NN")]] * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a small tagger, and write its files as nltk names them."""
    tagger = new_tagger()
    tagger.train(SENTENCES, nr_iter=3)
    place = tmp_path_factory.mktemp("tagger")
    for name, part in zip(("weights", "tagdict", "classes"), tagger.encode_json_obj(), strict=True):
        (place / f"toy.{name}.json").write_text(json.dumps(part))
    return place


def new_tagger() -> Any:
    """Make an empty tagger; nltk is slow to import, and every process that runs tests imports this file."""
    from nltk.tag.perceptron import PerceptronTagger

    return PerceptronTagger(load=False)


def opened(folder: Path) -> PartsOfSpeech:
    use = tagger_use(f"nltk:{folder}")
    return open_tagger(use, use.place)


def hashes(parts: PartsOfSpeech, view: TextView) -> list[int]:
    return parts.hashes(feature_set("hide").tokenizer()(view)).tolist()


def test_tags_are_nltks_line_by_line(folder: Path) -> None:
    nltk = new_tagger()
    files = [json.loads((folder / f"toy.{part}.json").read_text()) for part in ("weights", "tagdict", "classes")]
    nltk.decode_json_params(files)
    lines = [["Ann", "saw", "Bob"], ["the", "ward"]]
    expected = [salt(f"pos {tag}") for line in lines for _, tag in nltk.tag(line)]
    parts = opened(folder)
    assert hashes(parts, TextView("Ann saw Bob\n\n the ward")) == expected
    assert hashes(pickle.loads(pickle.dumps(parts)), TextView("Ann saw Bob\n\n the ward")) == expected
    assert hashes(parts, TextView("")) == []


def test_a_removed_piece_has_no_tag_and_what_it_hid_changes_nothing(folder: Path) -> None:
    found = [hashes(opened(folder), TextView(f"{word} saw the ward", (Span(0, 3, "NAME"),))) for word in ("Ann", "the")]
    assert found[0] == found[1]
    assert found[0][0] == 0
    assert all(found[0][1:])


@pytest.mark.parametrize("learner", ["crf", "svm", "ensemble"])
def test_a_model_keeps_its_tagger(folder: Path, tmp_path: Path, learner: str) -> None:
    place = tmp_path / "elsewhere"
    shutil.copytree(folder, place)
    settings = LearnerSettings("hide", KEY, 20, tagger=f"nltk:{place}")
    model = make_learner(learner, settings).fit(notes(20, 0), seed=0)
    model.save(tmp_path / "model")
    shutil.rmtree(place)
    open_tagger.cache_clear()
    again = load_learned(learner, tmp_path / "model", KEY)
    for example in notes(4, 1):
        assert bare(again.predict(example.view)) == bare(model.predict(example.view)) != []
    next((tmp_path / "model").rglob("tagger.weights.json")).write_text("{}")
    open_tagger.cache_clear()
    (tmp_path / "model").rename(tmp_path / "moved")
    with pytest.raises(ModelError, match="with which the model was trained, got others"):
        load_learned(learner, tmp_path / "moved", KEY)


def test_the_tagger_that_comes_with_the_package_is_kept_in_a_model(tmp_path: Path) -> None:
    use = tagger_use("english-pos")
    assert use == tagger_use(f"nltk:{use.place}")
    parts = open_tagger(use, use.place)
    tags = parts.tags(feature_set("hide").tokenizer()(TextView("The nurse saw Zoltan Kovacs in the ward .")))
    assert tags == ["DET", "NOUN", "VERB", "PROPN", "PROPN", "ADP", "DET", "NOUN", "PUNCT"]
    (tmp_path / "model").mkdir()
    parts.save(tmp_path / "model")
    again = open_tagger(use, str(tmp_path / "model" / "tagger"))
    assert again.tagger.tag(["Zoltan", "slept"]) == parts.tagger.tag(["Zoltan", "slept"])


def test_features_read_the_tags(folder: Path) -> None:
    plain, tagged = (feature_set("hide", tagger=use) for use in (None, tagger_use(f"nltk:{folder}")))
    assert set(tagged.templates) - set(plain.templates) >= {"pos", "pos[-1]"}
    assert tagged.without_words().tagger is None
    assert not any("pos" in template.split() for template in tagged.without_words().templates)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    info = tmp_path / "toy_tagger_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-tagger-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spark_deid.taggers]\nupper = toy_taggers:Upper\nshort = toy_taggers:Short\n"
    )
    (tmp_path / "toy_taggers.py").write_text(
        'class Upper:\n    def tag(self, words):\n        return ["UP" if w.isupper() else "LOW" for w in words]\n'
        'class Short:\n    def tag(self, words):\n        return ["X"]\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    open_tagger.cache_clear()


def test_an_installed_tagger_is_used_by_its_name(installed: None, tmp_path: Path) -> None:
    use = tagger_use("upper")
    assert hashes(open_tagger(use, ""), TextView("IT is")) == [salt("pos UP"), salt("pos LOW")]
    open_tagger(use, "").save(tmp_path)
    assert not (tmp_path / tagging.FOLDER).exists()


def test_a_tagger_that_gives_too_few_tags_is_reported_without_words(installed: None) -> None:
    with pytest.raises(TaggerError, match="expected a tag for each of 2 words") as error:
        hashes(open_tagger(tagger_use("short"), ""), TextView("Zoltan came"))
    assert "Zoltan" not in str(error.value)


@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        ("nltk:/nowhere", ModelError, "nothing is downloaded"),
        ("nltk", UsageError, "expected nltk:FOLDER"),
        ("stanza", UsageError, "english-pos"),
    ],
)
def test_a_tagger_that_is_not_there_reports_what_is_expected(
    place: str, error: type[ModelError] | type[UsageError], words: str
) -> None:
    with pytest.raises(error, match=words):
        tagger_use(place)
    with pytest.raises(error, match=words):
        make_learner("svm", LearnerSettings("hide", KEY, tagger=place))


def test_without_a_tagger_nothing_is_different() -> None:
    assert tagger_use("") is None
    assert TrainConfig(key=KEY).tagger == ""
    assert np.all([name != "pos" for name in feature_set("rich").templates])
