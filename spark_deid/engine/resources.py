"""Cores, memory of tasks and folders of a session, and the machines of its workers."""

import os
from typing import Any

from pyspark.sql import SparkSession

from spark_deid.engine.engines import EngineKind, engine_of, is_classic
from spark_deid.engine.machine_memory import available_memory
from spark_deid.engine.settings import is_local

CONNECT_TASKS = 8
"""Tasks at a time that are assumed for Spark Connect, which does not report cores."""
CONNECT_MEMORY = 800 << 20
"""Bytes that a task of Spark Connect may use: serverless clusters of Databricks allow 1 GB."""

POOL_MEMORY = 1 << 30
"""Free bytes of memory that each process for heavy tasks needs."""


def parallelism(spark: SparkSession) -> int:
    """Return the number of tasks that run at a time."""
    match engine_of(spark):
        case EngineKind.CLASSIC:
            return int(spark.sparkContext.defaultParallelism)
        case EngineKind.CONNECT:
            return CONNECT_TASKS
        case EngineKind.EMBEDDED:
            return cores_here()


def cores_here() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pool_cores() -> int:
    """Return the number of processes for heavy tasks: as many as there are cores, and as fit into the memory."""
    return max(1, min(cores_here(), available_memory() // POOL_MEMORY))


def has_local_workers(spark: SparkSession) -> bool:
    """Return whether workers run on this machine and see its files."""
    if is_classic(spark):
        return is_local(spark.sparkContext.master or "")
    return engine_of(spark) is EngineKind.EMBEDDED


def task_cores(spark: SparkSession) -> int:
    """Return the cores that a single task may use: on this machine all of them, if it is the only one."""
    if has_local_workers(spark):
        return min(parallelism(spark), os.cpu_count() or 1)
    return int(_setting(spark, "spark.task.cpus") or 1)


def task_memory(spark: SparkSession) -> int:
    """Return the bytes of memory for a task's Python: half of what is free here, or a part of a worker's."""
    if has_local_workers(spark):
        return available_memory() // 2
    if not is_classic(spark):
        return CONNECT_MEMORY
    words = _setting(spark, "spark.executor.pyspark.memory") or _setting(spark, "spark.executor.memoryOverhead")
    jvm: Any = spark.sparkContext._jvm
    executor = int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsMb(words or "384m")) << 20
    return share_of_a_task(executor, _setting(spark, "spark.executor.cores"), _setting(spark, "spark.task.cpus"))


def share_of_a_task(memory: int, cores: str | None, cpus: str | None) -> int:
    """Return the part of an executor's memory for each of the tasks that its cores do at a time.

    Spark itself limits Python workers so. One core is assumed if the settings name no number.

    >>> share_of_a_task(8_000, "4", None), share_of_a_task(8_000, "4", "2"), share_of_a_task(8_000, None, None)
    (2000, 4000, 8000)
    """
    return memory // max(1, int(cores or 1) // int(cpus or 1))


def spill_folders(spark: SparkSession) -> tuple[str, ...]:
    """Return the folders of this machine in which a session spills, as its settings name them."""
    named = _setting(spark, "spark.local.dir") if is_classic(spark) else ""
    return tuple(place.strip() for place in (named or "").split(",") if place.strip())


def _setting(spark: SparkSession, name: str) -> str | None:
    """Return a setting of a classic session's context."""
    found: str | None = spark.sparkContext.getConf().get(name)
    return found
