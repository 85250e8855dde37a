import os
from pathlib import Path

import pytest

from spark_deid.app.releasing import MIDDLING_INPUT, pace_of_run
from spark_deid.app.sessions import SMALL_INPUT, pace_of
from spark_deid.core.errors import UsageError
from spark_deid.engine.session import SessionPace
from spark_deid.storage.path_checks import check_present


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small folder ``1`` and a large one ``2``."""
    for name, size in (("1", 10), ("2", SMALL_INPUT + 1)):
        file = tmp_path / name / "x" / "a.jsonl"
        file.parent.mkdir(parents=True)
        file.touch()
        os.truncate(file, size)
    return tmp_path


@pytest.mark.parametrize("pattern", ["", "/2", "/2/x/a.jsonl", "/*", "/2*/x/*.jsonl", "/**/*.jsonl", "/[2]/x"])
def test_large_input_of_any_form_is_large(folder: Path, pattern: str) -> None:
    for scheme in ("", "file:", "file://"):
        assert pace_of(f"{scheme}{folder}{pattern}") is SessionPace.LONG


@pytest.mark.parametrize("pattern", ["/1", "/1/x/a.jsonl", "/1*/x/*.jsonl", "/[1]/x", "/absent", "/absent*/x"])
def test_small_input_of_any_form_is_small(folder: Path, pattern: str) -> None:
    for scheme in ("", "file:", "file://"):
        assert pace_of(f"{scheme}{folder}{pattern}") is SessionPace.SHORT


def test_what_can_not_be_seen_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, **_: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "stat", refuse)
    assert pace_of(str(folder)) is SessionPace.SHORT


def test_input_elsewhere_is_large() -> None:
    assert pace_of(None) is pace_of("s3://bucket/x") is SessionPace.LONG


def test_uris_of_files_are_checked(folder: Path) -> None:
    check_present(f"file:{folder}")
    with pytest.raises(UsageError, match="no such file"):
        check_present(f"file://{folder}/absent")


@pytest.mark.parametrize(
    ("size", "pace"),
    [
        (0, SessionPace.SHORT),
        (SMALL_INPUT, SessionPace.SHORT),
        (SMALL_INPUT + 1, SessionPace.MEDIUM),
        (MIDDLING_INPUT, SessionPace.MEDIUM),
        (MIDDLING_INPUT + 1, SessionPace.LONG),
    ],
)
def test_a_run_goes_on_longer_with_more_input(tmp_path: Path, size: int, pace: SessionPace) -> None:
    file = tmp_path / "a.jsonl"
    file.touch()
    os.truncate(file, size)
    assert pace_of_run(str(file)) is pace
