"""Tasks of the embedded engine: light ones in this process, heavy ones in processes that may crash."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine import tasks
from spark_deid.engine.embedded import start_embedded, stop_embedded
from spark_deid.engine.shared import share
from spark_deid.engine.tasks import LIGHT_BYTES, run_tasks
from spark_deid.storage.parts import PartFile


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    yield
    stop_embedded()


def process_of(value: object) -> int:
    return os.getpid()


def part(size: int) -> dict[str, PartFile]:
    return {"documents": PartFile("absent", 1, size)}


def crash_once(value: object, *, folder: Path) -> int:
    mark = folder / "crashed"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def read_shared(value: object, *, held: object) -> tuple[int, str]:
    return os.getpid(), held.value  # type: ignore[attr-defined]


def refuse_planted(value: object) -> None:
    raise ValueError("Zoë Quincy")


def sleep(value: object) -> None:
    time.sleep(60)


def test_small_inputs_are_processed_here_and_large_ones_in_other_processes() -> None:
    spark = start_embedded()
    assert run_tasks(spark, process_of, [part(1), part(2)]) == [os.getpid()] * 2
    assert os.getpid() not in run_tasks(spark, process_of, [part(LIGHT_BYTES)])
    assert run_tasks(spark, process_of, []) == []


def test_tasks_that_take_long_leave_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "LIGHT_SECONDS", 0)
    first, *others = run_tasks(start_embedded(), process_of, [1, 2, 3])
    assert first == os.getpid()
    assert os.getpid() not in others


def test_a_crash_of_a_heavy_task_ends_a_process_and_not_the_run(tmp_path: Path) -> None:
    found = run_tasks(start_embedded(), partial(crash_once, folder=tmp_path), [part(LIGHT_BYTES)])
    assert os.getpid() not in found


def test_shared_values_reach_heavy_tasks_and_errors_show_no_value() -> None:
    spark = start_embedded()
    function = partial(read_shared, held=share(spark, "a value"))
    ((process, value),) = run_tasks(spark, function, [part(LIGHT_BYTES)])
    assert (process != os.getpid(), value) == (True, "a value")
    with pytest.raises(SparkDeidError, match="ValueError") as caught:
        run_tasks(spark, refuse_planted, [part(LIGHT_BYTES)])
    assert "Quincy" not in repr(caught.value) + repr(caught.value.__context__)


def test_an_interrupt_ends_heavy_tasks_within_three_seconds_and_the_next_call_works() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    spark = start_embedded()
    workers = run_tasks(spark, process_of, [part(LIGHT_BYTES)] * 2)
    began = time.monotonic()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_tasks(spark, sleep, [part(LIGHT_BYTES)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 3
    assert os.getpid() not in run_tasks(spark, process_of, [part(LIGHT_BYTES)])
    assert not any(map(_lives, workers))


def test_workers_end_with_a_process_that_is_killed() -> None:
    code = (
        "import os, signal, psutil\n"
        "from spark_deid.engine.pool import pool_map\n"
        "from tests.unit.engine.test_tasks import process_of\n"
        "print(*pool_map(process_of, [1], cores=1), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        worker = int(killed.stdout.readline())
        killed.wait()
        ends = time.monotonic() + 10
        while _lives(worker) and time.monotonic() < ends:
            time.sleep(0.1)
        assert not _lives(worker)


def _lives(process: int) -> bool:
    return psutil.pid_exists(process) and psutil.Process(process).status() != psutil.STATUS_ZOMBIE
