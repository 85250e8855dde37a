"""Run tasks in processes of their own, the longest first."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from joblib import Parallel, delayed  # type: ignore[import-untyped]
from joblib.externals.loky import get_reusable_executor  # type: ignore[import-untyped]

from spark_deid.core.errors import SparkDeidError

Task = TypeVar("Task")
Result = TypeVar("Result")


class TaskError(SparkDeidError):
    """A learner that failed; says where, and never with which values."""


def run_tasks(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Result]]:
    """Yield the number and result of each task as it ends; ``function`` belongs to a module, results pickle.

    One worker runs everything in this process. Raises TaskError, without document text, where a task fails.
    """
    if workers == 1 or len(tasks) == 1:
        for index, task in enumerate(tasks):
            yield index, _guarded(function, index, task)[1]
        return
    pool = Parallel(
        n_jobs=min(workers, len(tasks)), backend="loky", return_as="generator_unordered", max_nbytes=None, batch_size=1
    )
    try:
        yield from pool(delayed(_guarded)(function, index, task) for index, task in enumerate(tasks))
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _guarded(function: Callable[[Task], Result], index: int, task: Task) -> tuple[int, Result]:
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
