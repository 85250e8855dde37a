"""Which engine carries out a command, and why."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from spark_deid.core.engine_names import EngineName
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine.engines import EngineKind, embedded_session, is_embedded, name_engine, session_in_use
from spark_deid.engine.installed import check_installation, install_line
from spark_deid.engine.java import INSTALL, java_problem
from spark_deid.engine.machine_memory import available_memory
from spark_deid.engine.running import check_running
from spark_deid.engine.session import embedded_scope, is_submitted, running_session, session_scope
from spark_deid.engine.settings import SessionPace, read_properties

MOST_BYTES = 2_000_000_000
"""Bytes of input up to which ``auto`` uses the embedded engine."""
MEMORY_FRACTION = 6
"""The available memory, divided by this, is the largest input of ``auto``."""


class EngineChoice(NamedTuple):
    """An engine, and the reason in a few words."""

    kind: EngineKind
    reason: str


class EngineRequest(NamedTuple):
    """All that a command knows before it starts an engine.

    ``size`` is the number of bytes of its input when unpacked, and ``lacks`` is what the embedded engine lacks for
    this command, empty if it lacks no part.
    """

    command: str
    name: EngineName = "auto"
    master: str | None = None
    is_remote: bool = False
    size: int = 0
    lacks: str = ""


def choose_engine(request: EngineRequest) -> EngineChoice:
    """Choose the engine of a command; nothing was read before, and no other engine is tried afterwards.

    Raises UsageError for an engine that can't carry out the command, or for mixed packages, and SparkDeidError without
    any engine.
    """
    check_installation()
    match request.name:
        case "spark":
            return EngineChoice(EngineKind.CLASSIC, "engine: spark")
        case "embedded":
            _refuse_embedded(request)
            return EngineChoice(EngineKind.EMBEDDED, "engine: embedded")
        case _:
            return _choose_freely(request)


def _refuse_embedded(request: EngineRequest) -> None:
    """Raise UsageError, which names the part of a command that the embedded engine lacks."""
    if request.master is not None:
        raise UsageError(f"--engine embedded: has no master, got {request.master!r}; use --engine spark")
    if request.is_remote:
        raise UsageError(f"{request.command}: the embedded engine reads local paths only; use --engine spark")
    if request.lacks:
        raise UsageError(f"{request.command}: the embedded engine does not have {request.lacks}; use --engine spark")
    if not is_installed():
        raise UsageError(f"{request.command}: the embedded engine is not installed; run {install_line('local')}")


def _choose_freely(request: EngineRequest) -> EngineChoice:
    running = running_session()
    if running is not None:
        return EngineChoice(EngineKind.EMBEDDED if is_embedded(running) else EngineKind.CLASSIC, "a session runs")
    if request.master is not None or is_submitted() or os.environ.get("SPARK_REMOTE") or _default_master():
        return EngineChoice(EngineKind.CLASSIC, "a master is set")
    if request.is_remote:
        return EngineChoice(EngineKind.CLASSIC, "the input is remote")
    if embedded_session() is not None and not request.lacks:
        return _embedded_choice(request, "a session runs")
    fault = classic_fault()
    if request.lacks or not is_installed():
        why = f"the embedded engine {_lacking(request)}"
        if fault:
            way_out = "" if is_installed() else f", or run {install_line('local')}"
            raise SparkDeidError(f"{request.command}: {why}, and Spark can't start: {fault}{way_out}")
        return EngineChoice(EngineKind.CLASSIC, why)
    if not fault:
        return EngineChoice(EngineKind.CLASSIC, "Java is installed")
    return _embedded_choice(request, f"Spark can't start: {fault.partition(';')[0]}")


def _embedded_choice(request: EngineRequest, reason: str) -> EngineChoice:
    """Choose the embedded engine; raises SparkDeidError if the input is too large."""
    most = most_bytes()
    if request.size > most:
        raise SparkDeidError(
            f"{request.command}: the input has {request.size:,} bytes, and the embedded engine accepts {most:,} on this"
            f" machine. Large inputs need Spark: {INSTALL}"
        )
    return EngineChoice(EngineKind.EMBEDDED, reason)


def _lacking(request: EngineRequest) -> str:
    return f"does not have {request.lacks}" if request.lacks else "is not installed"


@contextmanager
def frame_session(choice: EngineChoice, name: str, folder: Path, scratch: Path | None) -> Iterator[SparkSession]:
    """Yield the session for a frame of pandas: the running one, or a new one, which is stopped at the end.

    The embedded engine continues, so that the next call starts soon, unless its files are in ``scratch``. ``folder`` is
    the private folder of the call.
    """
    running = running_session()
    if choice.kind is EngineKind.EMBEDDED:
        with embedded_scope(scratch, choice.reason) as spark:
            yield spark
    elif running is not None:
        check_running(running, needs_delta=False)
        with session_in_use(running):
            yield running
    else:
        settings = {"spark.sql.warehouse.dir": (folder / "warehouse").as_uri()}
        with session_scope(
            app_name=f"spark-deid {name}", settings=settings, pace=SessionPace.SHORT, reason=choice.reason
        ) as spark:
            yield spark


def describe_choice(choice: EngineChoice) -> str:
    """Return an engine with its version, and the reason of its choice."""
    running = running_session()
    return f"{name_engine(choice.kind, running.version if running is not None else None)} ({choice.reason})"


def most_bytes() -> int:
    """Return the bytes of unpacked input up to which ``auto`` uses the embedded engine on this machine."""
    return min(MOST_BYTES, available_memory() // MEMORY_FRACTION)


def is_installed() -> bool:
    """Return whether the packages of the embedded engine are there."""
    return all(find_spec(name) is not None for name in ("pysail", "grpc", "pyspark"))


def classic_fault() -> str:
    """Return why a classic session can't start, and the fix; empty if PySpark's classic part and Java are there."""
    if find_spec("py4j") is None:
        return f"pyspark is not installed; run {install_line('spark')}"
    return java_problem()


def _default_master() -> bool:
    folder = os.environ.get("SPARK_CONF_DIR")
    return folder is not None and "spark.master" in read_properties(Path(folder) / "spark-defaults.conf")
