"""Operators: run a function on workers and collect what it returns: a task a value, or a task a partition."""

import gc
import pickle
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_deid.core import tables
from spark_deid.engine.plain_paths import reader_of_plain_paths

Given = TypeVar("Given")
TaskResult = TypeVar("TaskResult")
_ALLOCATIONS = 500_000
_LONGEST_WAIT, _PAUSE = 60.0, 0.02
"""Seconds to wait for tasks that are given up, and between looks."""


class StoredPart(Protocol):
    """A file of a table's rows, such as ``storage.parts.PartFile``."""

    @property
    def path(self) -> str:
        """Return the local path."""
        ...


def run_tasks(spark: SparkSession, function: Callable[[Given], TaskResult], given: Sequence[Given]) -> list[TaskResult]:
    """Return what a function makes of each value, in order; one Spark job of a task a value, none without values.

    Planning and compiling a query costs more than such a job. What tasks return is collected, so it must be small.
    """
    if not given:
        return []
    tasks = spark.sparkContext.parallelize(given, len(given))
    return tasks.mapPartitions(partial(_each, function=function)).collect()


def run_partitions(frame: DataFrame, function: Callable[[Iterator[pa.RecordBatch]], TaskResult]) -> list[TaskResult]:
    """Return what a function makes of the batches of each partition; one Spark job. Results must be small."""
    rows = map_rows(frame, partial(_partition, function=function), "made binary").collect()
    return [pickle.loads(row[0]) for row in rows]


@contextmanager
def ended_tasks(spark: SparkSession) -> Iterator[None]:
    """Wait at the end for every task of the jobs that the block ran: attempts that Spark gave up still write files.

    Waits for a minute at most. Spark is not stopped, and the jobs of others are not waited for.
    """
    context, tag = spark.sparkContext, f"spark-deid-{uuid.uuid4().hex}"
    context.addJobTag(tag)
    try:
        yield
    finally:
        context.removeJobTag(tag)
        latest = time.monotonic() + _LONGEST_WAIT
        while _active_tasks(context, tag) and time.monotonic() < latest:
            time.sleep(_PAUSE)


def _active_tasks(context: SparkContext, tag: str) -> int:
    """Return the number of tasks of jobs with a tag that have not ended, of stages that are over as well."""
    jvm_context: Any = context._jsc
    with suppress(Py4JError):  # if the bus is behind for seconds, the state of some moments ago counts
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


def read_parts(spark: SparkSession, parts: Iterable[StoredPart], schema: pa.Schema) -> DataFrame:
    """Return the rows of a table's parts; no other file of its folder is read."""
    paths = [f"file://{part.path}" for part in parts]
    if not paths:
        return spark.createDataFrame([], tables.ddl(schema))
    whole = reader_of_plain_paths(spark).option("ignoreCorruptFiles", "false").option("ignoreMissingFiles", "false")
    return whole.schema(tables.ddl(schema)).parquet(*paths)


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
    """Look for circles of garbage once in many allocations: batches are thousands of tuples, which live on for long.

    By the interpreter's own measure a third of a task is spent on looking through them again and again.
    """
    before = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        pa.default_memory_pool().release_unused()  # else a worker holds the most that any of its tasks took
