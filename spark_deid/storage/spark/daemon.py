"""The process from which Spark forks a machine's Python workers; nothing that a worker prints is seen.

Detectors, and libraries below them, warn of the texts at hand, and Spark would show that on the driver's terminal and
in the logs of executors. Errors take another way: their types reach the driver, without values.
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
    daemon.manager()
