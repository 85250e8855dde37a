"""A run is skipped only if its release is unchanged and everything that the run depends on is."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.app import repeated_run
from spark_deid.core.errors import SparkDeidError
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import load_plan
from spark_deid.plan.secret import find_secret
from spark_deid.release.workspace import RunWorkspace
from spark_deid.storage.folder import LocalFolder


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a plan whose release and workspace are there, as far as this check reads them."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Ann came.")
    (tmp_path / "terms.txt").write_text("Ann\n")
    (tmp_path / "key").write_bytes(b"k" * 64)
    plan = {
        "input": {"path": str(tmp_path / "in"), "format": "text"},
        "workspace": str(tmp_path / "w"),
        "release": str(tmp_path / "r"),
        "key_file": str(tmp_path / "key"),
        "deny": {"files": [str(tmp_path / "terms.txt")], "label": "NAME"},
    }
    path = tmp_path / "plan.yaml"
    path.write_text(json.dumps(plan))
    (tmp_path / "w").mkdir()
    settings = load_plan(path)
    hashes = repeated_run.hashes_of(settings, find_secret(settings.key_file).key)
    repeated_run.keep_hashes(RunWorkspace(LocalFolder(tmp_path / "w")), hashes)
    monkeypatch.setattr(repeated_run, "is_release", lambda _: True)
    monkeypatch.setattr("spark_deid.app.repeated_run.verified_locally", lambda *_: None)
    return path


def test_a_run_that_would_repeat_its_release_is_skipped(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = app.skip_repeated(made, ())
    assert done is not None
    assert done.to_json() == {"release": str(made.parent / "r"), "skipped": True}
    monkeypatch.setattr(repeated_run, "is_release", lambda _: False)
    assert app.skip_repeated(made, ()) is None


def _rename(path: Path) -> None:
    (path.parent / "in" / "a.txt").rename(path.parent / "in" / "b.txt")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda path: (path.parent / "in" / "a.txt").write_text("Ann went."), "input"),
        (lambda path: (path.parent / "in" / "b.txt").write_text("b"), "input"),
        (_rename, "input"),
        (lambda path: (path.parent / "terms.txt").write_text("Bob\n"), "terms.txt"),
        (lambda path: (path.parent / "key").write_bytes(b"l" * 64), "key"),
    ],
)
def test_what_differs_is_named(made: Path, change: Callable[[Path], object], named: str) -> None:
    change(made)
    with pytest.raises(SparkDeidError, match=rf"other inputs: [^,]*{named} differs") as caught:
        app.skip_repeated(made, ())
    assert caught.value.exit_code == 1


def test_another_plan_and_version_differ(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SparkDeidError, match="other inputs: plan differs"):
        app.skip_repeated(made, ["max_rejects=0.5"])
    monkeypatch.setattr("spark_deid.app.repeated_run.VERSION", "0.0.0")
    with pytest.raises(SparkDeidError, match="other inputs: version differs"):
        app.skip_repeated(made, ())


def test_another_model_differs(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_deid.core.kinds import UsedModel

    monkeypatch.setattr(PlanSettings, "models", property(lambda _: (UsedModel("m", "0"),)))
    with pytest.raises(SparkDeidError, match="other inputs: models differs"):
        app.skip_repeated(made, ())


def test_a_workspace_without_its_hashes_skips_nothing(made: Path) -> None:
    hashes = made.parent / "w" / repeated_run.HASHES
    assert "Ann" not in hashes.read_text()
    for content in ("{", "[]", None):
        hashes.unlink() if content is None else hashes.write_text(content)
        with pytest.raises(SparkDeidError, match="missing or damaged"):
            app.skip_repeated(made, ())


def test_a_release_that_was_changed_is_not_skipped(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*_: object) -> None:
        raise SparkDeidError("changed")

    monkeypatch.setattr("spark_deid.app.repeated_run.verified_locally", changed)
    with pytest.raises(SparkDeidError, match="changed"):
        app.skip_repeated(made, ())
