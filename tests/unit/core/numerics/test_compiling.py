"""What is said while code compiles, and what set-up compiles beforehand."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba.core import event

from spark_deid.app import compiling
from spark_deid.core.numerics.compilation import report_compiling
from spark_deid.core.span import Span
from spark_deid.plan.config import MethodSettings
from spark_deid.text.view import TextView

ROOT = Path(__file__).parents[4]
FIRST_CALL = """
import spark_deid as sd
from spark_deid.core.numerics.compilation import report_compiling

with report_compiling(lambda: print("compiled"), patience=-1.0):
    spans = sd.detect("Ann Lee came on 2 May 2020.", plan={"model": "english", "patterns": {"kinds": ["date"]}})
print("found" if spans else "nothing")
"""


def compile_something(times: int) -> None:
    for _ in range(times):
        with event.trigger_event("numba:compile"):
            pass


def told(work: Callable[[], None], patience: float) -> list[str]:
    said: list[str] = []
    with report_compiling(lambda: said.append("told"), patience=patience):
        work()
    compile_something(3)
    return said


def test_that_code_compiles_for_long_is_reported_once() -> None:
    assert told(lambda: compile_something(3), -1.0) == ["told"]


def test_nothing_is_reported_what_compiles_soon_or_not_at_all() -> None:
    assert told(lambda: compile_something(3), 60.0) == []
    assert told(lambda: None, -1.0) == []


def test_what_any_process_keeps_of_compiled_code_is_seen(tmp_path: Path) -> None:
    script = """
import os, time
from spark_deid.core.numerics.compilation import compiled, kept_since

@compiled
def twice(number):
    return 2 * number

before = time.time() - 1
seen = [kept_since(before)]
twice(3)
print(*seen, kept_since(before), kept_since(time.time() + 1))
"""
    (tmp_path / "script.py").write_text(script)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    assert done.stdout.split() == ["False", "True", "False"]


def test_a_text_and_what_removal_leaves_of_it_are_compiled_for_together() -> None:
    whole, part = TextView("Paula came."), TextView("Paula came.", (Span(0, 5, "NAME"),))
    assert whole.codes.flags.writeable == part.codes.flags.writeable
    assert whole.codes.flags.c_contiguous
    assert part.codes.flags.c_contiguous


def test_set_up_compiles_both_decodings(monkeypatch: pytest.MonkeyPatch) -> None:
    decodings: list[str] = []

    def finders_of(settings: MethodSettings, _: object) -> SimpleNamespace:
        decodings.append(str(getattr(settings, "decoding", "")))
        return SimpleNamespace(finders=())

    monkeypatch.setattr(compiling, "document_finders_of", finders_of)
    compiling.compile_models()
    assert decodings == ["viterbi", "cost"]


@pytest.mark.thorough
def test_after_set_up_a_new_process_compiles_nothing() -> None:
    compiling.compile_models()
    found = subprocess.run([sys.executable, "-c", FIRST_CALL], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["found"]
