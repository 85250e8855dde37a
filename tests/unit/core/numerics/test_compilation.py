"""Compiled functions that several processes need at once."""

import fcntl
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.numerics import compilation
from spark_deid.core.numerics.compilation import compiled

CALL = """
import sys, time
from numba.core import event
from spark_deid.core.numerics.compilation import compiled
sys.path.insert(0, sys.argv[1])
from loops import outer

class Slow(event.Listener):
    def on_start(self, told):
        time.sleep(1)
    def on_end(self, told):
        pass

event.register("numba:compile", Slow())
print("ready", flush=True)
sys.stdin.readline()
assert outer(10) == 90
print(sum(sum(function.stats.cache_misses.values()) for function in (outer, outer.py_func.__globals__["inner"])))
"""
LOOPS = """
from spark_deid.core.numerics.compilation import compiled

@compiled
def inner(n):
    return 2 * n

@compiled
def outer(n):
    total = 0
    for i in range(n):
        total += inner(i)
    return total
"""

PAIRS = """
import sys
from typing import NamedTuple
from spark_deid.core.numerics.compilation import compiled

class {name}(NamedTuple):
    one: int
    other: int

@compiled
def both(pair):
    return pair.one + pair.other

print(both({name}(2, 3)))
"""


def test_code_that_was_compiled_for_classes_of_other_names_is_compiled_again(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    for name in ("Numbers", "PairOfNumbers"):
        (tmp_path / "pairs.py").write_text(PAIRS.format(name=name))
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path.cwd())!r}); import pairs"]
        assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == "5\n"


def test_of_processes_that_need_a_function_one_compiles_it(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(LOOPS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    given = [sys.executable, "-c", CALL, str(tmp_path)]
    processes = [
        subprocess.Popen(given, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 2
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert sum(int(process.communicate(timeout=120)[0]) for process in processes) == 2


def test_what_another_process_is_at_for_too_long_is_compiled_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "PATIENCE", 0.1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fcntl, "lockf", _held_elsewhere)
        start = time.monotonic()
        assert compiled(_double)(np.int64(4)) == 8
    assert time.monotonic() - start > 0.1


def test_without_a_place_for_a_lock_functions_are_compiled(tmp_path: Path) -> None:
    with compilation._turn(str(tmp_path / "nowhere"), "f"):
        assert not list(tmp_path.iterdir())


def _double(n: np.int64) -> np.int64:
    return n + n


def _held_elsewhere(*given: object) -> None:
    raise BlockingIOError


TIMES = """
from spark_deid.core.numerics.compilation import compiled

@compiled
def times(number, by):
    return number * by

@compiled
def sums(number):
    return times(number, 2) + times(number, 3) + times(number, number)
"""


def test_numbers_that_callers_write_down_get_no_code_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "written_down.py").write_text(TIMES)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = import_module("written_down")
    assert module.sums(5) == 50
    assert len(module.times.signatures) == 1
