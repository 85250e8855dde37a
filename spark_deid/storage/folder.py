"""Folders that hold a workspace or a release: on local paths, or everywhere Spark can write."""

import errno
import hashlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.hashing import file_sha256
from spark_deid.storage.files import is_remote, local_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTIAL = ".part"
_ATTEMPTS = 20


class StorageFolder(Protocol):
    """A folder on any file system."""

    @property
    def uri(self) -> str:
        """Return the name under which Spark finds the folder."""
        ...

    def names(self) -> tuple[str, ...]:
        """List what is in the folder, in order of name; nothing where the folder does not exist."""
        ...

    def make(self) -> None:
        """Make the folder and those above it."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, or None where there is no such file."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file that is whole, or absent; it is on disk when this returns."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, or a folder and all in it; links are not followed."""
        ...

    def child(self, name: str) -> "StorageFolder":
        """Return the folder of this name inside this one; the name may hold slashes."""
        ...


def file_digest(folder: StorageFolder, name: str) -> str:
    """Return the sha256 of a file of a folder; raises SparkDeidError if it is missing."""
    if isinstance(folder, LocalFolder) and (folder.path / name).is_file():
        return file_sha256(folder.path / name)
    content = folder.read(name)
    if content is None:
        raise SparkDeidError(f"{folder.uri}: {name} is missing")
    return hashlib.sha256(content).hexdigest()


def real_path(path: str | Path) -> Path:
    """Return a local path or ``file:`` URI as an absolute path without symbolic links."""
    return Path(os.path.realpath(local_path(str(path))))


def folder_at(path: str | Path, spark: "SparkSession | None" = None) -> StorageFolder:
    """Return the folder of a path; a remote one needs a session, whose credentials it uses.

    Raises UsageError for a remote path without a session.
    """
    if not is_remote(str(path)):
        return LocalFolder(real_path(path))
    if spark is None:
        raise UsageError(f"{path}: a path on another file system needs a Spark session")
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.engine.hadoop import HadoopFolder

    return HadoopFolder(spark, str(path).rstrip("/"))


@dataclass(frozen=True)
class LocalFolder:
    """A folder on a local or mounted file system."""

    path: Path

    @property
    def uri(self) -> str:
        """Return the name under which Spark finds the folder."""
        # Hadoop takes a URI's path as it occurs, without percent signs.
        return f"file://{self.path}"

    def names(self) -> tuple[str, ...]:
        """List what is in the folder, in order of name."""
        try:
            return tuple(sorted(os.listdir(self.path)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise SparkDeidError(f"{self.path}: can't read this folder ({error.strerror})") from error

    def make(self) -> None:
        """Make the folder and those above it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SparkDeidError(f"{self.path}: can't make this folder ({error.strerror})") from error

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, or None where there is no such file."""
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SparkDeidError(f"{self.path / name}: can't read this file ({error.strerror})") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file that is whole, or absent."""
        target = self.path / name
        partial = target.with_name(target.name + PARTIAL)
        try:
            with partial.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(target)
            _sync_folder(target.parent)
        except OSError as error:
            raise SparkDeidError(f"{target}: can't write this file ({error.strerror})") from error

    def remove(self, name: str) -> None:
        """Remove a file, or a folder and all in it."""
        target = self.path / name
        try:
            if target.is_dir() and not target.is_symlink():
                _remove_tree(target)
            else:
                target.unlink(missing_ok=True)
        except OSError as error:
            raise SparkDeidError(f"{target}: can't remove this ({error.strerror})") from error

    def child(self, name: str) -> "LocalFolder":
        """Return the folder of this name inside this one."""
        return LocalFolder(self.path / name)


def _remove_tree(path: Path) -> None:
    """Remove a folder in which a JVM that is about to end may still remove or write separate files."""
    for _ in range(_ATTEMPTS):
        try:
            shutil.rmtree(path)
            return
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise
        if not path.exists():
            return
        time.sleep(0.05)
    shutil.rmtree(path)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
