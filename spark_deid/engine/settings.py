"""Spark's settings: those that every session has, those of a local one, and those that a file gives."""

import os
import re
import socket
from collections.abc import Mapping
from enum import Enum
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine.java import archive_options


class SessionPace(Enum):
    """What a local session is tuned for: to start soon, to run for some minutes, or to run long."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


_MASTER = re.compile(
    r"local(\[(\d+|\*)(,\s*\d+)?\])?|local-cluster\[.+\]|yarn|spark://\S+:\d+(,\S+:\d+)*|(?!spark:)[a-z0-9]+://\S+"
)
_STANDALONE = "spark://"
LOG_SETTINGS = Path(str(files("spark_deid.engine") / "data" / "log4j2.properties"))

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
        # What workers print may hold text.
        "spark.python.daemon.module": "spark_deid.engine.daemon",
        # Workers of queries would have a separate environment by it, and so be separate processes.
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.executorEnv.PYTHONHASHSEED": "0",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
)
_SOCKET_FOLDER_BYTES = 60
_SHUFFLE_PARTITIONS = MappingProxyType({SessionPace.SHORT: "2", SessionPace.MEDIUM: "16", SessionPace.LONG: "16"})
# Python does most of the work: until that has lasted for minutes, the full compiler costs more than it gains.
_SOON = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_JVM_OPTIONS = MappingProxyType({SessionPace.SHORT: _SOON, SessionPace.MEDIUM: _SOON, SessionPace.LONG: ()})


def is_local(master: str) -> bool:
    """Return whether a master is this process's own JVM."""
    return master == "local" or master.startswith("local[")


def check_master(master: str) -> None:
    """Refuse what is not an address of a master, before Spark starts and fails; raises UsageError.

    >>> for known in ("local[4]", "spark://host:7077,other:7077", "k8s://https://host", "yarn"):
    ...     check_master(known)
    """
    if not _MASTER.fullmatch(master):
        raise UsageError(f"--master: expected local[4], spark://host:7077, yarn or k8s://https://host, got {master!r}")


def check_answers(master: str, seconds: float = 5) -> None:
    """Refuse a standalone master of which no address takes a connection within ``seconds``; others are not tried.

    Spark itself would try for minutes, and state it in its own words. Raises SparkDeidError.
    """
    if not master.startswith(_STANDALONE):
        return
    places = master.removeprefix(_STANDALONE).split(",")
    if not any(_answers(place, seconds) for place in places):
        raise SparkDeidError(f"--master: nothing answers at {master}; start that master, or name one that runs")


def _answers(place: str, seconds: float) -> bool:
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def default_settings(master: str, local_dir: Path | None, pace: SessionPace) -> dict[str, str]:
    """List the settings of a session on ``master``; a cluster's size and safety remain to its own files."""
    settings = dict(COMMON) | {"spark.master": master}
    settings["spark.driver.defaultJavaOptions"] = " ".join(_java_options(master, local_dir, pace))
    if local_dir is not None:
        settings |= {"spark.local.dir": str(local_dir), "spark.sql.warehouse.dir": (local_dir / "warehouse").as_uri()}
    if is_local(master):
        settings |= _local_settings(pace) | _socket_settings(local_dir)
    return settings


def _local_settings(pace: SessionPace) -> dict[str, str]:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": _SHUFFLE_PARTITIONS[pace],
    }
    return settings if "SPARK_DRIVER_MEMORY" in os.environ else settings | {"spark.driver.memory": "2g"}


def _socket_settings(local_dir: Path | None) -> dict[str, str]:
    """Let Python's workers be spoken to through files, which saves waiting in every task; no one else may open them.

    The name of such a file can't be long: where the folder's is, it is ports of this machine, as Spark has it.
    """
    if local_dir is None or len(os.fsencode(local_dir)) > _SOCKET_FOLDER_BYTES:
        return {}
    key = "spark.python.unix.domain.socket"
    return {f"{key}.enabled": "true", f"{key}.dir": str(local_dir)}


def _java_options(master: str, local_dir: Path | None, pace: SessionPace) -> list[str]:
    options = [f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"]
    if local_dir is not None:
        options.append(f'"-Djava.io.tmpdir={local_dir}"')
    if is_local(master):
        options.extend((*_JVM_OPTIONS[pace], *archive_options()))
    return options


def read_properties(path: Path) -> dict[str, str]:
    """Read a file of Spark's settings: a key, blanks or ``=``, and a value per line; ``#`` begins a comment."""
    if not path.is_file():
        return {}
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    pairs = (re.split(r"\s*=\s*|\s+", line, maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {pair[0]: pair[1] if len(pair) > 1 else "" for pair in pairs}
