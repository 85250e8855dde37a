"""Operator: how many shards a corpus needs."""

from pathlib import Path
from typing import Any, NamedTuple

import psutil
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.errors import UsageError
from spark_deid.engine.settings import is_local
from spark_deid.repeats.suffixes import MAX_BYTES

BYTES_A_BYTE = 20
"""Memory that finding takes for a byte of text."""
SHARD_BYTES = 64_000_000


class ShardingPlan(NamedTuple):
    """How many shards and ranges of prefixes, and the folder, seen by every worker, that keeps each round's state.

    A unit of more than ``max_bytes`` gets shards of its own, in addition.
    """

    shards: int
    ranges: int
    folder: str
    max_bytes: int = SHARD_BYTES


def choose_sharding(documents: DataFrame, shards: int, folder: str) -> ShardingPlan | None:
    """Choose as many shards as are asked for, else as text needs that fits in no task's memory; none where it fits.

    Raises UsageError for a folder that is not on a disk.
    """
    fits = bytes_that_fit(_task_memory(documents.sparkSession))
    max_bytes = min(SHARD_BYTES, max(1, fits))
    if not shards:
        size = documents.agg(F.sum(F.octet_length("text"))).collect()[0][0] or 0
        if size <= fits:
            return None
        shards = -(-size // max_bytes)
    if not Path(folder).is_absolute():
        raise UsageError(f"{folder}: shards keep their state in files; name a workspace on a disk that all workers see")
    return ShardingPlan(shards, shards, folder, max_bytes)


def bytes_that_fit(memory: int) -> int:
    """Return how many bytes of text one task can search in so much memory; half of what a suffix array can number.

    The other half is for the ends of documents, of which there may be as many as bytes of text.

    >>> bytes_that_fit(20_000_000), bytes_that_fit(1 << 40) == (1 << 30) - 1
    (1000000, True)
    """
    return min(memory // BYTES_A_BYTE, MAX_BYTES // 2)


def _task_memory(spark: SparkSession) -> int:
    """Return the bytes of memory that a task's Python may take: half of what is free here, or a share of a worker's."""
    settings = spark.sparkContext.getConf()
    if is_local(settings.get("spark.master") or ""):
        return psutil.virtual_memory().available // 2
    words = settings.get("spark.executor.pyspark.memory") or settings.get("spark.executor.memoryOverhead") or "384m"
    jvm: Any = spark.sparkContext._jvm
    executor = int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsMb(words)) << 20
    return share_of_a_task(executor, settings.get("spark.executor.cores"), settings.get("spark.task.cpus"))


def share_of_a_task(memory: int, cores: str | None, cpus: str | None) -> int:
    """Return the share of an executor's memory that each task may take, as many as its cores do at a time.

    Spark itself limits Python workers so. Where the settings do not say how many cores there are, one is taken.

    >>> share_of_a_task(8_000, "4", None), share_of_a_task(8_000, "4", "2"), share_of_a_task(8_000, None, None)
    (2000, 4000, 8000)
    """
    return memory // max(1, int(cores or 1) // int(cpus or 1))
