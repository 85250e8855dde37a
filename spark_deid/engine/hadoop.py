"""File systems that a classic session's JVM reaches: HDFS and object stores."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.engine.engines import is_classic
from spark_deid.engine.failures import ENGINE_ERRORS

_S3 = "fs.s3a."
_SECRETS = ("access.key", "secret.key", "session.token")


@dataclass(frozen=True)
class HadoopFolder:
    """A folder on a file system that Spark's JVM reaches (HDFS, an object store)."""

    spark: SparkSession
    address: str

    @property
    def uri(self) -> str:
        """Return the name under which Spark finds the folder."""
        return self.address

    def names(self) -> tuple[str, ...]:
        """List the names in the folder, in order."""
        system, path = self._place("")
        if not system.exists(path):
            return ()
        return tuple(sorted(status.getPath().getName() for status in system.listStatus(path)))

    def make(self) -> None:
        """Make the folder and those above it."""
        system, path = self._place("")
        system.mkdirs(path)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, or None where there is no such file."""
        system, path = self._place(name)
        if not system.exists(path) or system.getFileStatus(path).isDirectory():
            return None
        stream = system.open(path)
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    def write(self, name: str, data: bytes) -> None:
        """Write a file; object stores show it when it is whole."""
        system, path = self._place(name)
        stream = system.create(path, True)
        try:
            stream.write(bytearray(data))
            stream.hsync()
        finally:
            stream.close()

    def remove(self, name: str) -> None:
        """Remove a file, or a folder and all in it."""
        system, path = self._place(name)
        system.delete(path, True)

    def child(self, name: str) -> "HadoopFolder":
        """Return the folder of this name inside this one."""
        return HadoopFolder(self.spark, f"{self.address}/{name}")

    def _place(self, name: str) -> tuple[Any, Any]:
        if not is_classic(self.spark):
            raise UsageError(f"{self.address}: only classic Spark reaches this file system; set engine: spark")
        context: Any = self.spark.sparkContext
        path = context._jvm.org.apache.hadoop.fs.Path(f"{self.address}/{name}" if name else self.address)
        return path.getFileSystem(context._jsc.hadoopConfiguration()), path


def s3_properties(spark: SparkSession, bucket: str) -> Mapping[str, str]:
    """Return Hadoop's settings ``fs.s3a.*`` of a session, without this prefix; none without a classic session.

    Keys that Hadoop keeps in stores of credentials (``hadoop.security.credential.provider.path``) are read as well.
    """
    if not is_classic(spark):
        return {}
    session: Any = spark
    hadoop = session._jsparkSession.sessionState().newHadoopConf()
    found = {str(name): str(value) for name, value in dict(hadoop.getPropsWithPrefix(_S3)).items()}
    for name in (each for secret in _SECRETS for each in (secret, f"bucket.{bucket}.{secret}")):
        secret = hadoop.getPassword(_S3 + name)
        if secret is not None:
            found[name] = "".join(secret)
    return found


@contextmanager
def held_by_jvm(spark: SparkSession, *files: Path) -> Iterator[None]:
    """Let Spark's JVM lock files until the block or the JVM ends: it outlives a killed process by seconds.

    The next holder of the files' folders waits for it. A JVM or a file system that fails at this is skipped, and a
    session without a JVM locks no files.
    """
    channels = []
    for file in files if is_classic(spark) else ():
        context: Any = spark.sparkContext
        with suppress(*ENGINE_ERRORS):
            channels.append(context._jvm.java.io.RandomAccessFile(str(file), "rw").getChannel())
            channels[-1].tryLock()
    try:
        yield
    finally:
        for channel in channels:
            with suppress(*ENGINE_ERRORS, OSError):
                channel.close()
