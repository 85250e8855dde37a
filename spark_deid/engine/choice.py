"""Which engine carries out a command, and why."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.engine_names import EngineName
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine.engines import EngineKind, is_embedded
from spark_deid.engine.installed import check_installation
from spark_deid.engine.java import INSTALL, java_fault
from spark_deid.engine.machine_memory import available_memory
from spark_deid.engine.session import is_submitted, running_session
from spark_deid.engine.settings import read_properties

MOST_BYTES = 2_000_000_000
"""Bytes of input up to which ``auto`` uses the embedded engine."""
MEMORY_FRACTION = 6
"""The available memory, divided by this, is the largest input of ``auto``."""
INSTALL_EMBEDDED = "pip install 'spark-deid[local]'"


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


def _choose_freely(request: EngineRequest) -> EngineChoice:
    running = running_session()
    if running is not None:
        return EngineChoice(EngineKind.EMBEDDED if is_embedded(running) else EngineKind.CLASSIC, "a session runs")
    if request.master is not None or is_submitted() or os.environ.get("SPARK_REMOTE") or _default_master():
        return EngineChoice(EngineKind.CLASSIC, "a master is set")
    if request.is_remote:
        return EngineChoice(EngineKind.CLASSIC, "the input is remote")
    if request.lacks or not is_installed():
        return EngineChoice(EngineKind.CLASSIC, "the embedded engine lacks a part" if request.lacks else "no pysail")
    if has_classic():
        return EngineChoice(EngineKind.CLASSIC, "Java is installed")
    most = most_bytes()
    if request.size > most:
        raise SparkDeidError(
            f"{request.command}: the input has {request.size:,} bytes, and the embedded engine accepts {most:,} on this"
            f" machine. Large inputs need Spark: {INSTALL}"
        )
    return EngineChoice(EngineKind.EMBEDDED, "no Java is installed")


def most_bytes() -> int:
    """Return the bytes of unpacked input up to which ``auto`` uses the embedded engine on this machine."""
    return min(MOST_BYTES, available_memory() // MEMORY_FRACTION)


def is_installed() -> bool:
    """Return whether the packages of the embedded engine are there."""
    return all(find_spec(name) is not None for name in ("pysail", "grpc", "pyspark"))


def has_classic() -> bool:
    """Return whether a classic session can start: PySpark's classic part and Java."""
    return find_spec("py4j") is not None and java_fault() is None


def _default_master() -> bool:
    folder = os.environ.get("SPARK_CONF_DIR")
    return folder is not None and "spark.master" in read_properties(Path(folder) / "spark-defaults.conf")
