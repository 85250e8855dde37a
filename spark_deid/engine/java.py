"""The Java that Spark takes: where it is, how old it is, and how to mend it."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import SparkDeidError

OLDEST_JAVA = 17
INSTALL = "install Java 17 or later, for example: apt-get install openjdk-17-jre-headless"


class JavaFault(NamedTuple):
    """What is wrong with a Java, and how to mend it."""

    found: str
    remedy: str


def find_java(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of the Java that Spark will take: JAVA_HOME's, else the first of the PATH; None without one."""
    if home := environment.get("JAVA_HOME"):
        return str(Path(home) / "bin" / "java")
    return shutil.which("java", path=environment.get("PATH"))


def java_version(java: str) -> int | None:
    """Return the major version of a Java that it tells when it is asked; None where it does not run."""
    match = re.search(r'version "(?:1\.)?(\d+)', _version_output(java))
    return int(match[1]) if match else None


def installed_version(java: str) -> int | None:
    """Return the major version of a Java by the file beside it, without starting it; None where that can't be read."""
    if not os.access(java, os.X_OK):
        return None
    release_file = Path(os.path.realpath(java)).parent.parent / "release"
    try:
        message = release_file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', message, re.MULTILINE)
    return int(match[1]) if match else None


def java_fault(environment: Mapping[str, str] = os.environ, *, starts: bool = False) -> JavaFault | None:
    """Return what is wrong with the Java that Spark will take; None where nothing is.

    It is asked for its version where it ``starts``, or where no file beside it tells.
    """
    java = find_java(environment)
    if java is None:
        return JavaFault("none", INSTALL)
    found = (None if starts else installed_version(java)) or java_version(java)
    if found is None:
        return JavaFault(f"{java} does not run", f"set JAVA_HOME right or unset it; {INSTALL}")
    if found < OLDEST_JAVA:
        return JavaFault(f"{found} at {java}", f"{INSTALL}, and set JAVA_HOME to it")
    return None


def check_java(environment: Mapping[str, str] = os.environ) -> None:
    """Check the Java that Spark uses, before its scripts do. Raises SparkDeidError."""
    if problem := java_problem(environment):
        raise SparkDeidError(problem)


def java_problem(environment: Mapping[str, str] = os.environ) -> str:
    """Return what is wrong with the Java that Spark uses, and the fix; empty if no fault is known.

    A ``spark-env.sh`` may name another Java, so it hides every fault.
    """
    folders = (environment.get("SPARK_CONF_DIR"), f"{environment.get('SPARK_HOME', '')}/conf")
    if any(folder and Path(folder, "spark-env.sh").is_file() for folder in folders):
        return ""
    fault = java_fault(environment)
    return f"Java: {fault.found}; {fault.remedy}" if fault else ""


def _version_output(java: str) -> str:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stderr.decode("utf-8", "replace")
