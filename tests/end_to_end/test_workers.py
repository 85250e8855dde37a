"""A cluster whose workers can't do the work: stated when the session begins, not after minutes of retries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import SOON

ROOT = Path(__file__).parents[2]
BEGIN = """
import sys, time
sys.path.insert(0, {root!r})
from spark_deid.engine import session
from spark_deid.core.errors import UsageError

check = session.check_workers
def timed(spark):
    began = time.monotonic()
    try:
        check(spark)
    finally:
        print(time.monotonic() - began)

session.check_workers = timed
try:
    session.build_session(master="local-cluster[1,1,1024]")
except UsageError as error:
    print(str(error).replace(chr(10), " "))
else:
    print("begun")
"""


def begun(python: str, *, path: str | None = None) -> tuple[float, str]:
    """Begin a session whose workers run a Python; return the seconds of the check, and what was stated."""
    given = {**os.environ, **SOON, "PYSPARK_PYTHON": python}
    given.pop("PYTHONPATH", None)
    if path is not None:
        given["PYTHONPATH"] = path
    command = [sys.executable, "-c", BEGIN.format(root=str(ROOT))]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=300, check=False, cwd="/")
    seconds, said = done.stdout.splitlines()
    return float(seconds), said


@pytest.mark.thorough
def test_a_python_that_is_not_there_is_named_at_once() -> None:
    seconds, said = begun("/nowhere/python")
    assert "the workers of the cluster can't do the work; begin with - PYSPARK_PYTHON=" in said
    assert "its workers run /nowhere/python, which is not there, or can't load the package" in said
    assert seconds < 30  # only it takes 4; all tries that Spark makes take 79


@pytest.mark.thorough
def test_workers_without_the_package_are_named_and_those_with_it_work(tmp_path: Path) -> None:
    base = str(Path(sys.base_prefix) / "bin" / "python3")
    assert "or can't load the package" in begun(base)[1]
    assert begun(sys.executable, path=str(ROOT))[1] == "begun"
