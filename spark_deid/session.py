"""The only builder of Spark sessions: Delta, one time zone, quiet logs, encrypted spill, no web page."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from pyspark import SparkConf
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_deid.core.errors import SparkDeidError
from spark_deid.jars import find_jars

LOCAL = "local[*]"
# PySpark logs a failed query's message, values and all, to these.
_TALKATIVE = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class Pace(Enum):
    """What a local session is tuned for: to start soon, or to run long."""

    SHORT = "short"
    LONG = "long"


# Small Arrow batches bound the memory of Python workers; a batch ends at whichever limit comes first.
COMMON: Mapping[str, str] = MappingProxyType(
    {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Statistics would copy the smallest and largest texts into the transaction log.
        "spark.databricks.delta.properties.defaults.dataSkippingNumIndexedCols": "0",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "false",
        "spark.io.encryption.enabled": "true",
        "spark.executorEnv.PYTHONHASHSEED": "0",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
)
_SHUFFLE_PARTITIONS = MappingProxyType({Pace.SHORT: "2", Pace.LONG: "16"})
_JVM_OPTIONS = MappingProxyType({Pace.SHORT: ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), Pace.LONG: ()})


def build_session(
    *,
    app_name: str,
    master: str | None = None,
    local_dir: Path | None = None,
    settings: Mapping[str, str] = _NO_SETTINGS,
    pace: Pace = Pace.LONG,
) -> SparkSession:
    """Start a session, or take the running one.

    Under ``spark-submit`` what was submitted stands, ``master`` included, and only what is absent is added;
    ``settings`` win over everything. Without a master the session is local. ``local_dir`` takes shuffle files, spill,
    the warehouse and the JVM's temporary files. The JVM of a local session gets 2 GB, or ``SPARK_DRIVER_MEMORY``.

    Raises SparkDeidError where Delta's JARs or Java are missing.
    """
    for name in _TALKATIVE:
        logging.getLogger(name).disabled = True
    submitted = _submitted()
    chosen_master = submitted.get("spark.master") or master or LOCAL
    wanted = default_settings(chosen_master, local_dir, pace) | {"spark.app.name": app_name}
    absent = {key: value for key, value in wanted.items() if key not in submitted}
    if "spark.jars" in absent:
        absent["spark.jars"] = ",".join(map(str, find_jars()))
    if not submitted:
        _prepare_environment(chosen_master, local_dir)
    return _start(absent | dict(settings))


@contextmanager
def session_scope(
    *,
    app_name: str,
    master: str | None = None,
    local_dir: Path | None = None,
    settings: Mapping[str, str] = _NO_SETTINGS,
    pace: Pace = Pace.LONG,
) -> Iterator[SparkSession]:
    """Give a session as ``build_session`` does, and stop it at the end unless it ran before."""
    ran_before = SparkSession.getActiveSession() is not None
    spark = build_session(app_name=app_name, master=master, local_dir=local_dir, settings=settings, pace=pace)
    try:
        yield spark
    finally:
        if not ran_before:
            spark.stop()


def default_settings(master: str, local_dir: Path | None, pace: Pace) -> dict[str, str]:
    """List the settings of a session on ``master``; those of a cluster's size and safety are left to its own files.

    ``spark.jars`` is listed empty: its value is found when the session starts.
    """
    settings = dict(COMMON) | {"spark.master": master, "spark.jars": ""}
    if local_dir is not None:
        settings |= {"spark.local.dir": str(local_dir), "spark.sql.warehouse.dir": (local_dir / "warehouse").as_uri()}
    if master.startswith("local"):
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": _SHUFFLE_PARTITIONS[pace],
        }
        if "SPARK_DRIVER_MEMORY" not in os.environ:
            settings["spark.driver.memory"] = "2g"
    settings["spark.driver.defaultJavaOptions"] = " ".join(_java_options(master, local_dir, pace))
    return settings


def _java_options(master: str, local_dir: Path | None, pace: Pace) -> list[str]:
    log4j = Path(str(files("spark_deid") / "data" / "log4j2.properties"))
    options = [f"-Dlog4j2.configurationFile={log4j.as_uri()}"]
    if local_dir is not None:
        options.append(f'"-Djava.io.tmpdir={local_dir}"')
    if master.startswith("local"):
        options.extend(_JVM_OPTIONS[pace])
    return options


def _submitted() -> dict[str, str]:
    """Read the settings of the JVM that runs already: spark-submit's, or an earlier session's; else none."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return dict(active.sparkContext.getConf().getAll())
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


def _prepare_environment(master: str, local_dir: Path | None) -> None:
    """Set what Spark reads from the environment alone, or prefers there; nothing of it reaches another program."""
    if not master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if local_dir is not None:
        os.environ["SPARK_LOCAL_DIRS"] = str(local_dir)


def _start(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise SparkDeidError(
            "Spark's JVM did not start: it needs Java 17 or later; `spark-deid doctor` says what is wrong"
        ) from error
