"""What is wrong with a machine, and how to mend it."""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import psutil

from spark_deid.anonymity.models import MODELS
from spark_deid.anonymity.recodings import RECODINGS
from spark_deid.core.errors import SparkDeidError
from spark_deid.corpus.formats import FORMATS
from spark_deid.detection.registry import DETECTORS
from spark_deid.detection.token_classification.shipped import TOKEN_CLASSIFIERS
from spark_deid.engine.installed import (
    CLASSIC,
    CLIENT,
    PACKAGE,
    SAIL,
    install_line,
    installed_version,
    missing_engine,
    mixed_installation,
)
from spark_deid.engine.installed import DELTA as DELTA_PACKAGE
from spark_deid.engine.jars import DELTA, FETCH_COMMAND, SPARKS, find_jars
from spark_deid.engine.java import find_java, java_fault, java_version
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.learners.registry import LEARNERS
from spark_deid.report.sections import REPORT_SECTIONS
from spark_deid.rewriting.registry import TECHNIQUES

Level = Literal["ok", "warn", "fail"]

OLDEST_PYTHON = (3, 11)
ENGINE_PACKAGES = (CLASSIC, CLIENT, DELTA_PACKAGE, SAIL)
NEEDED = ("numpy", "numba", "pandas", "pyarrow", "sklearn-crfsuite", "python-crfsuite", "pydantic")
MEMORY_WANTED = 4 << 30
DISK_WANTED = 5 << 30


class DoctorFinding(NamedTuple):
    """The result of one check: what was found, and, where it is not well, how to mend it."""

    level: Level
    check: str
    found: str
    remedy: str = ""


def check_python(found: tuple[int, int, int] = sys.version_info[:3]) -> DoctorFinding:
    """Check the version of this Python."""
    version = ".".join(map(str, found))
    if found[:2] >= OLDEST_PYTHON:
        return DoctorFinding("ok", "Python", version)
    return DoctorFinding("fail", "Python", version, "install Python 3.11 or later, and make a new environment")


def check_java(environment: Mapping[str, str] = os.environ) -> DoctorFinding:
    """Start the Java that Spark will take and check its version: JAVA_HOME's, else the first of the PATH."""
    fault = java_fault(environment, starts=True)
    if fault is not None:
        return DoctorFinding("fail", "Java", fault.found, fault.remedy)
    java = find_java(environment) or ""
    return DoctorFinding("ok", "Java", f"{java_version(java)} at {java}")


def check_jars(environment: Mapping[str, str] = os.environ) -> DoctorFinding:
    """Check that Delta's JARs are cached and whole."""
    try:
        return DoctorFinding("ok", "Delta's JARs", str(find_jars(environment)[0].parent))
    except SparkDeidError:
        remedy = f"the first run downloads them. To download them now, run {FETCH_COMMAND}"
        return DoctorFinding("warn", "Delta's JARs", "missing or damaged", remedy)


def check_packages() -> DoctorFinding:
    """Check that what the program needs is installed, and one engine, in versions that fit each other."""
    missing = [name for name in NEEDED if installed_version(name) is None]
    if missing:
        remedy = f"{sys.executable} -m pip install {PACKAGE}, or ./dev setup in the project"
        return DoctorFinding("fail", "Packages", f"missing: {', '.join(missing)}", remedy)
    classic, client, delta, sail = (installed_version(name) for name in ENGINE_PACKAGES)
    installed = zip(ENGINE_PACKAGES, (classic, client, delta, sail), strict=True)
    message = ", ".join(f"{name} {found}" for name, found in installed if found is not None)
    if classic is not None and client is not None:
        return DoctorFinding("fail", "Packages", message, mixed_installation() or "")
    if classic is None and client is None:
        return DoctorFinding("fail", "Packages", "no engine", missing_engine())
    if classic is None and sail is None:
        return DoctorFinding("warn", "Packages", f"{message}, no embedded engine", install_line("local"))
    if classic is not None and (delta != DELTA or not any(classic.startswith(f"{minor}.") for minor in SPARKS)):
        expected = f"{message} (not {', '.join(SPARKS)} with {DELTA})"
        return DoctorFinding("warn", "Packages", expected, install_line("spark"))
    return DoctorFinding("ok", "Packages", message)


def check_methods() -> DoctorFinding:
    """Check that what other packages bring can be loaded, and that no two bring the same."""
    methods = (DETECTORS, TECHNIQUES, GUARANTEES, LEARNERS, FORMATS, REPORT_SECTIONS, MODELS, RECODINGS)
    registries = (*methods, TOKEN_CLASSIFIERS)
    faults = [fault for registry in registries for fault in registry.faults()]
    count = sum(len(registry.installed()) for registry in registries)
    if faults:
        return DoctorFinding(
            "warn", "Methods of other packages", "; ".join(faults), "update or uninstall those packages"
        )
    return DoctorFinding("ok", "Methods of other packages", str(count))


def check_memory() -> DoctorFinding:
    """Check that a driver and its Python workers find room."""
    available = psutil.virtual_memory().available
    if available >= MEMORY_WANTED:
        return DoctorFinding("ok", "Memory", f"{_gib(available)} free")
    return DoctorFinding(
        "warn", "Memory", f"{_gib(available)} free", "4 GiB or more. SPARK_DRIVER_MEMORY=1g reduces the need"
    )


def check_disk(folder: Path | None = None) -> DoctorFinding:
    """Check the space where temporary files go."""
    place = folder or Path(tempfile.gettempdir())
    free = shutil.disk_usage(place).free
    if free >= DISK_WANTED:
        return DoctorFinding("ok", "Disk", f"{_gib(free)} free at {place}")
    return DoctorFinding("warn", "Disk", f"{_gib(free)} free at {place}", "set TMPDIR to a place with 5 GiB or more")


def check_temporary_folder() -> DoctorFinding:
    """Check that temporary files can be written."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "file").write_bytes(b"x")
    except OSError as error:
        return DoctorFinding("fail", "Temporary files", str(error.strerror), "set TMPDIR to a writable folder")
    return DoctorFinding("ok", "Temporary files", tempfile.gettempdir())


def check_loopback() -> DoctorFinding:
    """Check that a program can talk to itself, as Spark's parts do, and that this machine's name has an address."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
            pass
    except OSError as error:
        return DoctorFinding("fail", "Loopback", f"127.0.0.1: {error.strerror}", "start the loopback interface")
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        return DoctorFinding(
            "warn", "Loopback", "this machine's name has no address", "export SPARK_LOCAL_IP=127.0.0.1"
        )
    return DoctorFinding("ok", "Loopback", "127.0.0.1")


def _gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"
