"""Operators: run a function on workers and collect what it returns: a task a value, or a task a partition."""

import gc
import pickle
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_deid.core.shared_process import is_shared
from spark_deid.engine.engines import is_classic, is_embedded
from spark_deid.engine.failures import ENGINE_ERRORS
from spark_deid.engine.pool import pool_map
from spark_deid.engine.resources import pool_cores

Given = TypeVar("Given")
TaskResult = TypeVar("TaskResult")
LIGHT_BYTES = 2 << 20
"""Bytes of files below which the embedded engine begins tasks in this process."""
LIGHT_SECONDS = 2.0
"""Seconds after which further tasks go to the pool."""
_ALLOCATIONS = 500_000
_LONGEST_WAIT, _PAUSE = 60.0, 0.02
"""Seconds to wait for tasks that are given up, and between looks."""


def run_tasks(spark: SparkSession, function: Callable[[Given], TaskResult], given: Sequence[Given]) -> list[TaskResult]:
    """Return what a function makes of each value, in order; one Spark job of a task a value, none without values.

    Planning and compiling a query costs more than such a job. What tasks return is collected, so it must be small.
    """
    if not given:
        return []
    if is_embedded(spark):
        return _on_this_machine(function, given)
    if not is_classic(spark):
        return _by_rows(spark, function, given)
    tasks = spark.sparkContext.parallelize(given, len(given))
    return tasks.mapPartitions(partial(_each, function=function)).collect()


def _on_this_machine(function: Callable[[Given], TaskResult], given: Sequence[Given]) -> list[TaskResult]:
    """Do the same without an engine: light tasks in this process, heavy ones and what remains in processes of a pool.

    A process of the pool starts in about a second, so small inputs never use it.
    """
    results: list[TaskResult] = []
    ends = time.monotonic() + LIGHT_SECONDS
    if weight_of(given) < LIGHT_BYTES:
        for value in given:
            results.append(function(value))
            if time.monotonic() > ends:
                break
    remaining = given[len(results) :]
    if not remaining:
        return results
    return results + pool_map(function, remaining, cores=pool_cores())


def weight_of(given: object) -> int:
    """Return the bytes of the files that values name: those of every member with a ``size``.

    >>> from collections import namedtuple
    >>> File = namedtuple("File", "path size")
    >>> weight_of([{"texts": File("a", 3)}, (File("b", 4), File("c", -1)), 7])
    7
    """
    size = getattr(given, "size", None)
    if isinstance(size, int):
        return max(size, 0)
    if isinstance(given, Mapping):
        return sum(map(weight_of, given.values()))
    return sum(map(weight_of, given)) if isinstance(given, list | tuple) else 0


def _by_rows(spark: SparkSession, function: Callable[[Given], TaskResult], given: Sequence[Given]) -> list[TaskResult]:
    """Do the same without a context: a partition a value."""
    rows = spark.range(0, len(given), 1, len(given))
    results = rows.mapInArrow(partial(_numbered, function=function, given=tuple(given)), "place long, made binary")
    return [pickle.loads(row["made"]) for row in sorted(results.collect(), key=itemgetter("place"))]


