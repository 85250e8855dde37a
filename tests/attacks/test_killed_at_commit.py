"""A run that is killed right after its commit: its marker and its scratch files must not remain."""

import json
from pathlib import Path

import pytest

from spark_deid.release.workspace import MARKER, OccupiedError, drop_private, finish_interrupted, open_places
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.lock import hold
from tests.unit.release.test_workspace import fake_commit

PLAN = "a" * 64


class Killed(BaseException):
    """Ends a run as a kill does: nothing is cleaned up."""


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release that was committed, with all that the run left there and in its workspace."""
    release, workspace = tmp_path / "out", tmp_path / "work"
    places = (str(tmp_path / "in"), str(workspace), str(release), PLAN)
    with monkeypatch.context() as context:
        context.setattr("spark_deid.release.workspace.RunWorkspace.clean", lambda self: None)
        context.setattr("spark_deid.release.workspace.is_release", lambda place: False)
        context.setattr("spark_deid.release.workspace._withdraw", lambda places: None)
        with open_places(*places):
            (workspace / ".tmp" / "decisions").mkdir()
            (workspace / ".tmp" / "decisions" / "part-0.parquet").write_text("an original")
            (workspace / "manifest.json").write_text(json.dumps({"plan": {"release": str(release)}}))
            fake_commit(release)
    assert (release / MARKER).exists()
    return tmp_path


def is_clean(place: Path) -> bool:
    marker = json.loads((place / "work" / MARKER).read_text())
    return not ((place / "out" / MARKER).exists() or (place / "work" / ".tmp").exists()) and bool(marker["finished"])


def test_the_next_run_cleans_up_before_it_refuses(killed: Path) -> None:
    places = (str(killed / "in"), str(killed / "work"), str(killed / "out"), PLAN)
    with pytest.raises(OccupiedError, match="contains a release"), open_places(*places):
        pass
    assert is_clean(killed)


def test_any_other_command_on_them_cleans_up(killed: Path) -> None:
    finish_interrupted(LocalFolder(killed / "out"), LocalFolder(killed / "work"))
    assert is_clean(killed)
    finish_interrupted(LocalFolder(killed / "out"), LocalFolder(killed / "work"))
    assert is_clean(killed)


def test_what_a_living_run_works_in_is_left_unchanged(killed: Path) -> None:
    with hold(killed / "work"):
        finish_interrupted(LocalFolder(killed / "out"), LocalFolder(killed / "work"))
    assert (killed / "work" / ".tmp" / "decisions").exists()


def test_the_workspace_of_another_release_is_left_unchanged(killed: Path) -> None:
    (killed / "work" / "manifest.json").write_text(json.dumps({"plan": {"release": str(killed / "other")}}))
    finish_interrupted(LocalFolder(killed / "out"), LocalFolder(killed / "work"))
    assert (killed / "work" / ".tmp" / "decisions").exists()
    assert not (killed / "out" / MARKER).exists()


def test_a_private_folder_that_no_one_asked_for_goes(killed: Path) -> None:
    drop_private(str(killed / "absent"), str(killed / "work"))
    assert (killed / "work").exists()
    drop_private(str(killed / "out"), str(killed / "work"))
    assert not (killed / "work").exists()
