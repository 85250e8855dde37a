"""Exclusive locks on folders; they die with their process."""

import errno
import fcntl
import json
import logging
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from spark_deid.core.errors import SparkDeidError

JVM_SECONDS = 60.0
"""How long a folder waits for the JVM of a killed run; it ends separately in a few seconds."""

_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}")
"""Names of machines: the writer of a lock file could write anything into messages by another."""
_LOG = logging.getLogger(__name__)
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


class LockedError(SparkDeidError):
    """A folder that another process works in."""


def lock_path(folder: Path) -> Path:
    """Return the lock file of a folder: hidden, and beside it, so that the folder itself holds nothing odd.

    >>> lock_path(Path("/data/release"))
    PosixPath('/data/.release.lock')
    """
    return folder.with_name(f".{folder.name}.lock")


@contextmanager
def hold_surely(folder: Path) -> Iterator[None]:
    """Hold the exclusive lock of one folder, as ``hold`` does, only on a file system that has locks.

    Raises LockedError also where the file system has no locks.
    """
    with _hold_one(Path(os.path.realpath(folder)), needs_locks=True):
        yield


@contextmanager
def hold(*folders: Path) -> Iterator[None]:
    """Hold exclusive locks on folders, all or none; no one waits for a living holder.

    The locks end with the block or the process, however it ends; a lock file that a killed process left behind locks
    nothing, but its JVM is waited for, up to JVM_SECONDS. On a file system without locks a warning is logged and the
    folders are not protected.

    Raises LockedError, which names the process that holds a folder, and SparkDeidError where no lock file can be made.
    """
    with ExitStack() as stack:
        for folder in dict.fromkeys(Path(os.path.realpath(folder)) for folder in folders):
            stack.enter_context(_hold_one(folder))
        yield


def jvm_lock_path(folder: Path) -> Path:
    """Return the file that Spark's JVM locks while it works for the holder of a folder."""
    return folder.with_name(f".{folder.name}.jvm.lock")


def jvm_holds(folder: Path) -> bool:
    """Return whether a JVM holds a folder; its locks are those of ``lockf``, not of ``flock``."""
    try:
        with jvm_lock_path(folder).open("r+b") as stream:
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    return False


def _wait_for_jvm(folder: Path) -> None:
    deadline = time.monotonic() + JVM_SECONDS
    while jvm_holds(folder):
        if time.monotonic() > deadline:
            raise LockedError(
                f"{folder}: Spark's JVM of a killed run still works in this folder; stop that Java process"
            )
        time.sleep(0.1)


@contextmanager
def _hold_one(folder: Path, *, needs_locks: bool = False) -> Iterator[None]:
    path = lock_path(folder)
    descriptor = _acquire(path, folder, needs_locks=needs_locks)
    try:
        _wait_for_jvm(folder)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0)
        yield
    finally:
        if not jvm_holds(folder):
            jvm_lock_path(folder).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path, folder: Path, *, needs_locks: bool) -> int:
    """Open and lock; again where the last holder removed the file between the two."""
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise LockedError(f"{folder}: {holder} works in this folder; wait for it to end, or stop it") from None
        except OSError as error:
            if needs_locks and error.errno in _NO_LOCKS:
                os.close(descriptor)
                raise LockedError(f"{folder}: this file system has no locks. Choose a folder on a local disk") from None
            if error.errno not in _NO_LOCKS:
                os.close(descriptor)
                raise SparkDeidError(f"{path}: can't lock this file ({error.strerror})") from error
            _LOG.warning("%s: this file system has no locks: make sure that no other run uses the folder", folder)
            return descriptor
        if _still_there(descriptor, path):
            return descriptor
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise SparkDeidError(f"{path}: can't make this lock file ({error.strerror})") from error


def _still_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        host = holder["host"]
        named = host if isinstance(host, str) and _HOST.fullmatch(host) else "another machine"
        return f"process {int(holder['pid'])} on {named}"
    except (ValueError, KeyError, TypeError):
        return "another process"
