"""Project folders: created once, outside of other data, copied and deleted."""

import tarfile
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.release.workspace import MARKER
from spark_deid.review import commands
from spark_deid.review.commands import ProjectRequest, ready_project
from spark_deid.review.event_log import LOG, EventLog, LogError
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project, open_project


def test_a_project_opens_again_without_options(project: ReviewProject) -> None:
    again = open_project(project.folder)
    assert (again.settings, again.key) == (project.settings, project.key)
    assert project.folder.stat().st_mode & 0o777 == 0o700
    assert (project.folder / "secret.key").stat().st_mode & 0o777 == 0o600
    assert ready_project(project.folder, ProjectRequest()) == again


def test_other_options_of_a_project_are_refused(project: ReviewProject, notes: Path) -> None:
    with pytest.raises(UsageError, match="other options"):
        ready_project(project.folder, ProjectRequest(str(notes), "text", labels="OTHER"))
    assert ready_project(project.folder, ProjectRequest(str(notes), "text", labels="NAME,CITY")) == project


@pytest.mark.parametrize("place", ["notes/project", ".", "full", "workspace/project"])
def test_places_that_contain_other_data_are_refused(tmp_path: Path, notes: Path, place: str) -> None:
    for name in ("full", "workspace"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    (tmp_path / "workspace" / MARKER).write_text("{}")
    with pytest.raises(UsageError):
        create_project(tmp_path / place, ProjectSettings(str(notes), "text"))
    assert not (tmp_path / place / "secret.key").exists()


def test_first_use_needs_input_and_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--input and --format"):
        ready_project(tmp_path / "new", ProjectRequest())
    with pytest.raises(UsageError, match="nowhere"):
        ready_project(tmp_path / "new", ProjectRequest("nowhere", "text"))
    assert not (tmp_path / "new").exists()


def test_check_finds_a_change(project: ReviewProject) -> None:
    with EventLog(project.folder, project.key) as log:
        log.append("event-01", {"kind": "labels", "labels": ["X"], "by": "a1"})
    assert "1 event verified" in commands.check_log(project.folder)
    log_file = project.folder / LOG
    log_file.write_bytes(log_file.read_bytes().replace(b'"X"', b'"Y"'))
    with pytest.raises(LogError):
        commands.check_log(project.folder)


def test_a_backup_is_a_project_while_events_are_added(project: ReviewProject, tmp_path: Path) -> None:
    with EventLog(project.folder, project.key) as log:
        log.append("event-01", {"kind": "labels", "labels": ["X"], "by": "a1"})
        assert commands.back_up(project.folder, tmp_path / "copy.tar").startswith(str(tmp_path))
        log.append("event-02", {"kind": "labels", "labels": ["Y"], "by": "a1"})
    with pytest.raises(UsageError, match="already exists"):
        commands.back_up(project.folder, tmp_path / "copy.tar")
    assert (tmp_path / "copy.tar").stat().st_mode & 0o777 == 0o600
    (tmp_path / "restored").mkdir(mode=0o700)
    with tarfile.open(tmp_path / "copy.tar") as archive:
        archive.extractall(tmp_path / "restored", filter="data")
    with EventLog(tmp_path / "restored", open_project(tmp_path / "restored").key) as log:
        assert [event["id"] for event in log.events] == ["event-01"]


def test_deletion_lists_what_goes_and_what_remains(project: ReviewProject, notes: Path) -> None:
    listing = commands.list_files(project.folder)
    assert "secret.key" in listing
    assert "Not deleted: the input" in listing
    commands.delete_project(project.folder)
    assert not project.folder.exists()
    assert notes.exists()
