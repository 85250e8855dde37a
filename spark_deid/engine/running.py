"""Whether a Spark session that a person else began can be worked with, and what it does otherwise than ours."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from queue import Empty, Queue
from typing import Any, NamedTuple
from uuid import uuid4

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.core.version import VERSION
from spark_deid.engine.classic_part import InheritableThread, Py4JError, SparkContext
from spark_deid.engine.engines import EngineKind, connect_session, engine_of, is_classic, is_embedded
from spark_deid.engine.jars import jars_for
from spark_deid.engine.settings import COMMON

_EXTENSIONS, _CATALOG = "spark.sql.extensions", "spark.sql.catalog.spark_catalog"
_DELTA = COMMON[_EXTENSIONS]
_UNSAFE = {
    "spark.python.daemon.module": "the output of workers is printed and logged, including warnings that quote text",
    "spark.io.encryption.enabled": "what it spills to disk is not encrypted",
}
_PAUSE = 0.1  # seconds between two looks at a task that was asked


class WorkerPackage(NamedTuple):
    """What does the work: the version of Python, the package's, and a digest of the package's code."""

    python: str
    version: str
    digest: str


def refuse_connect() -> None:
    """Raise UsageError where the session at hand is one of Spark Connect, which has no context to work in."""
    active = connect_session()
    if active is not None and not is_embedded(active):
        raise UsageError(
            "the running session is one of Spark Connect, which is not supported. Run this with a classic "
            "Spark session, or with spark-submit"
        )


def refuse_other_frames(name: str, frame: object) -> None:
    """Raise UsageError for all but DataFrames of sessions that can be used, and for streams."""
    if not isinstance(frame, DataFrame) or engine_of(frame.sparkSession) is EngineKind.CONNECT:
        raise UsageError(f"{name}: expected a DataFrame of pandas, or of a Spark session that is not Spark Connect's")
    refuse_stream(name, frame)


def refuse_stream(name: str, frame: DataFrame) -> None:
    """Raise UsageError where a DataFrame is a stream: what is rare, and who is equal, is known of a whole corpus."""
    if frame.isStreaming:
        raise UsageError(
            f"{name}: streaming DataFrames are not supported. Process each batch separately, as in foreachBatch"
        )


def check_running(spark: SparkSession, *, needs_delta: bool = True) -> None:
    """Check that a running session can be worked with; runs one task of its workers.

    Raises UsageError with everything that it lacks.
    """
    if lacking := [*_lacking(spark, needs_delta=needs_delta)]:
        reasons = "".join(f"\n- {each}" for each in lacking)
        raise UsageError(f"the Spark session that runs can't be used; stop it (spark.stop()) or begin it with{reasons}")


def warnings_of_running(spark: SparkSession) -> tuple[str, ...]:
    """State in what a running session is less private than one of ours."""
    return warnings_of(dict(spark.sparkContext.getConf().getAll())) if is_classic(spark) else ()


def warnings_of(given: Mapping[str, str]) -> tuple[str, ...]:
    """State in what a session of these settings is less private than one of ours."""
    lacking = [f"{key} {COMMON[key]}: {why}" for key, why in _UNSAFE.items() if given.get(key) != COMMON[key]]
    if given.get("spark.eventLog.enabled") == "true":
        lacking.append("spark.eventLog.enabled false: the event log contains queries")
    return tuple(f"the Spark session that runs lacks {each}" for each in lacking)


def _lacking(spark: SparkSession, *, needs_delta: bool) -> Iterator[str]:
    if is_embedded(spark):
        return
    if spark.version != pyspark.__version__:
        yield f"Spark {pyspark.__version__}, the version of pyspark here; it is {spark.version}"
    yield from _lacking_workers(spark)
    if needs_delta:
        yield from _lacking_delta(spark)


def check_workers(spark: SparkSession) -> None:
    """Check that the workers of a cluster have this Python and this package; runs one task, and waits for no retry.

    Raises UsageError, which names what they have in its place.
    """
    if lacking := _lacking_workers(spark):
        raise UsageError(
            "the workers of the cluster can't do the work; begin with" + "".join(f"\n- {e}" for e in lacking)
        )


def _lacking_workers(spark: SparkSession) -> tuple[str, ...]:
    context: Any = spark.sparkContext
    return _lacking_of(context.applicationId, context.pythonExec)


@cache
def _lacking_of(application: str, python: str) -> tuple[str, ...]:
    """State what workers of the running application lack; that does not change while it runs, so it is asked once."""
    own = own_worker()
    wanted = f"PYSPARK_PYTHON={sys.executable}, or a Python {own.python} with this package"
    found = _query_worker()
    if found is None:
        return (f"{wanted}: its workers run {python}, which is not there, or can't load the package",)
    if found.python != own.python:
        return (f"{wanted}: its workers run Python {found.python}",)
    if found.version != own.version:
        return (f"{wanted}: its workers have version {found.version} of the package, here it is {own.version}",)
    if found.digest != own.digest:
        return (f"{wanted}: its workers have the package's version {own.version}, but other files of it",)
    return ()


def _query_worker() -> WorkerPackage | None:
    """Ask one worker what it has; None where its task fails, after the first failure."""
    context: Any = SparkContext._active_spark_context
    group, found = f"spark-deid-{uuid4()}", Queue[WorkerPackage | None]()

    def ask() -> None:
        context.setJobGroup(group, "what workers have", True)
        try:
            found.put(WorkerPackage(*context.parallelize([0], 1).mapPartitions(_tell).collect()[0]))
        except (PySparkException, Py4JError, TypeError):
            found.put(None)

    InheritableThread(target=ask, daemon=True).start()
    while True:
        try:
            return found.get(timeout=_PAUSE)
        except Empty:
            if _has_failed(context.statusTracker(), group):
                context.cancelJobGroup(group)
                return None


def _has_failed(tracker: Any, group: str) -> bool:
    """Return whether a task of a group of jobs has failed, though it may be tried again."""
    jobs = filter(None, map(tracker.getJobInfo, tracker.getJobIdsForGroup(group)))
    stages = filter(None, (tracker.getStageInfo(stage) for job in jobs for stage in job.stageIds))
    return any(stage.numFailedTasks for stage in stages)


def _lacking_delta(spark: SparkSession) -> Iterator[str]:
    given = dict(spark.sparkContext.getConf().getAll())
    jvm: Any = spark.sparkContext._jvm
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(_DELTA)
    except Py4JError:
        jar = jars_for(spark.version)[0]
        yield f"Delta's JARs: spark.jars.packages {jar.group}:{jar.artifact}:{jar.version}"
    if _DELTA not in given.get(_EXTENSIONS, ""):
        yield f"{_EXTENSIONS} {_DELTA}"
    if given.get(_CATALOG) != COMMON[_CATALOG]:
        yield f"{_CATALOG} {COMMON[_CATALOG]}"


def own_worker() -> WorkerPackage:
    """Return what this process has: versions of Python and of the package, and a digest of the package's code."""
    root = files("spark_deid")
    digest = sha256()
    for name, code in sorted(_code(root, "")):
        digest.update(f"{name}\0{len(code)}\0".encode())
        digest.update(code)
    return WorkerPackage(".".join(map(str, sys.version_info[:2])), VERSION, digest.hexdigest())


def _code(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.name.endswith(".py"):
            yield path + each.name, each.read_bytes()
        elif each.is_dir() and not each.name.startswith(("_", ".")):
            yield from _code(each, f"{path}{each.name}/")


def _tell(_: Iterable[object]) -> Iterator[tuple[str, ...]]:
    """State what a worker has."""
    yield tuple(own_worker())
