"""Delta's two JARs: of a package or fetched once, kept in a cache, checked by their sha256 at every use.

Only these two are needed beside Spark's own; the rest of what a resolver would pull in doubles Spark's libraries.
"""

import hashlib
import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.errors import SparkDeidError

MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
FETCH_COMMAND = f"{sys.executable} -m spark_deid.engine.jars"
JAR_PACKAGE = "spark_deid_jars"
"""The package of the extra ``jars``, which provides the JARs of every Spark, so that nothing is fetched."""


class MavenJar(NamedTuple):
    """One pinned file of a Maven repository."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """Name the file as Maven does."""
        return f"{self.artifact}-{self.version}.jar"

    @property
    def path(self) -> str:
        """Give the path under a repository's base address."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file_name}"


DELTA = "4.4.0"
"""The one version of Delta, for every Spark: its JARs and its Python package, which belongs to all of these."""
SPARKS: Mapping[str, str] = MappingProxyType(
    {
        "4.0": "49e899667168b9412f83cbe894ce264107d7b896d6c5e12edca4e216845c1104",
        "4.1": "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
        "4.2": "27d4fd8b1f879535c573ed1c718177d6a27f24d3e626ba02e216369725721ead",
    }
)
"""Minor versions of Spark, each with the sha256 of the JAR that Delta has for it."""
_STORAGE = MavenJar(
    "io.delta", "delta-storage", DELTA, "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc"
)


def jars_for(spark: str) -> tuple[MavenJar, ...]:
    """Return Delta's JARs for a version of Spark; raise SparkDeidError for one that none are pinned for.

    >>> [jar.file_name for jar in jars_for("4.1.1")]
    ['delta-spark_4.1_2.13-4.4.0.jar', 'delta-storage-4.4.0.jar']
    """
    minor = ".".join(spark.split(".")[:2])
    if minor not in SPARKS:
        raise SparkDeidError(f"pyspark {spark}: expected one of {', '.join(SPARKS)}; pip install 'pyspark~=4.2.0'")
    return MavenJar("io.delta", f"delta-spark_{minor}_2.13", DELTA, SPARKS[minor]), _STORAGE


def pinned_jars() -> tuple[MavenJar, ...]:
    """Return every JAR that is pinned: Delta's for each Spark, and the one that they share."""
    return (*(jars_for(minor)[0] for minor in SPARKS), _STORAGE)


def delta_jars() -> tuple[MavenJar, ...]:
    """Return Delta's JARs for the Spark that Python imports; raise SparkDeidError where none are pinned for it.

    The module is asked, since Spark's own folder of Python has no metadata of a package.
    """
    try:
        import pyspark
    except ImportError as error:
        raise SparkDeidError("pyspark can't be imported; pip install 'pyspark~=4.2.0'") from error
    return jars_for(pyspark.__version__)


