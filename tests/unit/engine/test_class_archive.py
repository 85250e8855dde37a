"""Archives of classes: of one Java and one Spark, whole or not there."""

import os
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.engine import java as java_module
from spark_deid.engine.java import RECORD, archive_options, find_archive, keep_archive
from spark_deid.engine.settings import SessionPace, default_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(java_module, "FOLDER", tmp_path / "classes")
    return tmp_path / "classes"


def java(place: Path, version: str) -> dict[str, str]:
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "java").touch()
    (place / "release").write_text(version)
    return {"JAVA_HOME": str(place)}


def test_an_archive_is_of_one_java(tmp_path: Path, folder: Path) -> None:
    one, other = java(tmp_path / "one", "17"), java(tmp_path / "other", "21")
    (tmp_path / "draft").write_bytes(b"laid out")
    assert find_archive(one) is None
    assert archive_options(one) == ()
    keep_archive(tmp_path / "draft", one)
    assert find_archive(one) is not None
    assert archive_options(one)[0] == f'"-XX:SharedArchiveFile={find_archive(one)}"'
    assert find_archive(other) is None
    (tmp_path / "one" / "release").write_text("17.1")
    assert find_archive(one) is None
    assert [path.read_bytes() for path in folder.iterdir()] == [b"laid out"]


def test_an_archive_that_was_cut_off_is_none(tmp_path: Path) -> None:
    environment = java(tmp_path / "java", "17")
    (tmp_path / "draft").write_bytes(b"laid out")
    keep_archive(tmp_path / "draft", environment)
    path = find_archive(environment)
    assert path is not None
    os.truncate(path, 4)
    assert find_archive(environment) is None


def test_what_is_not_there_is_not_kept(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        keep_archive(tmp_path / "draft", java(tmp_path / "java", "17"))
    assert not any(folder.iterdir())
    with pytest.raises(UsageError, match="JAVA_HOME"):
        keep_archive(tmp_path / "draft", {"JAVA_HOME": str(tmp_path / "nowhere")})


def test_sessions_of_this_machine_only_take_classes_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in java(tmp_path / "java", "17").items():
        monkeypatch.setenv(name, value)
    (tmp_path / "draft").write_bytes(b"laid out")
    keep_archive(tmp_path / "draft")
    given = {master: default_settings(master, None, SessionPace.LONG) for master in ("local[2]", "yarn")}
    options = {master: settings["spark.driver.defaultJavaOptions"] for master, settings in given.items()}
    assert "SharedArchiveFile" in options["local[2]"]
    assert "SharedArchiveFile" not in options["yarn"]
    monkeypatch.setenv(RECORD, "/tmp/draft")
    assert archive_options() == ('"-XX:ArchiveClassesAtExit=/tmp/draft"',)