def _numbered(
    incoming: Iterator[pa.RecordBatch], *, function: Callable[[Given], TaskResult], given: Sequence[Given]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        places = batch.column("id").to_pylist()
        made = [pickle.dumps(function(given[place])) for place in places]
        yield pa.RecordBatch.from_pydict({"place": pa.array(places, pa.int64()), "made": pa.array(made, pa.binary())})


def run_partitions(frame: DataFrame, function: Callable[[Iterator[pa.RecordBatch]], TaskResult]) -> list[TaskResult]:
    """Return what a function makes of the batches of each partition; one Spark job. Results must be small."""
    rows = map_rows(frame, partial(_partition, function=function), "made binary").collect()
    return [pickle.loads(row[0]) for row in rows]


@contextmanager
def ended_tasks(spark: SparkSession) -> Iterator[None]:
    """Wait at the end for every task of the jobs that the block ran: attempts that Spark gave up still write files.

    Waits for a minute at most. Spark is not stopped, and the jobs of others are not waited for.
    """
    if not is_classic(spark):
        yield
        return
    context, tag = spark.sparkContext, f"spark-deid-{uuid.uuid4().hex}"
    context.addJobTag(tag)
    try:
        yield
    finally:
        context.removeJobTag(tag)
        latest = time.monotonic() + _LONGEST_WAIT
        while _active_tasks(context, tag) and time.monotonic() < latest:
            time.sleep(_PAUSE)


class JobGroup:
    """Jobs that can be cancelled together, whichever threads begin them."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark, self._tag = spark, f"spark-deid-{uuid.uuid4().hex}"

    def in_threads(self, job: Callable[..., TaskResult]) -> Callable[..., TaskResult]:
        """Return a function that begins jobs of this group in the threads that call it."""
        from pyspark import inheritable_thread_target

        made: Callable[..., TaskResult] = inheritable_thread_target(self._spark)(partial(self._tagged, job))
        return made

    def cancel(self) -> None:
        """Cancel the jobs that run."""
        if is_classic(self._spark):
            self._spark.sparkContext.cancelJobsWithTag(self._tag)
        else:
            self._spark.interruptTag(self._tag)

    def _tagged(self, job: Callable[..., TaskResult], *given: Any) -> TaskResult:
        if is_classic(self._spark):
            self._spark.sparkContext.addJobTag(self._tag)
            self._spark.sparkContext.setInterruptOnCancel(True)
        else:
            self._spark.addTag(self._tag)
        return job(*given)


def _active_tasks(context: Any, tag: str) -> int:
    """Return the number of tasks of jobs with a tag that have not ended, of stages that are over as well."""
    jvm_context = context._jsc
    with suppress(*ENGINE_ERRORS):  # if the bus is behind for seconds, the state of some moments ago counts
        jvm_context.sc().listenerBus().waitUntilEmpty()
    tracker = jvm_context.sc().statusTracker()
    active = 0
    for job in tracker.getJobIdsForTag(tag):
        known = tracker.getJobInfo(job)
        for stage in known.get().stageIds() if known.isDefined() else ():
            info = tracker.getStageInfo(stage)
            active += info.get().numActiveTasks() if info.isDefined() else 0
    return active


def map_rows(
    frame: DataFrame,
    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: StructType | str,
) -> DataFrame:
    """Return what a function makes of the batches of each partition, as ``mapInArrow`` does, of columns of any name.

    Spark takes a dot in a column's name for a field, and a backtick for a quotation mark.
    """
    names = tuple(frame.columns)
    if not any(mark in name for name in names for mark in ".`"):
        return frame.mapInArrow(function, schema)
    plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
    return plain.mapInArrow(partial(_under_names, function=function, names=names), schema)


def _under_names(
    incoming: Iterator[pa.RecordBatch],
    *,
    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    names: tuple[str, ...],
) -> Iterator[pa.RecordBatch]:
    return function(batch.rename_columns([*names]) for batch in incoming)


def _partition(
    incoming: Iterator[pa.RecordBatch], *, function: Callable[[Iterator[pa.RecordBatch]], TaskResult]
) -> Iterator[pa.RecordBatch]:
    with _collecting_seldom():
        yield pa.RecordBatch.from_pydict({"made": [pickle.dumps(function(incoming))]})


def _each(values: Iterable[Given], *, function: Callable[[Given], TaskResult]) -> Iterator[TaskResult]:
    with _collecting_seldom():
        yield from map(function, values)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Search for circles of garbage once in many allocations: batches are thousands of tuples, which live on for long.

    Otherwise a third of a task is spent on this. The thresholds belong to the process, so a shared process keeps them.
    """
    if is_shared():
        yield
        return
    before = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        pa.default_memory_pool().release_unused()  # else a worker holds the most that any of its tasks took


# Tasks that an engine works on.


class TaskCounts(NamedTuple):
    """Tasks of the stages that run."""

    done: int
    all: int


class TaskTracker:
    """The jobs of a session, as its JVM reports them; a session without a JVM has no report."""

    def __init__(self, spark: SparkSession) -> None:
        self._tracker: Any = spark.sparkContext.statusTracker() if is_classic(spark) else None

    def jobs(self) -> tuple[int, ...]:
        """Return the numbers of jobs that run."""
        return tuple(self._tracker.getActiveJobsIds()) if self._tracker else ()

    def tasks(self) -> TaskCounts:
        """Count the tasks of the stages that run."""
        stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        return TaskCounts(sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known))
