"""A task that Spark runs twice and whose first attempt writes late: the release has only the committed files.

Spark runs a speculative attempt on another host only, so one machine shows a lost attempt instead.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import SOON

ROOT = Path(__file__).parents[2]
RUN = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
import spark_deid as sd
from spark_deid.release.spark import tables

genuine, marks = tables._store, {marks!r}

def late(incoming, *, schema, folder):
    import os
    from pyspark import TaskContext
    task = TaskContext.get()
    batches = list(incoming)
    if task.partitionId() == 0 and task.attemptNumber() == 0:
        if os.fork():
            raise RuntimeError("this attempt is lost, and Spark begins the task again")
        os.setsid()  # the end of the session does not end this process
        latest = time.monotonic() + 90
        while not (Path(marks) / "second").exists() and time.monotonic() < latest:
            time.sleep(0.1)
        time.sleep({wait})
        (Path(marks) / "first").touch()
        try:
            genuine(iter(batches), schema=schema, folder=folder)
            (Path(marks) / "written").touch()
        finally:
            os._exit(0)
    part = genuine(iter(batches), schema=schema, folder=folder)
    if task.partitionId() == 0:
        (Path(marks) / "second").touch()
    return part

tables._store = late
values = ["input.path={notes}", "input.format=jsonl", "workspace={folder}/w", "release={folder}/r"]
sd.run("patterns", values, master="local[2,4]")
latest = time.monotonic() + 30
while not (Path(marks) / "first").exists() and time.monotonic() < latest:
    time.sleep(0.1)
time.sleep(2)
"""


@pytest.mark.parametrize("wait", [0, 4])
def test_a_late_attempt_of_a_task_leaves_no_file_in_the_release(tmp_path: Path, wait: int) -> None:
    notes, marks = tmp_path / "notes.jsonl", tmp_path / "marks"
    marks.mkdir()
    lines = [{"doc_id": f"d{n}", "text": f"Seen on 3/{1 + n % 28}/2014, call 555-0{100 + n}."} for n in range(40)]
    notes.write_text("".join(json.dumps(line) + "\n" for line in lines))
    script = RUN.format(root=str(ROOT), marks=str(marks), notes=notes, folder=tmp_path, wait=wait)
    given = {**os.environ, **SOON, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=given,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert {"first", "second"} <= {mark.name for mark in marks.iterdir()}, "a task is run twice"
    assert (marks / "first").stat().st_mtime > (marks / "second").stat().st_mtime, "the first attempt writes last"
    documents = tmp_path / "r" / "documents"
    log = "".join(each.read_text() for each in sorted((documents / "_delta_log").glob("*.json")))
    committed = {entry["add"]["path"] for entry in map(json.loads, log.splitlines()) if "add" in entry}
    assert {each.name for each in documents.iterdir() if each.suffix == ".parquet"} == committed
    assert {each.name for each in documents.iterdir()} == {*committed, "_delta_log"}
    assert not [*(tmp_path / "r").rglob(".*")]
