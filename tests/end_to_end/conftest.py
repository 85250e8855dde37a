"""The installed command line, as a user calls it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]
PROGRAM = Path(sys.executable).with_name("spark-deid")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run ``spark-deid`` in an empty folder and return what it printed."""

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
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of a few notes."""
    folder = tmp_path / "notes"
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
