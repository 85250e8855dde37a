"""The process from which Spark forks a machine's Python workers; nothing that a worker prints is seen.

Detectors, and libraries below them, warn of the texts at hand, and Spark would show that on the driver's terminal and
in the logs of executors. Errors take another way: their types reach the driver, without values. What this process
itself has to say, such as that Spark hung up while it forked, comes when all is done and is of no use.

Spark looks for garbage between two tasks, in all that a worker holds: its modules above all, which take longer than a
small task. What is there after a task is looked through once in a while, not each time.
"""

import gc
import re
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from socket import socket

from spark_deid.engine.streams import silence

# Archives that Spark puts first on a worker's search path, although their content is installed next to them.
#
# Python compiles a module that it imports from an archive in every process, and reads the archive's whole list of
# files again for every task; installed modules are compiled once.


_PY4J = re.compile(r"(py4j-.+)-src\.zip")


def leave_archives() -> None:
    """Take Spark's archives off the search path where the same version is installed; else leave them where they are."""
    for entry in [entry for entry in sys.path if entry.endswith((".zip", ".jar"))]:
        if _is_installed(Path(entry)):
            sys.path.remove(entry)
            sys.path_importer_cache.pop(entry, None)


def _is_installed(archive: Path) -> bool:
    """Return whether an archive belongs to an installed package of Spark that can be imported without it."""
    home = next((each for each in archive.parents if each.name == "pyspark"), None)
    if home is None or not (home / "__init__.py").is_file() or str(home.parent) not in sys.path:
        return False
    if found := _PY4J.fullmatch(archive.name):
        return (home.parent / f"{found[1]}.dist-info").is_dir() and (home.parent / "py4j").is_dir()
    return archive.name == "pyspark.zip" or archive.suffix == ".jar"


Worker = Callable[[socket, bool], int]
SETTLED_TASKS = 64
"""After how many tasks all that a worker holds is looked through for garbage."""


def silence_worker(worker: Worker) -> Worker:
    """Return a worker whose standard output and standard error lead nowhere."""

    def run(connection: socket, authenticated: bool) -> int:
        silence()
        return worker(connection, authenticated)

    return run


def settle_worker(worker: Worker, *, every: int = SETTLED_TASKS) -> Worker:
    """Return a worker that keeps what lasts beyond a task from the search for garbage, ``every`` so many tasks apart.

    What became garbage since is found then.
    """
    tasks = count(1)

    def run(connection: socket, authenticated: bool) -> int:
        try:
            return worker(connection, authenticated)
        finally:
            if next(tasks) % every == 0:
                gc.unfreeze()
            gc.collect()
            gc.freeze()

    return run


if __name__ == "__main__":
    leave_archives()
    from pyspark import daemon

    vars(daemon)["worker"] = silence_worker(settle_worker(daemon.worker))
    silence(2)  # standard output tells Spark where to call
    daemon.manager()
