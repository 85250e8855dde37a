"""The classes of Spark, laid out once for a Java and an installation: sessions then start with much less work.

Java maps such an archive (class data sharing, JEP 350) into its memory in place of reading, checking and linking some
ten thousand classes. It fits one Java and one list of JARs; where it does not, Java goes on without it.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.engine.java import find_java

FOLDER = Path(sys.prefix) / "share" / "spark-deid" / "classes"
"""Where archives lie: with the Python installation, whose JARs they are of."""
RECORD = "SPARK_DEID_RECORD_CLASSES"
"""The variable that names the file into which the next session of a process lays out its classes, when it ends."""


def find_archive(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the archive of this installation and of the Java that Spark takes; None where there is none.

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
    # An archive of other JARs is passed over, without a word on the screen.
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
