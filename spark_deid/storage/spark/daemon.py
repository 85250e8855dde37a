"""The process from which Spark forks a machine's Python workers; nothing that a worker prints is seen.

Detectors, and libraries below them, warn of the texts at hand, and Spark would show that on the driver's terminal and
in the logs of executors. Errors take another way: their types reach the driver, without values. What this process
itself has to say, such as that Spark hung up while it forked, comes when all is done and is of no use.
"""

from collections.abc import Callable
from socket import socket

from pyspark import daemon

from spark_deid.storage.streams import silence

Worker = Callable[[socket, bool], int]


def silenced(worker: Worker) -> Worker:
    """Return a worker whose standard output and standard error lead nowhere."""

    def run(connection: socket, authenticated: bool) -> int:
        silence()
        return worker(connection, authenticated)

    return run


if __name__ == "__main__":
    vars(daemon)["worker"] = silenced(daemon.worker)
    silence(2)  # standard output tells Spark where to call
    daemon.manager()
