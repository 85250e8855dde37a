"""Word of what Spark is doing, while that takes long."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from spark_deid.app.inputs import Progress
from spark_deid.core.numerics.compilation import kept_since
from spark_deid.core.numerics.notices import COMPILING
from spark_deid.engine.failures import ENGINE_ERRORS
from spark_deid.engine.tasks import TaskCounts, TaskTracker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE = 3.0
"""Seconds that a job of Spark may take before its tasks are told."""
INTERVAL = 10.0
"""Seconds between two words of one job."""
_GLANCE = 1.0


@contextmanager
def report_tasks(spark: "SparkSession", progress: Progress) -> Iterator[None]:
    """Say how many tasks are done, of how many, while a job of Spark takes longer than PATIENCE.

    Where this machine compiles meanwhile, which it does once, that is said, too.
    """
    ended = Event()
    teller = Thread(target=_tell, args=(TaskTracker(spark), progress, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(tracker: TaskTracker, progress: Progress, ended: Event) -> None:
    watch, began, is_compiling = TaskWatch(), time.time(), False
    with suppress(*ENGINE_ERRORS, OSError):  # a session that ends tells no more
        while not ended.wait(_GLANCE):
            if not is_compiling and (is_compiling := kept_since(began)):
                progress(f"  {COMPILING}")
            result = watch.look(tracker.jobs(), tracker.tasks, time.monotonic())
            if result is not None:
                progress(f"  {result.done:,} of {result.all:,} tasks done")


class TaskWatch:
    """Decide when the tasks of jobs are worth a word."""

    def __init__(self) -> None:
        self._jobs: tuple[int, ...] = ()
        self._next = 0.0
        self._told: TaskCounts | None = None

    def look(self, jobs: tuple[int, ...], ask: Callable[[], TaskCounts], now: float) -> TaskCounts | None:
        """Return the tasks if they are to be told: of jobs that last, and only what is new.

        They are asked for only then, since each word from Spark's JVM costs both sides.
        """
        jobs = tuple(sorted(jobs))
        if not jobs or jobs != self._jobs:
            self._jobs, self._next, self._told = jobs, now + PATIENCE, None
            return None
        if now < self._next:
            return None
        tasks = ask()
        if tasks == self._told or not tasks.all:
            return None
        self._next, self._told = now + INTERVAL, tasks
        return tasks
