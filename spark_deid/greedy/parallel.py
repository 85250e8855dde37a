"""Run tasks side by side: workers, and those that are processes of this machine."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from loky import get_reusable_executor

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.streams import silence

Task = TypeVar("Task")
Result = TypeVar("Result")
Results = Generator[tuple[int, Result], None, None]
"""The number and result of each task, as it ends."""


class TaskError(SparkDeidError):
    """A learner that failed; states where, and never with which values."""


class TaskWorkers(Protocol):
    """Who does tasks: processes of this machine, or tasks of Spark. Results are the same."""

    @property
    def size(self) -> int:
        """Return how many tasks are done at a time."""

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Results[Result]:
        """Yield the number and result of each task as it ends; ``function`` belongs to a module, results pickle."""


@dataclass(frozen=True)
class LocalProcesses:
    """Do tasks in that many processes of this machine; one runs everything in this process."""

    size: int

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Results[Result]:
        """Yield the number and result of each task as it ends; a generator that is closed early stops what is running.

        Raises TaskError, without document text, where a task fails.
        """
        if self.size == 1 or len(tasks) == 1:
            for index, task in enumerate(tasks):
                yield run_guarded(function, index, task)
            return
        # Unlike the standard library's pool, this one does not run the caller's main module again in its processes.
        executor = get_reusable_executor(max_workers=min(self.size, len(tasks)), initializer=silence)
        try:
            futures = [executor.submit(run_guarded, function, index, task) for index, task in enumerate(tasks)]
            for future in as_completed(futures):
                yield future.result()
        finally:
            executor.shutdown(wait=True, kill_workers=True)


def run_guarded(function: Callable[[Task], Result], index: int, task: Task) -> tuple[int, Result]:
    """Do a task; return its number and result. Raises TaskError, without values, where it fails."""
    try:
        return index, function(task)
    except SparkDeidError:
        raise
    except Exception as error:
        failure = TaskError(f"the learner failed: {type(error).__name__} at {_place(error)}")
    # Outside the handler, lest the error and its values come along as context.
    raise failure


def _place(error: Exception) -> str:
    """Name the innermost line of code that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "an unknown line" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
