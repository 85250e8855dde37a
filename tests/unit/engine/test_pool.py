"""The pool of processes: results in order, crashes end a process and not the run, and errors show no values."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine import pool
from spark_deid.engine.pool import pool_map


def process_of(value: int) -> tuple[int, int]:
    return value, os.getpid()


def crash_once(value: int, *, folder: Path) -> int:
    """Kill this process in the first attempt at the value 3."""
    mark = folder / "crashed"
    if value == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def always_crash(value: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return value


def fail(value: int) -> int:
    raise ValueError("Zoë Quincy")


def refuse(value: int) -> int:
    raise UsageError("plan.yaml: expected 1, got 2")


class VerdictLike(SparkDeidError):
    """An error that does not pickle."""

    def __init__(self, message: str, figure: int) -> None:
        super().__init__(message)
        self.figure = figure


def refuse_with_figures(value: int) -> int:
    raise VerdictLike("refused", 7)


def add(value: int, *, large: bytes) -> int:
    return value + len(large)


def test_results_come_in_order_from_other_processes() -> None:
    found = pool_map(process_of, range(5), cores=2)
    assert [value for value, _ in found] == [*range(5)]
    assert os.getpid() not in {process for _, process in found}


def test_a_crash_ends_a_process_and_not_the_run(tmp_path: Path) -> None:
    assert pool_map(partial(crash_once, folder=tmp_path), range(5), cores=2) == [*range(5)]
    assert pool_map(process_of, range(3), cores=2)


def test_a_task_that_crashes_twice_is_an_error() -> None:
    with pytest.raises(SparkDeidError, match="a worker process ended unexpectedly, twice"):
        pool_map(always_crash, [1, 2], cores=2)
    assert [value for value, _ in pool_map(process_of, [1, 2], cores=2)] == [1, 2]


def test_errors_name_a_place_and_no_value() -> None:
    with pytest.raises(SparkDeidError, match=r"failed with ValueError at test_pool\.py:\d+") as caught:
        pool_map(fail, [1, 2], cores=2)
    assert "Quincy" not in repr(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__)


def test_errors_of_this_package_come_as_they_are() -> None:
    with pytest.raises(UsageError, match=r"plan\.yaml: expected 1, got 2"):
        pool_map(refuse, [1, 2], cores=2)
    with pytest.raises(SparkDeidError, match="refused"):
        pool_map(refuse_with_figures, [1, 2], cores=2)


def test_a_large_function_travels_by_a_file_of_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    run = pool._run

    def keep(function: pool.PackedFunction, values: list[bytes], cores: int) -> list[int]:
        paths.append((function.path, len(function.content), Path(function.path).stat().st_mode & 0o777))
        return run(function, values, cores)

    monkeypatch.setattr(pool, "_run", keep)
    assert pool_map(partial(add, large=b"x" * (2 << 20)), [1, 2], cores=2) == [1 + (2 << 20), 2 + (2 << 20)]
    ((path, content, mode),) = paths
    assert (content, mode) == (0, 0o600)
    assert not Path(path).exists()
