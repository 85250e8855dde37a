"""The Java that Spark takes: where it is, how old it is, and how to mend it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import SparkDeidError, UsageError

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


# The classes of Spark, laid out once for a Java and an installation: sessions then start with much less work.
#
# Java maps such an archive (class data sharing, JEP 350) into its memory instead of reading, checking and linking some
# ten thousand classes. It fits one Java and one list of JARs; if it does not fit, Java continues without it.


FOLDER = Path(sys.prefix) / "share" / "spark-deid" / "classes"
"""Folder of archives: in the Python installation, to whose JARs they belong."""
RECORD = "SPARK_DEID_RECORD_CLASSES"
"""The variable that names the file into which the next session of a process lays out its classes, when it ends."""


def find_archive(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the archive of this installation and of the Java that Spark takes; None if it is missing.

    Its name has its size: Java fails on one that was cut off.
    """
    key = _key(environment)
    found = () if key is None else FOLDER.glob(f"{key}-*.jsa")
    return next((path for path in found if path.name == f"{key}-{path.stat().st_size}.jsa"), None)


def keep_archive(draft: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Put what was laid out in its place, whole or not at all. Raises OSError, and UsageError without a Java."""
    key = _key(environment)
    if key is None:
        raise UsageError("no Java is found; set JAVA_HOME")
    FOLDER.mkdir(parents=True, exist_ok=True)
    copy = FOLDER / f".{key}.{os.getpid()}"
    try:
        shutil.copyfile(draft, copy)
        with copy.open("rb+") as file:
            os.fsync(file.fileno())
        copy.replace(FOLDER / f"{key}-{copy.stat().st_size}.jsa")
    finally:
        copy.unlink(missing_ok=True)


def archive_options(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the options by which a Java takes its classes from the archive, or lays them out; none without one."""
    if recorded := environment.get(RECORD):
        return (f'"-XX:ArchiveClassesAtExit={recorded}"',)
    path = find_archive(environment)
    if path is None:
        return ()
    # Java ignores an archive of other JARs, without a message on the screen.
    return (f'"-XX:SharedArchiveFile={path}"', "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr")


def _key(environment: Mapping[str, str]) -> str | None:
    """Return what an archive is of: the Java that Spark takes, and Spark's version; None without either."""
    java = find_java(environment)
    if java is None:
        return None
    release = Path(os.path.realpath(java)).parent.parent / "release"
    try:
        message = f"{release}\n{release.read_text(encoding='utf-8')}\n{version('pyspark')}"
    except (OSError, ValueError, PackageNotFoundError):
        return None
    return hashlib.sha256(message.encode()).hexdigest()[:32]
