import json
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from spark_deid.app.releasing import run_plan
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.plan.load import check_plan
from spark_deid.release.workspace import (
    MARKER,
    OccupiedError,
    open_places,
    open_release,
    open_workspace,
    private_remains,
)
from spark_deid.storage.lock import LockedError, hold

PLAN = "a" * 64
OTHER_PLAN = "b" * 64


def fake_commit(release: Path) -> None:
    log = release / "documents" / "_delta_log"
    log.mkdir(parents=True)
    action = {"commitInfo": {"userMetadata": json.dumps({"manifest_sha256": "0" * 64})}}
    (log / "00000000000000000000.json").write_text(json.dumps(action))


def test_workspace_is_for_its_owner_only(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "work", PLAN)
    assert stat.S_IMODE((tmp_path / "work").stat().st_mode) == 0o700
    assert (tmp_path / "work" / ".tmp").is_dir()
    workspace.clean()
    assert [path.name for path in (tmp_path / "work").iterdir()] == [MARKER]


def test_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / f"{MARKER}.part").touch()
    open_workspace(tmp_path / "work", PLAN)


@pytest.mark.parametrize("open_place", [open_workspace, open_release])
def test_leftovers_of_any_plan_are_replaced(open_place: Callable[[Path, str], object], tmp_path: Path) -> None:
    open_place(tmp_path / "x", OTHER_PLAN)
    (tmp_path / "x" / "documents").mkdir()
    (tmp_path / "x" / "documents" / "part-0.parquet").write_text("torn")
    open_place(tmp_path / "x", PLAN)
    assert not (tmp_path / "x" / "documents").exists()


def test_link_in_leftovers_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("keep")
    open_workspace(tmp_path / "work", PLAN)
    (tmp_path / "work" / "link").symlink_to(tmp_path / "mine")
    open_workspace(tmp_path / "work", PLAN)
    assert (tmp_path / "mine" / "letter").exists()


def test_foreign_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "thesis.tex").write_text("mine")
    for opened in (open_workspace, open_release):
        with pytest.raises(OccupiedError, match="not empty") as caught:
            opened(tmp_path / "x", PLAN)
        assert caught.value.exit_code == 1
    assert (tmp_path / "x" / "thesis.tex").read_text() == "mine"


def test_workspace_is_no_place_for_a_release(tmp_path: Path) -> None:
    open_workspace(tmp_path / "x", PLAN)
    with pytest.raises(OccupiedError):
        open_release(tmp_path / "x", PLAN)


def test_damaged_marker_is_no_marker(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / MARKER).write_text("{")
    with pytest.raises(OccupiedError, match="not empty"):
        open_workspace(tmp_path / "x", PLAN)


def test_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(SparkDeidError, match="can't read this folder"):
        open_workspace(tmp_path / "x", PLAN)


def test_existing_release_is_refused_and_the_workspace_kept(tmp_path: Path) -> None:
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    with open_places("in", work, out, PLAN):
        (tmp_path / "work" / "manifest.json").write_text("{}")
    fake_commit(tmp_path / "out")
    with pytest.raises(OccupiedError, match="contains a release"), open_places("in", work, out, PLAN):
        pass
    assert (tmp_path / "work" / "manifest.json").exists()


def stopped_run(work: str, out: str, act: Callable[[], object]) -> None:
    with suppress(KeyboardInterrupt), open_places("in", work, out, PLAN):
        act()
        raise KeyboardInterrupt


def test_workspace_of_a_finished_release_is_never_replaced(tmp_path: Path) -> None:
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    stopped_run(work, out, lambda: (tmp_path / "work" / "torn").write_text("x"))
    stopped_run(work, out, lambda: fake_commit(tmp_path / "out"))
    assert not (tmp_path / "work" / "torn").exists()
    (tmp_path / "work" / "originals").write_text("keep")
    (tmp_path / "out").rename(tmp_path / "given-out")
    with (
        pytest.raises(OccupiedError, match=r"of a finished release.*name another") as caught,
        open_places("in", work, out, PLAN),
    ):
        pass
    assert caught.value.exit_code == 1
    assert (tmp_path / "work" / "originals").read_text() == "keep"
    assert not (tmp_path / "out").exists()


