"""The packages of engines that are installed: which are missing, and which overwrite each other."""

import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from spark_deid.core.errors import UsageError

PACKAGE = "spark-deid"
CLASSIC, CLIENT, DELTA, SAIL = "pyspark", "pyspark-client", "delta-spark", "pysail"
_EXTRA = re.compile(r"(?P<needed>[^;]+?)\s*;.*\bextra\s*==\s*[\"'](?P<extra>[\w-]+)[\"']")


def installed_version(name: str) -> str | None:
    """Return the version of an installed package, None if it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def install_line(extra: str) -> str:
    """Return the command that installs the packages of an extra, for a checkout and for a wheel."""
    found = [match for each in requires(PACKAGE) or () if (match := _EXTRA.fullmatch(each))]
    needed = [f"'{match['needed'].strip()}'" for match in found if match["extra"] == extra]
    return f"{sys.executable} -m pip install {' '.join(needed)}"


def missing_engine() -> str:
    """Describe what to install if no engine is there."""
    return (
        "no engine is installed. Files and DataFrames need one. Without Java: "
        f"{install_line('local')}. With Java 17 or later: {install_line('spark')}"
    )


def mixed_installation() -> str | None:
    """Describe the cure if two packages own the folder ``pyspark``, None if at most one does."""
    found = [f"{name} {number}" for name in (CLASSIC, CLIENT) if (number := installed_version(name)) is not None]
    if len(found) < 2:
        return None
    return (
        f"{' and '.join(found)} are both installed and overwrite each other's files. Uninstall both "
        f"({sys.executable} -m pip uninstall -y {CLASSIC} {CLIENT}), then install one again: {install_line('spark')}, "
        f"or {install_line('local')}"
    )


def check_installation() -> None:
    """Refuse an installation in which packages overwrite each other; raises UsageError, which names the cure."""
    fault = mixed_installation()
    if fault is not None:
        raise UsageError(fault)
