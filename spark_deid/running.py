"""Whether a Spark session that somebody else began can be worked with, and what it does otherwise than ours."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import pyspark
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.settings import COMMON

_EXTENSIONS, _CATALOG = "spark.sql.extensions", "spark.sql.catalog.spark_catalog"
_DELTA = COMMON[_EXTENSIONS]
_CONNECT = "pyspark.sql.connect.session"
_UNSAFE = {
    "spark.python.daemon.module": "what its workers print is seen and logged, warnings that quote texts, too",
    "spark.io.encryption.enabled": "what it spills to disk is not encrypted",
}


def refuse_connect() -> None:
    """Raise UsageError where the session at hand is one of Spark Connect, which has no context to work in."""
    module: Any = sys.modules.get(_CONNECT)
    if module is not None and module.SparkSession.getActiveSession() is not None:
        raise UsageError(
            "the running session is one of Spark Connect, which can't be used: run this where a session of its own can "
            "start, or by spark-submit"
        )


def check_running(spark: SparkSession, *, needs_delta: bool = True) -> None:
    """Check that a running session can be worked with; runs one task of its workers.

    Raises UsageError with everything that it lacks.
    """
    if lacking := [*_lacking(spark, needs_delta=needs_delta)]:
        told = "".join(f"\n- {each}" for each in lacking)
        raise UsageError(f"the Spark session that runs can't be used; stop it (spark.stop()) or begin it with{told}")


def warnings_of_running(spark: SparkSession) -> tuple[str, ...]:
    """Say in what a running session is less private than one of ours."""
    return warnings_of(dict(spark.sparkContext.getConf().getAll()))


def warnings_of(given: Mapping[str, str]) -> tuple[str, ...]:
    """Say in what a session of these settings is less private than one of ours."""
    told = [f"{key} {COMMON[key]}: {why}" for key, why in _UNSAFE.items() if given.get(key) != COMMON[key]]
    if given.get("spark.eventLog.enabled") == "true":
        told.append("spark.eventLog.enabled false: its event log tells of queries")
    return tuple(f"the Spark session that runs lacks {each}" for each in told)


def _lacking(spark: SparkSession, *, needs_delta: bool) -> Iterator[str]:
    if spark.version != pyspark.__version__:
        yield f"Spark {pyspark.__version__}, the version of pyspark here; it is {spark.version}"
    yield from _lacking_workers(spark)
    if needs_delta:
        yield from _lacking_delta(spark)


def _lacking_workers(spark: SparkSession) -> tuple[str, ...]:
    context: Any = spark.sparkContext
    return _lacking_of(context.applicationId, context.pythonExec)


@cache
def _lacking_of(application: str, python: str) -> tuple[str, ...]:
    """Say what workers of the running application lack; that does not change while it runs, so it is asked once."""
    context: Any = SparkContext._active_spark_context
    wanted = (
        f"PYSPARK_PYTHON={sys.executable}, or a Python {'.'.join(map(str, sys.version_info[:2]))} with this package"
    )
    try:
        found = context.parallelize([0], 1).mapPartitions(_tell).collect()
    except (PySparkException, Py4JError):
        return (f"{wanted}: its workers run {python}, and can't load the package",)
    return () if found == [_version()] else (f"{wanted}: its workers have another version of the package",)


def _lacking_delta(spark: SparkSession) -> Iterator[str]:
    given = dict(spark.sparkContext.getConf().getAll())
    jvm: Any = spark.sparkContext._jvm
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(_DELTA)
    except Py4JError:
        yield "Delta's JARs: spark.jars.packages io.delta:delta-spark_4.2_2.13:4.4.0"
    if _DELTA not in given.get(_EXTENSIONS, ""):
        yield f"{_EXTENSIONS} {_DELTA}"
    if given.get(_CATALOG) != COMMON[_CATALOG]:
        yield f"{_CATALOG} {COMMON[_CATALOG]}"


def _version() -> str:
    import spark_deid

    return spark_deid.__version__


def _tell(_: Iterable[object]) -> Iterator[str]:
    """Say which version of this package a worker has."""
    yield _version()