def test_workspace_of_a_run_that_was_killed_after_its_commit_is_kept(tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    with open_places("in", str(work), str(out), PLAN):
        fake_commit(out)
        (work / "manifest.json").write_text(json.dumps({"plan": {"release": str(out)}}))
        marker = (work / MARKER).read_text()
    (work / MARKER).write_text(marker)
    with pytest.raises(OccupiedError, match="finished"), open_places("in", str(work), str(tmp_path / "new"), PLAN):
        pass
    assert (work / "manifest.json").exists()
    shutil.rmtree(out)
    (work / MARKER).write_text(marker)
    with open_places("in", str(work), str(tmp_path / "new"), PLAN):
        assert not (work / "manifest.json").exists()


@pytest.mark.parametrize("error", [SparkDeidError, KeyboardInterrupt])
def test_a_run_that_fails_leaves_no_release_and_what_its_workspace_has(
    error: type[BaseException], tmp_path: Path
) -> None:
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    with suppress(error), open_places("in", work, out, PLAN):
        (tmp_path / "work" / "rejects").mkdir()
        (tmp_path / "out" / "manifest.json").write_text("{}")
        (tmp_path / "work" / ".tmp" / "shuffle").write_text("x")
        raise error
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == [MARKER, "rejects"]
    assert not (tmp_path / "out").exists()
    assert private_remains(work).startswith(f"{work} contains originals, rejects")
    with open_places("in", work, out, OTHER_PLAN):
        assert not (tmp_path / "work" / "rejects").exists()
        fake_commit(tmp_path / "out")
    assert private_remains(work) == f"{work} keeps the originals of a release, which was committed"


def test_a_run_that_fails_before_anything_is_written_leaves_nothing(tmp_path: Path) -> None:
    stopped_run(str(tmp_path / "work"), str(tmp_path / "out"), lambda: None)
    assert not [*tmp_path.iterdir()]


def test_both_places_that_are_taken_are_reported(tmp_path: Path) -> None:
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    stopped_run(work, out, lambda: fake_commit(tmp_path / "out"))
    with pytest.raises(OccupiedError) as caught, open_places("in", work, out, PLAN):
        pass
    told = [line.partition(",")[0] for line in str(caught.value).splitlines()]
    assert told == [f"{out}: contains a release", f"{work}: contains the originals and edits of a finished release"]


def test_places_are_locked_and_cleaned(tmp_path: Path) -> None:
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    with open_places("in", work, out, PLAN):
        with pytest.raises(LockedError), open_places("in", work, str(tmp_path / "out2"), PLAN):
            pass
        with pytest.raises(LockedError), hold(tmp_path / "out"):
            pass
        (tmp_path / "work" / ".tmp" / "shuffle").write_text("x")
    assert not (tmp_path / "work" / ".tmp").exists()


def test_remote_place_needs_a_session(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a Spark session"):
        open_workspace("s3a://bucket/work", PLAN)


def test_catalog_schema_is_refused_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(UsageError, match=r"write \./main\.deid for a folder"),
        open_places("in", "main.deid", "out", PLAN),
    ):
        pass
    with open_places("in", "./main.deid", "out", PLAN):
        assert (tmp_path / "main.deid").is_dir()


def test_who_waits_for_another_run_is_shown_no_text_of_its_workspace(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Ann")
    work, out = str(tmp_path / "work"), str(tmp_path / "out")
    given = {"path": str(tmp_path / "notes.txt"), "format": "text"}
    plan = check_plan({"input": given, "workspace": work, "release": out, "patterns": {"kinds": "all"}}, "plan")
    said: list[str] = []
    with open_places(given["path"], work, out, PLAN), pytest.raises(LockedError):
        run_plan(plan, progress=said.append)
    assert said == []
