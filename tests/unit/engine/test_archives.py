"""Archives on a worker's search path."""

import sys
from pathlib import Path

import pytest

from spark_deid.engine.daemon import leave_archives

ARCHIVES = ("python/lib/pyspark.zip", "python/lib/py4j-0.10.9.9-src.zip", "jars/spark-core_2.13-4.2.0.jar")


def _left(monkeypatch: pytest.MonkeyPatch, packages: Path, *others: str) -> list[str]:
    archives = [str(packages / "pyspark" / name) for name in ARCHIVES]
    monkeypatch.setattr(sys, "path", [*archives, *others, str(packages)])
    monkeypatch.setattr(sys, "path_importer_cache", dict.fromkeys(archives))
    leave_archives()
    assert [path for path in sys.path if path in archives] == list(sys.path_importer_cache)
    return [Path(path).name for path in sys.path_importer_cache]


def _install(packages: Path, *, py4j: str) -> None:
    for name in ("pyspark", "py4j", f"py4j-{py4j}.dist-info"):
        (packages / name).mkdir()
    (packages / "pyspark" / "__init__.py").touch()


def test_of_what_is_installed_no_archive_remains(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _install(tmp_path, py4j="0.10.9.9")
    assert _left(monkeypatch, tmp_path, "/else/own.zip") == []
    assert sys.path == ["/else/own.zip", str(tmp_path)]


def test_an_archive_of_another_version_remains(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _install(tmp_path, py4j="0.10.9.7")
    assert _left(monkeypatch, tmp_path) == ["py4j-0.10.9.9-src.zip"]


def test_archives_remain_where_nothing_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert _left(monkeypatch, tmp_path) == [Path(name).name for name in ARCHIVES]
