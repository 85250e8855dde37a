"""The command line, as a user calls it: as a program, or in the tests' own session where results are checked."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources.write_tutorials import ScreenText
from spark_deid.cli import main
from spark_deid.cli.printing import ERR, OUT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Cli = Callable[..., subprocess.CompletedProcess[str]]
PROGRAM = Path(sys.executable).with_name("spark-deid")
SOON = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Settings with which every JVM of a cluster starts soon, as short runs on one machine do separately."""


@pytest.fixture
def program(tmp_path: Path) -> Cli:
    """Run the installed ``spark-deid`` in an empty folder, as a process that starts a separate session."""

    def call(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(PROGRAM), *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
            check=False,
        )
        return _checked(done, code)

    return call


@pytest.fixture
def cli(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command in an empty folder and in this process: it takes the session that all tests share."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for console in (OUT, ERR):
        monkeypatch.setattr(console, "_width", 200)

    def call(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        given = [*map(str, arguments)]
        told, failed = ScreenText(), ScreenText()
        with redirect_stdout(told), redirect_stderr(failed), pytest.raises(SystemExit) as end:
            main(given)
        logging.disable(logging.NOTSET)
        return _checked(
            subprocess.CompletedProcess(given, int(end.value.code or 0), told.getvalue(), failed.getvalue()), code
        )

    return call


def _checked(done: subprocess.CompletedProcess[str], code: int) -> subprocess.CompletedProcess[str]:
    assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of a few notes."""
    return write_notes(tmp_path / "notes")


def write_notes(folder: Path) -> Path:
    """Write a few notes into a new folder; return it."""
    folder.mkdir()
    for number in range(6):
        text = f"Note {number} 😀\r\nWrite to ann{number}@example.org or call 555-010-{number:04}.\n"
        (folder / f"n{number}.txt").write_bytes(text.encode())
    return folder


def read_rows(table: Path) -> list[dict[str, object]]:
    """Read a Delta table of one commit without Spark."""
    import pyarrow.parquet as pq

    log = (table / "_delta_log" / "00000000000000000000.json").read_text()
    names = [json.loads(line)["add"]["path"] for line in log.splitlines() if line.startswith('{"add"')]
    rows = [row for name in names for row in pq.read_table(table / name).to_pylist()]
    return sorted(rows, key=lambda row: str(row.get("doc_id")))
