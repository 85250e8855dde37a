"""Operators: folders that workers read, such as models: those that they see, or archives that Spark sends them."""

from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_STORED, ZipFile

from pyspark import SparkContext, SparkFiles


class WorkerFolder(NamedTuple):
    """A folder as workers find it: its path, or the name of the archive in which it was sent."""

    path: str
    is_sent: bool = False

    def on_worker(self) -> Path:
        """Return where it lies in this worker."""
        return Path(SparkFiles.get(self.path) if self.is_sent else self.path)


def send_folder(context: SparkContext, folder: Path, name: str) -> WorkerFolder:
    """Send a folder to workers as an archive of its own, once a session; only the owner may read it meanwhile.

    Spark removes the archive at its end; ``name`` tells folders with other files apart.
    """
    if not any(name in archive for archive in context.listArchives):
        archive = Path(SparkFiles.getRootDirectory()) / f"{name}.zip"
        archive.touch(mode=0o600)
        with ZipFile(archive, "w", ZIP_STORED) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder))
        context.addArchive(f"{archive}#{name}")
    return WorkerFolder(name, is_sent=True)
