"""A private folder for the temporary files of an embedded engine; the next run removes those of killed runs."""

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from spark_deid.core.errors import SparkDeidError

_PREFIX = "spark-deid-engine-"
_LOCK = ".lock"
_UNLOCKED_SECONDS = 60.0
"""Age from which a folder without a lock file is one that a killed run left."""


class PrivateFolder:
    """A folder that only its owner can enter, locked while this process lives."""

    def __init__(self, place: Path) -> None:
        """Make a folder below ``place``, and remove those that killed runs left there; raises SparkDeidError."""
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            _remove_orphans(place)
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with suppress(OSError):  # on a file system without locks, age decides
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SparkDeidError(
                f"{error.filename}: no private folder can be made for the engine's temporary files "
                f"({error.strerror}); set TMPDIR to a folder that can be written to"
            ) from None

    def child(self, name: str) -> Path:
        """Return a private folder inside, new or not."""
        path = self.path / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def remove(self) -> None:
        """Remove the folder and its lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _remove_orphans(place: Path) -> None:
    """Remove this user's folders that no living process holds."""
    for path in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            status = path.lstat()
            if status.st_uid == os.geteuid() and path.is_dir() and not path.is_symlink() and _is_orphan(path, status):
                shutil.rmtree(path, ignore_errors=True)


def _is_orphan(path: Path, status: os.stat_result) -> bool:
    """Return whether the process that made a folder has ended."""
    try:
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return time.time() - status.st_mtime > _UNLOCKED_SECONDS
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
