"""Operators: folders that workers read, such as models: those that they see, or archives that Spark sends them."""

from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_STORED, ZipFile

from pyspark.sql import SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.engine.engines import is_classic


class WorkerFolder(NamedTuple):
    """A folder as workers find it: its path, or the name of the archive in which it was sent."""

    path: str
    is_sent: bool = False

    def on_worker(self) -> Path:
        """Return where it lies in this worker."""
        if not self.is_sent:
            return Path(self.path)
        from pyspark import SparkFiles

        return Path(SparkFiles.get(self.path))


def send_folder(spark: SparkSession, folder: Path, name: str) -> WorkerFolder:
    """Send a folder to workers as an archive of its own, once a session; only the owner may read it meanwhile.

    Spark removes the archive at its end; ``name`` tells folders with other files apart.
    """
    if not is_classic(spark):
        raise UsageError(f"{folder}: Spark Connect sends no folders; name a folder that all workers see")
    from pyspark import SparkFiles

    context: Any = spark.sparkContext
    if not any(name in archive for archive in context.listArchives):
        archive = Path(SparkFiles.getRootDirectory()) / f"{name}.zip"
        archive.touch(mode=0o600)
        with ZipFile(archive, "w", ZIP_STORED) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder))
        context.addArchive(f"{archive}#{name}")
    return WorkerFolder(name, is_sent=True)
