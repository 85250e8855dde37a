"""Learners by name, with a toy package that brings one of its own."""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.learners import crf
from spark_deid.learners.registry import (
    LEARNERS,
    LearnerSettings,
    load_learned,
    make_learner,
)
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, bare, notes

TOY = '''
import json, re
from dataclasses import dataclass
import numpy as np
from spark_deid.core.span import Span
from spark_deid.learners.registry import LearnerKind

@dataclass(frozen=True)
class Titles:
    """A recognizer that comes trained: what follows a title is a name."""
    titles: tuple
    labels = ("NAME",)
    def tokens(self, view):
        words = [m.span() for m in re.finditer(r"\\w+", view.text)]
        return tuple(np.array([w[side] for w in words], np.int32) for side in (0, 1))
    def predict(self, view):
        return tuple(Span(*m.span(1), "NAME") for m in re.finditer(rf"(?:{'|'.join(self.titles)}) (\\w+)", view.text))
    def save(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "titles.json").write_text(json.dumps(self.titles))

class Learner:
    def fit(self, examples, *, seed):
        return Titles(("Mr", "Mrs"))

def load(folder, key):
    return Titles(tuple(json.loads((folder / "titles.json").read_text())))

KIND = LearnerKind(lambda settings: Learner(), load)
NO_KIND = "something else"
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package, as far as Python can show."""
    site = tmp_path / "site"
    info = site / "toy_learner_package-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "toy_titles.py").write_text(textwrap.dedent(TOY))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-learner-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spark_deid.learners]\ntitles = toy_titles:KIND\ncrf = toy_titles:KIND\n"
        "broken = toy_missing:KIND\nother = toy_titles:NO_KIND\n"
    )
    monkeypatch.syspath_prepend(site)
    yield site
    sys.modules.pop("toy_titles", None)


def test_an_installed_package_provides_a_learner(toy: Path, tmp_path: Path) -> None:
    assert LEARNERS.names() == ("crf", "svm", "adaboost", "ensemble", "crfsuite", "bilstm", "broken", "other", "titles")
    model = make_learner("titles", LearnerSettings("hide", KEY)).fit(notes(2, 0), seed=0)
    model.save(tmp_path / "model")
    view = TextView("Then Mr Quimby came.")
    assert bare(load_learned("titles", tmp_path / "model", KEY).predict(view)) == [(8, 14, "NAME")]


def test_a_package_does_not_take_a_built_in_name(toy: Path) -> None:
    assert LEARNERS.find("crf") is crf.KIND


@pytest.mark.parametrize(("name", "words"), [("broken", "can't be loaded"), ("other", "to be a LearnerKind")])
def test_a_package_that_fails_reports_it(toy: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        LEARNERS.find(name)


def test_an_unknown_name_names_the_known_ones() -> None:
    with pytest.raises(
        UsageError, match="expected one of crf, svm, adaboost, ensemble, crfsuite, bilstm, got 'forest'"
    ):
        LEARNERS.find("forest")


@pytest.mark.parametrize("name", ["crf", "svm", "adaboost", "crfsuite"])
def test_built_in_learners_save_what_their_name_loads(name: str, tmp_path: Path) -> None:
    model = make_learner(name, LearnerSettings("hide", KEY)).fit(notes(8, 0), seed=0)
    model.save(tmp_path / "model")
    view = notes(1, 1)[0].view
    assert load_learned(name, tmp_path / "model", KEY).predict(view) == model.predict(view)
    assert json.loads((tmp_path / "model" / "model.json").read_text())["format"].startswith("spark-deid ")
