"""A plan through the command line, on real files, into a real release."""

import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from spark_deid.app import sessions
from spark_deid.core.hashing import keyed_hash, read_key
from tests.end_to_end.conftest import PROGRAM, Cli, read_rows

PLAN = """
input: {{path: {notes}, format: text}}
workspace: {base}/workspace
release: {base}/release
patterns: {{kinds: [email, phone]}}
sources: [patterns]
"""


@pytest.fixture
def plan(tmp_path: Path, notes: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.format(notes=notes, base=tmp_path / "out"))
    return path


def test_a_folder_of_texts_becomes_a_release(program: Cli, plan: Path, notes: Path, tmp_path: Path) -> None:
    (notes / "bad.txt").write_bytes(b"caf\xe9")
    (notes / "nul.txt").write_bytes(b"a\x00b")
    (notes / "empty.txt").write_bytes(b"")

    done = program("run", plan, "--json", tmp_path / "figures.json")

    figures = json.loads((tmp_path / "figures.json").read_text())
    assert set(figures) == {"status", "release", "documents", "rejects", "rounds", "spans", "publish_ratio", "seconds"}
    assert (figures["documents"], figures["rejects"], figures["rounds"], figures["spans"]) == (6, 3, 0, 12)
    release = tmp_path / "out" / "release"
    rows = read_rows(release / "documents")
    key = tmp_path / "out" / "workspace" / "secret.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    texts = {row["doc_id"]: row["text"] for row in rows}
    assert texts[keyed_hash(read_key(key), "doc_id", "n0")] == "Note 0 😀\r\nWrite to [EMAIL] or call [PHONE].\n"
    assert f"The key is stored in {key}" in done.stderr
    assert f"convert --from delta --to csv {tmp_path / 'out' / 'workspace' / 'rejects'} rejects-csv" in done.stderr
    assert {p.name for p in release.iterdir()} == {"documents", "manifest.json", "report.html"}
    rejects = read_rows(tmp_path / "out" / "workspace" / "rejects")
    assert sorted(str(row["reason"]) for row in rejects) == ["empty", "invalid-utf8", "nul"]
    manifest = json.loads((release / "manifest.json").read_text())
    assert manifest["edits"] == {"suppress": {"EMAIL": 6, "PHONE": 6}}
    assert (manifest["placeholders"], manifest["handed_back"]) == (["[EMAIL]", "[PHONE]"], {})
    assert manifest["spans"] == {"patterns/email": {"EMAIL": 6}, "patterns/phone": {"PHONE": 6}}
    public = (release / "manifest.json").read_text() + (release / "report.html").read_text()
    assert "example.org" not in public
    assert str(notes) not in public


def test_where_nothing_is_readable_the_command_is_reported_that_shows_why(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").touch()
    (tmp_path / "plan.yaml").write_text(PLAN.format(notes=tmp_path / "notes", base=tmp_path / "out"))
    told = cli("run", tmp_path / "plan.yaml", code=1).stderr
    rejects = tmp_path / "out" / "workspace" / "rejects"
    assert f"spark-deid convert --from delta --to csv {rejects} rejects-csv" in told
    assert [row["reason"] for row in read_rows(rejects)] == ["empty"]


def test_a_release_is_never_replaced(cli: Cli, plan: Path, tmp_path: Path) -> None:
    cli("run", plan)
    before = read_rows(tmp_path / "out" / "release" / "documents")
    again = cli("run", plan, code=1)
    assert "contains a release" in again.stderr
    assert read_rows(tmp_path / "out" / "release" / "documents") == before


@pytest.mark.thorough
def test_a_killed_run_leaves_no_release_and_the_next_succeeds(cli: Cli, plan: Path, tmp_path: Path) -> None:
    release, workspace = tmp_path / "out" / "release", tmp_path / "out" / "workspace"
    with subprocess.Popen(
        [str(PROGRAM), "run", str(plan)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while not (workspace / "spans" / "_delta_log").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert process.poll() is None, "the run ended before it could be killed"
        os.kill(process.pid, signal.SIGKILL)
    assert not (release / "documents" / "_delta_log" / "00000000000000000000.json").exists()
    cli("run", plan)
    assert len(read_rows(release / "documents")) == 6


@pytest.mark.parametrize(
    ("number", "code", "to_all"),
    [
        pytest.param(signal.SIGINT, 130, True, marks=pytest.mark.thorough),
        pytest.param(signal.SIGTERM, 143, False, marks=pytest.mark.thorough),
        (signal.SIGTERM, 143, True),
    ],
)
def test_what_stops_a_run_is_reported_in_a_line_and_the_next_run_succeeds(
    cli: Cli, plan: Path, tmp_path: Path, number: int, code: int, to_all: bool
) -> None:
    release, workspace = tmp_path / "out" / "release", tmp_path / "out" / "workspace"
    with subprocess.Popen(
        [str(PROGRAM), "run", str(plan)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while not (workspace / ".tmp" / "imported").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        (os.killpg if to_all else os.kill)(process.pid, number)
        told = process.communicate(timeout=120)[1].decode().splitlines()
    assert process.returncode == code
    assert [line for line in told if not line.startswith(("[", "WARNING: "))] == [told[-1]]
    assert told[-1].startswith("stopped. ")
    assert any("originals" in line and str(workspace) in line for line in told)
    assert not (workspace / ".tmp").exists()
    assert not release.exists()
    cli("run", plan)
    assert len(read_rows(release / "documents")) == 6


def test_bad_plans_and_places_are_refused_before_spark_starts(
    cli: Cli, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "session_scope", None)
    assert "input.format: expected one of" in cli("run", plan, "--set", "input.format=docx", code=2).stderr
    assert "expected separate folders" in cli("run", plan, "--set", f"release={tmp_path}/out", code=2).stderr
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("mine")
    assert "not empty" in cli("run", plan, "--set", f"release={tmp_path}/full", code=1).stderr
    assert (tmp_path / "full" / "thing").read_text() == "mine"


def test_an_input_in_which_nothing_is_readable_is_fatal(cli: Cli, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "x.txt").write_bytes(b"\xff")
    failed = cli("run", plan, "--set", f"input.path={tmp_path}/none", code=1)
    assert "1 invalid-utf8" in failed.stderr
    assert not (tmp_path / "out" / "release").exists()
    rejects = read_rows(tmp_path / "out" / "workspace" / "rejects")
    assert [row["reason"] for row in rejects] == ["invalid-utf8"]
    assert not (tmp_path / "out" / "workspace" / ".tmp").exists()


def test_a_plan_is_explained_without_touching_anything(cli: Cli, plan: Path, tmp_path: Path) -> None:
    shown = cli("explain", plan).stdout
    assert "Find patterns: email, phone" in shown
    assert not (tmp_path / "out").exists()
