"""Engines: the kinds of session that work is done in, and the session in use."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DataType, StringType
from pyspark.sql.utils import is_remote

from spark_deid.engine.installed import CLASSIC, CLIENT, SAIL, installed_version

_CONNECT = "pyspark.sql.connect.session"


class EngineKind(StrEnum):
    """The program that computes for a session: Spark in a JVM, Spark by Connect, or Sail inside this process."""

    CLASSIC = "classic"
    CONNECT = "connect"
    EMBEDDED = "embedded"


_IN_USE: ContextVar[SparkSession | None] = ContextVar("session_in_use", default=None)
_REASON: ContextVar[str] = ContextVar("reason_of_engine", default="")
_EMBEDDED: WeakKeyDictionary[Any, Path] = WeakKeyDictionary()
"""Sessions of the embedded engine, and their private folders for tables that are kept."""


def mark_embedded(spark: Any, folder: Path) -> None:
    """Record that a session is of the embedded engine, which speaks Spark Connect, and keeps tables in a folder."""
    _EMBEDDED[spark] = folder


def forget_embedded(spark: Any) -> None:
    """Record that a session of the embedded engine has ended."""
    _EMBEDDED.pop(spark, None)


def embedded_session() -> SparkSession | None:
    """Return the session of the embedded engine that runs in this process, None without one."""
    sessions: list[Any] = [*_EMBEDDED]
    return next((each for each in sessions if not each.is_stopped), None)


def kept_folder(spark: SparkSession) -> Path:
    """Return the private folder of an embedded session for tables that are kept."""
    return _EMBEDDED[spark]


def engine_of(spark: SparkSession) -> EngineKind:
    """Return the engine of a session."""
    if not type(spark).__module__.startswith("pyspark.sql.connect"):
        return EngineKind.CLASSIC
    return EngineKind.EMBEDDED if spark in _EMBEDDED else EngineKind.CONNECT


def is_classic(spark: SparkSession) -> bool:
    """Return whether a session has a JVM in this process's reach."""
    return engine_of(spark) is EngineKind.CLASSIC


def is_embedded(spark: SparkSession) -> bool:
    """Return whether a session works inside this process."""
    return engine_of(spark) is EngineKind.EMBEDDED


@contextmanager
def session_in_use(spark: SparkSession, reason: str = "") -> Iterator[None]:
    """Use a session for the functions of columns that the block calls; ``reason`` is why this engine was chosen."""
    token, before = _IN_USE.set(spark), _REASON.set(reason)
    try:
        yield
    finally:
        _REASON.reset(before)
        _IN_USE.reset(token)


def describe_engine() -> dict[str, str]:
    """Return the name and version of the engine in use, and why it was chosen; empty without a session in use."""
    spark = _IN_USE.get()
    if spark is None:
        return {}
    return {"engine": name_engine(engine_of(spark), spark.version), "engine_reason": _REASON.get() or "a session runs"}


def name_engine(kind: EngineKind, spark_version: str | None = None) -> str:
    """Return an engine with its version, by default the version of the installed package."""
    if kind is EngineKind.EMBEDDED:
        return f"{kind}, pysail {installed_version(SAIL)}"
    return f"{kind}, Spark {spark_version or installed_version(CLASSIC) or installed_version(CLIENT)}"


def parse_type(kind: str) -> DataType:
    """Return a type of Spark from its name, by the session in use; raises an error of the engine without one."""
    if kind == "string":
        return StringType()
    session: Any = _IN_USE.get() or connect_session()
    parsed: DataType = session._parse_ddl(kind)
    return parsed


def frame_in_use(frame: object) -> AbstractContextManager[None]:
    """Use the session of a DataFrame of Spark, if it is one."""
    return session_in_use(frame.sparkSession) if isinstance(frame, DataFrame) else nullcontext()


def uses_connect() -> bool:
    """Return whether functions of columns are those of Spark Connect: by the session in use, or the active one."""
    used = _IN_USE.get()
    if used is not None:
        return not is_classic(used)
    if is_remote():
        return True
    if _classic_runs():
        return False
    return connect_session() is not None


def connect_session() -> SparkSession | None:
    """Return the active session of Spark Connect of this thread or process, None without one."""
    module: Any = sys.modules.get(_CONNECT)
    return None if module is None else module.SparkSession.getActiveSession()


def _classic_runs() -> bool:
    context: Any = sys.modules.get("pyspark.core.context")
    return context is not None and context.SparkContext._active_spark_context is not None
