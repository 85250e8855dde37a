"""Processes for heavy tasks of the embedded engine, whose own workers are threads of the user's process."""

import os
import pickle
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle
from loky import ProcessPoolExecutor
from loky.process_executor import BrokenProcessPool

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.shared import leaving_process
from spark_deid.engine.streams import silence

Given = TypeVar("Given")
TaskResult = TypeVar("TaskResult")
IDLE_SECONDS = 60.0
"""Time after which an idle process of the pool ends."""
_LARGE = 1 << 20
"""Bytes from which a function with its values travels by a file instead of a pipe, once for all tasks."""
_PAUSE_SECONDS = 0.5
"""Seconds between two checks that the parent lives."""
_ATTEMPTS = 2
"""Number of times that a task runs if its process crashes."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """An exception of a task, without values of documents."""

    error: SparkDeidError


@dataclass(frozen=True, slots=True)
class PackedFunction:
    """A function as bytes, or the path of a file with them."""

    content: bytes
    path: str = ""

    def unpack(self) -> Callable[[Any], Any]:
        """Return the function; one from a file is read once per process."""
        return _read_function(self.path) if self.path else _unpickled(self.content)


_LOCK = threading.Lock()
_pools: dict[tuple[int, int], ProcessPoolExecutor] = {}
"""Pools of this process, by process and number of workers."""


def pool_map(function: Callable[[Given], TaskResult], given: Sequence[Given], *, cores: int) -> list[TaskResult]:
    """Return a function's result for each value, in order, computed in processes of this machine.

    A task whose process crashes runs once more in a new process, so it must be repeatable.

    Args:
        function: Function that cloudpickle can pickle.
        given: Values, one per task.
        cores: Maximum number of processes.

    Raises:
        SparkDeidError: A task failed. Errors of this package are raised as they are; others are named without values.
    """
    with leaving_process():
        packed, values = cloudpickle.dumps(function), [cloudpickle.dumps(value) for value in given]
    if len(packed) < _LARGE:
        return _run(PackedFunction(packed), values, cores)
    with tempfile.NamedTemporaryFile(prefix="spark-deid-function-") as file:  # mode 0600
        file.write(packed)
        file.flush()
        return _run(PackedFunction(b"", file.name), values, cores)


def _run(function: PackedFunction, values: Sequence[bytes], cores: int) -> list[Any]:
    """Run tasks until each has a result, those of crashed processes one at a time."""
    results: dict[int, Any] = {}
    workers = max(1, min(cores, len(values)))
    for attempt in range(_ATTEMPTS):
        open_tasks = [place for place in range(len(values)) if place not in results]
        if not open_tasks:
            break
        if attempt == 0:
            _run_together(function, values, open_tasks, workers, results)
        else:
            for place in open_tasks:
                _run_together(function, values, [place], 1, results)
    if len(results) < len(values):
        raise SparkDeidError(
            "a worker process ended unexpectedly, twice in the same task; short memory is the usual cause. Give this "
            "machine more memory, or set engine: spark on a larger one"
        )
    return [results[place] for place in range(len(values))]


def _run_together(
    function: PackedFunction, values: Sequence[bytes], places: Sequence[int], workers: int, results: dict[int, Any]
) -> None:
    """Run tasks at the same time and keep the results of those whose process did not crash."""
    pool = _pool(workers)
    try:
        futures = {place: pool.submit(_task, function, values[place]) for place in places}
        for place, future in futures.items():
            with suppress(BrokenProcessPool):
                found = future.result()
                if isinstance(found, TaskFailure):
                    raise found.error
                results[place] = _unpickled(found)
    except BrokenProcessPool:
        _drop(pool)
    except BaseException:
        _drop(pool)
        raise
    if len(results.keys() & set(places)) < len(places):
        _drop(pool)


def _task(function: PackedFunction, value: bytes) -> bytes | TaskFailure:
    """Run a task in a process of the pool."""
    try:
        return pickle.dumps(function.unpack()(_unpickled(value)))
    except SparkDeidError as error:
        return TaskFailure(_plain(error))
    except Exception as error:
        return TaskFailure(SparkDeidError(f"a worker process failed with {type(error).__name__} at {_place(error)}"))


def _plain(error: SparkDeidError) -> SparkDeidError:
    """Return an error that pickles: itself, or one with its message."""
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:
        return SparkDeidError(str(error))
    return error if isinstance(copy, SparkDeidError) else SparkDeidError(str(error))


def _place(error: Exception) -> str:
    """Return the innermost line of code that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "an unknown line" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


@lru_cache(maxsize=2)
def _read_function(path: str) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = _unpickled(Path(path).read_bytes())
    return function


def _unpickled(content: bytes) -> Any:
    """Return a value that this package pickled in this process or in one of its pool."""
    return pickle.loads(content)


def _pool(workers: int) -> ProcessPoolExecutor:
    """Return the largest pool of this process, or a new one if it has too few workers."""
    with _LOCK:
        own = max((key for key in _pools if key[0] == os.getpid()), default=(0, 0))
        pool = _pools.get(own)
        if pool is None or own[1] < workers:
            pool = ProcessPoolExecutor(max_workers=workers, timeout=IDLE_SECONDS, initializer=_begin_worker)
            _pools[(os.getpid(), workers)] = pool
        return pool


def _begin_worker() -> None:
    """Prepare a process: its parent ends it, also by its own death, and Ctrl-C in a terminal does not."""
    silence()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process soon after its parent, which may have been killed: nothing may write to its folders then."""
    while os.getppid() == parent:
        time.sleep(_PAUSE_SECONDS)
    os._exit(1)


def _drop(pool: ProcessPoolExecutor) -> None:
    """End a pool's processes and forget it."""
    with _LOCK:
        for key in [key for key, each in _pools.items() if each is pool]:
            del _pools[key]
    pool.shutdown(wait=False, kill_workers=True)
