"""What is said of originals after a run ended early."""

from pathlib import Path
from typing import Any

import pytest

from spark_deid.app.releasing import deliver
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.settings import SessionPace
from spark_deid.plan.load import check_plan
from spark_deid.release import workspace
from spark_deid.release.workspace import private_remains
from spark_deid.storage.folder import LocalFolder


def test_nothing_is_left_where_there_is_no_folder_only(tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert private_remains(str(work)) == f"no originals of this run remain, because {work} does not exist"
    work.mkdir()
    assert private_remains(str(work)).startswith(f"check {work}: it is not a workspace")
    assert private_remains(f"file://{work}").startswith("check ")
    assert private_remains("s3a://bucket/work").startswith("look in s3a://bucket/work: originals")


@pytest.mark.parametrize("error", [PermissionError, SparkDeidError])
def test_a_workspace_that_can_not_be_read_is_to_be_looked_at(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: LocalFolder) -> None:
        raise error

    monkeypatch.setattr(workspace, "read_marker", refuse)
    assert private_remains(str(tmp_path)).startswith(f"look in {tmp_path}: it can't be read")


def test_why_a_run_failed_is_reported_where_nothing_else_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SparkDeidError("the real failure")

    told: list[str] = []

    def progress(line: str) -> None:
        told.append(line)
        raise BrokenPipeError

    monkeypatch.setattr("spark_deid.app.releasing.open_places", fail)
    places = {"workspace": str(tmp_path / "work"), "release": str(tmp_path / "out")}
    settings = check_plan({"input": {"path": "in", "format": "text"}, **places, "patterns": {}}, "plan")
    with pytest.raises(SparkDeidError, match="the real failure"):
        deliver(settings, "run", None, SessionPace.SHORT, progress)
    assert told == [f"no originals of this run remain, because {tmp_path / 'work'} does not exist"]
