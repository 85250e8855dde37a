"""The folder of an experiment: taken up again by the same one, refused to another."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from spark_deid.app.experiments.greedy.fits import draw_documents
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.app.greedy_experiment import FITS, SETTINGS, open_experiment
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from tests.unit.greedy.guessing import corpus

EXPERIMENT = GreedyExperimentSettings(labels=("NAME",), folds=3, features="hide")


def test_the_same_experiment_goes_on(tmp_path: Path) -> None:
    for _ in range(2):
        with open_experiment(corpus(), EXPERIMENT, str(tmp_path / "out")) as ready:
            (ready.folder / FITS / "kept.json").touch()
    assert (tmp_path / "out" / FITS / "kept.json").exists()
    assert "Birch" not in (tmp_path / "out" / SETTINGS).read_text()


def test_what_a_run_left_that_was_killed_at_its_beginning_is_taken_up(tmp_path: Path) -> None:
    (tmp_path / f"{SETTINGS}.part").write_text("{")
    with open_experiment(corpus(), EXPERIMENT, str(tmp_path)) as ready:
        assert (ready.folder / FITS).is_dir()
    (tmp_path / FITS).rmdir()
    before = (tmp_path / SETTINGS).stat()
    with open_experiment(corpus(), EXPERIMENT, str(tmp_path)):
        assert (tmp_path / FITS).is_dir()
    # What is there is never written again, so that no kill can tear it.
    after = (tmp_path / SETTINGS).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("documents", "experiment", "named"),
    [
        (corpus(), GreedyExperimentSettings(labels=("NAME",), folds=4, features="hide", seed=1), "folds, seed"),
        (corpus(8), EXPERIMENT, "input"),
    ],
)
def test_another_one_is_refused_and_reported_what_differs(
    tmp_path: Path, documents: Sequence[Document], experiment: GreedyExperimentSettings, named: str
) -> None:
    with open_experiment(corpus(), EXPERIMENT, str(tmp_path)):
        pass
    before = json.loads((tmp_path / SETTINGS).read_text())
    with (
        pytest.raises(UsageError, match=rf"other options \({named}\)"),
        open_experiment(documents, experiment, str(tmp_path)),
    ):
        pass
    assert json.loads((tmp_path / SETTINGS).read_text()) == before


def test_a_folder_with_something_else_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").touch()
    with pytest.raises(UsageError, match="is not empty"), open_experiment(corpus(), EXPERIMENT, str(tmp_path)):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_documents_are_drawn_by_the_seed_whatever_their_order() -> None:
    documents = corpus()
    some = GreedyExperimentSettings(labels=("NAME",), documents=4)
    drawn = draw_documents(documents, some)
    assert len(drawn) == 4
    assert sorted(drawn) == sorted(draw_documents(documents[::-1], some))
    assert draw_documents(documents, EXPERIMENT) == documents
