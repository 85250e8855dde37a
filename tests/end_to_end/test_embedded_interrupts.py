"""Ctrl-C and SIGTERM end a command of the embedded engine within seconds, and the next call of a process works."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 3
SLOW = """
import sys, time
def wait(*given, **named):
    print("waits", flush=True)
    for _ in range(600):
        time.sleep(0.1)
    yield from ()
"""
RUN = f"""{SLOW}
from spark_deid.cli import main
from spark_deid.text.patterns.detector import PatternDetector
PatternDetector.detect = lambda *given: [*wait()]
main(["run", "patterns", "--input", sys.argv[1], "--format", "jsonl", "--engine", "embedded",
      "--release", "r", "--workspace", "w"])
"""
ANONYMIZE = f"""{SLOW}
from spark_deid.cli import main
from spark_deid.engine import tasks
tasks._partition = wait
main(["anonymize", "--input", sys.argv[1], "--output", "o", "--quasi", "age", "--model", "k=2",
      "--engine", "embedded"])
"""
TWICE = f"""{SLOW}
from spark_deid import app
from pathlib import Path
from spark_deid.text.patterns.detector import PatternDetector
def run(name):
    places = {{"input.path": sys.argv[1], "input.format": "jsonl", "workspace": "w" + name, "release": "r" + name}}
    return app.run(Path("patterns"), (), {{**places, "engine": "embedded"}})
detect = PatternDetector.detect
PatternDetector.detect = lambda *given: [*wait()]
try:
    run("1")
except KeyboardInterrupt:
    PatternDetector.detect = detect
    print("documents", run("2").documents, flush=True)
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps({"doc_id": f"d{n}", "text": f"Seen 3/4/201{n}."}) + "\n" for n in range(9)))
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age,disease\n" + "".join(f"{n % 3},flu\n" for n in range(30)))
    return path


@contextmanager
def waiting(code: str, given: Path, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Run Python code until it waits; kill it at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(given)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd=folder,
    ) as process:
        assert process.stdout is not None
        try:
            seen = []
            for line in process.stdout:
                seen.append(line)
                if line.startswith("waits"):
                    break
            else:
                pytest.fail("".join(seen))
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("program", [RUN, ANONYMIZE], ids=["run", "anonymize"])
def test_a_signal_ends_a_command_within_seconds(
    program: str, number: signal.Signals, code: int, notes: Path, people: Path
) -> None:
    folder = notes.parent
    with waiting(program, notes if program is RUN else people, folder) as process:
        began = time.monotonic()
        process.send_signal(number)
        screen, _ = process.communicate()
    assert time.monotonic() - began < SECONDS
    assert process.returncode == code, screen
    assert "stopped" in screen
    assert list(folder.glob("**/spark-deid-engine-*")) == []
    assert not (folder / "r").exists()


def test_the_next_call_of_a_process_works(notes: Path) -> None:
    with waiting(TWICE, notes, notes.parent) as process:
        process.send_signal(signal.SIGINT)
        screen, _ = process.communicate()
    assert (process.returncode, screen.splitlines()[-1]) == (0, "documents 9")