def jar_folders(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """List the folders in which the JARs are looked for: that of the package that brings them, then those of caches.

    ``SPARK_DEID_JARS`` is the only one where it is set.
    """
    if environment.get("SPARK_DEID_JARS"):
        return cache_folders(environment)
    package = find_spec(JAR_PACKAGE)
    provided = () if package is None else package.submodule_search_locations or ()
    return (*(Path(folder) / "jars" for folder in provided), *cache_folders(environment))


def cache_folders(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """List the folders into which JARs may be fetched, the preferred one first.

    ``SPARK_DEID_JARS`` is the only one where it is set; else the user's cache, then a folder of the Python
    installation, which serves where the home is missing or can't be written.
    """
    if named := environment.get("SPARK_DEID_JARS"):
        return (Path(named).expanduser().absolute(),)
    installation = Path(sys.prefix) / "share" / "spark-deid" / "jars"
    home = environment.get("HOME") or os.path.expanduser("~")
    if not os.path.isabs(home):
        return (installation,)
    return (Path(home) / ".cache" / "spark-deid" / "jars", installation)


def find_jars(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Find the JARs, each with the pinned checksum; raise SparkDeidError where one is missing or differs."""
    folders, jars = jar_folders(environment), delta_jars()
    for folder in folders:
        paths = tuple(folder / jar.file_name for jar in jars)
        if all(is_intact(path, jar) for path, jar in zip(paths, jars, strict=True)):
            return paths
    looked = " or ".join(map(str, folders))
    raise SparkDeidError(
        f"Delta's JARs are not in {looked}, or their checksums differ; fetch them once, with network: {FETCH_COMMAND}, "
        "or install the package spark-deid-jars, which has them"
    )


def provide_jars(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the JARs; where they are missing or damaged they are fetched, once. Raises SparkDeidError."""
    try:
        return find_jars(environment)
    except SparkDeidError:
        return fetch_jars(environment)


def are_cached(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether all JARs are there, without reading them: those of a use are checked whole."""
    folders, jars = jar_folders(environment), delta_jars()
    return any(all((folder / jar.file_name).is_file() for jar in jars) for folder in folders)


def is_intact(path: Path, jar: MavenJar) -> bool:
    """Return whether a file is there and has the pinned checksum."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


def fetch_jars(environment: Mapping[str, str] = os.environ, *, timeout: float = 60.0) -> tuple[Path, ...]:
    """Download what this Spark lacks into the first folder that can be written, and return the paths of its JARs.

    See ``keep_jars``.
    """
    return keep_jars(delta_jars(), environment, timeout=timeout)


def keep_jars(
    jars: Sequence[MavenJar], environment: Mapping[str, str] = os.environ, *, timeout: float = 60.0
) -> tuple[Path, ...]:
    """Download those of these JARs that are missing into the first folder that can be written; return their paths.

    The base address is Maven Central's, or ``SPARK_DEID_MAVEN``. A file appears under its name only when it is
    whole and its checksum is right. ``timeout`` is in seconds, for each wait on the network.
    """
    base = environment.get("SPARK_DEID_MAVEN", MAVEN_CENTRAL).rstrip("/")
    folders = cache_folders(environment)
    for folder in folders:
        missing = tuple(jar for jar in jars if not is_intact(folder / jar.file_name, jar))
        if all(
            _keep(folder / jar.file_name, partial(_download, f"{base}/{jar.path}", jar, timeout)) for jar in missing
        ):
            return tuple(folder / jar.file_name for jar in jars)
    tried = " or ".join(map(str, folders))
    raise SparkDeidError(f"can't write to {tried}: set SPARK_DEID_JARS to a folder that can be written")


def _keep(target: Path, download: Callable[[], bytes]) -> bool:
    """Write a file whole or not at all; state whether its folder takes it, before anything is downloaded."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            content = download()
            file.write(content)
        os.chmod(part, 0o644)
        os.replace(part, target)
    except OSError:
        return False
    finally:
        Path(part).unlink(missing_ok=True)
    return True


def _download(url: str, jar: MavenJar, timeout: float) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            content = bytes(response.read())
    except (OSError, ValueError, HTTPException) as error:
        raise SparkDeidError(
            f"can't fetch {url} ({error}); check the network, or set SPARK_DEID_MAVEN to a mirror of Maven Central, "
            "or copy the file into a folder named by SPARK_DEID_JARS, or install the package spark-deid-jars"
        ) from error
    if hashlib.sha256(content).hexdigest() != jar.sha256:
        raise SparkDeidError(f"{url}: the file's sha256 is not the pinned {jar.sha256}; nothing was kept")
    return content


def main(arguments: Sequence[str] = ()) -> int:
    """Fetch what lacks of the JARs, or with ``--check`` only look for them; say where they are, and return 0 or 1."""
    try:
        paths = find_jars() if "--check" in arguments else provide_jars()
    except SparkDeidError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"Delta's JARs are in {paths[0].parent}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
