"""The process from which Spark forks a machine's Python workers; nothing that a worker prints is seen.

Detectors, and libraries below them, warn of the texts at hand, and Spark would show that on the driver's terminal and
in the logs of executors. Errors take another way: their types reach the driver, without values. What this process
itself has to say, such as that Spark hung up while it forked, comes when all is done and is of no use.

Spark looks for garbage between two tasks, in all that a worker holds: its modules above all, which take longer than a
small task. What is there after a task is looked through once in a while, not each time.
"""

import gc
from collections.abc import Callable
from itertools import count
from socket import socket

from spark_deid.engine.archives import leave_archives
from spark_deid.engine.streams import silence

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
