"""Workers that are tasks of Spark: fits of a round, spread over a cluster."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.resources import parallelism
from spark_deid.engine.shared import SharedValue, share
from spark_deid.engine.tasks import JobGroup
from spark_deid.greedy.parallel import Result, Results, Task, run_guarded

_RESULT = pa.schema([("result", pa.binary())])
_PATIENCE = 0.2
"""Seconds after which jobs that go on are cancelled again."""
Packed = bytes
"""A function and its tasks, pickled: an encrypted broadcast refuses large arrays, but takes bytes of any length."""


@dataclass(frozen=True)
class SparkTasks:
    """Do tasks as tasks of Spark, one job each, so that one that nobody needs any more can be stopped.

    Tasks go to the machines in one broadcast: what they share, such as documents, is sent once. Results come back
    through the driver, as models and predictions must. The retries of a lost machine are Spark's own.
    """

    spark: SparkSession

    @property
    def size(self) -> int:
        """Return how many tasks run at a time."""
        return parallelism(self.spark)

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Results[Result]:
        """Yield the number and result of each task as it ends; one job a task.

        A generator that is closed early stops what is running. Raises TaskError, without document text, where a task
        fails.
        """
        packed = share(self.spark, pickle.dumps((function, tuple(tasks))))
        group = JobGroup(self.spark)
        job = group.in_threads(partial(_run_job, self.spark, packed))
        try:
            # More jobs than slots, so that no slot waits for the driver.
            with ThreadPoolExecutor(max_workers=max(1, min(len(tasks), 2 * self.size))) as threads:
                futures = [threads.submit(job, index) for index in range(len(tasks))]
                try:
                    for future in as_completed(futures):
                        yield future.result()
                finally:
                    for future in futures:
                        future.cancel()
                    while True:  # a job that its thread has yet to hand in is none to cancel so far
                        group.cancel()
                        if not wait(futures, timeout=_PATIENCE).not_done:
                            break
        finally:
            packed.destroy()


def _run_job(spark: SparkSession, packed: SharedValue[Packed], index: int) -> tuple[int, Any]:
    """Have one task done by one job."""
    rows = spark.range(index, index + 1, 1, numPartitions=1)
    [row] = rows.mapInArrow(partial(_do_batches, packed=packed), "result binary").collect()
    found = pickle.loads(row["result"])  # made by our own code on a worker of this session
    if isinstance(found, SparkDeidError):
        raise found
    return index, found


def _do_batches(incoming: Iterator[pa.RecordBatch], *, packed: SharedValue[Packed]) -> Iterator[pa.RecordBatch]:
    function, tasks = _unpacked(packed.value)
    for batch in incoming:
        results = [pickle.dumps(_done(function, index, tasks[index])) for index in batch.column("id").to_pylist()]
        yield pa.RecordBatch.from_pydict({"result": results}, _RESULT)


@lru_cache(maxsize=1)
def _unpacked(packed: Packed) -> tuple[Callable[[Any], Any], tuple[Any, ...]]:
    """Return the function and its tasks, once a worker."""
    function, tasks = pickle.loads(packed)  # made by our own code on the driver of this session
    return function, tasks


def _done(function: Callable[[Any], Any], index: int, task: object) -> object:
    """Return a task's result, or its error: as a value, lest Spark quotes what the failed code was given."""
    try:
        return run_guarded(function, index, task)[1]
    except SparkDeidError as error:
        return error
