"""The door of the embedded engine: it closes after this process's own channel is connected.

The engine is a server of Spark Connect on the loopback interface without authentication. Another user of the machine
could run code through it as the user of this process. So the listener is replaced once the channel is connected, the
port remains bound, and connections of other processes are cut.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from pyspark.sql.connect.client import DefaultChannelBuilder

from spark_deid.core.errors import SparkDeidError

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 10.0
_PAUSE_SECONDS = 0.01
"""How long a connection needs at most to appear in this process after the engine accepted it."""
_DESCRIPTORS = Path("/proc/self/fd")
_NO_LIMIT = -1
_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.client_idle_timeout_ms", 2**31 - 1),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", _NO_LIMIT),
    ("grpc.max_send_message_length", _NO_LIMIT),
)


class EngineChannel(DefaultChannelBuilder):
    """The one channel to an embedded engine: connected before the door closes, and never connected again."""

    def __init__(self, port: int) -> None:
        super().__init__(f"sc://{LOOPBACK}:{port}")
        self._channel = grpc.insecure_channel(f"{LOOPBACK}:{port}", options=list(_OPTIONS))

    def wait(self) -> None:
        """Wait until the engine answers; raises SparkDeidError if it doesn't within ``CONNECT_SECONDS``."""
        try:
            grpc.channel_ready_future(self._channel).result(timeout=CONNECT_SECONDS)
        except grpc.FutureTimeoutError:
            raise SparkDeidError(
                f"the embedded engine did not answer within {CONNECT_SECONDS:g} s; try again"
            ) from None

    def toChannel(self) -> grpc.Channel:
        """Return the channel."""
        return self._channel

    def close(self) -> None:
        """Close the channel; the engine can't be reached afterwards."""
        self._channel.close()


def close_door(port: int) -> tuple[socket.socket, int]:
    """Close the listener of a port, cut connections of other processes, and return the number of these.

    The returned socket keeps the port bound: without it, another user could listen there and receive documents if
    the channel was connected again. Keep it as long as the channel. Raises SparkDeidError if the port can't be kept.
    """
    listeners = [descriptor for descriptor, each in _sockets() if _is_listener(each, port)]
    if not listeners:
        raise SparkDeidError("the embedded engine's listener was not found, so it can't be closed; set engine: spark")
    guard = socket.socket(socket.AF_INET)
    try:
        with socket.socket(socket.AF_UNIX) as replacement:
            for descriptor in listeners:
                # The number remains the engine's: it closes it at its end.
                os.dup2(replacement.fileno(), descriptor, inheritable=False)
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        guard.bind((LOOPBACK, port))
        # Linux lets another user bind a port next to a socket that has this option.
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    except OSError as error:
        guard.close()
        raise SparkDeidError(
            f"the port of the embedded engine can't be kept ({error.strerror}): another process took it; try again, "
            "or set engine: spark"
        ) from None
    strangers = _cut_strangers(port)
    time.sleep(_PAUSE_SECONDS)
    return guard, strangers + _cut_strangers(port)


def _cut_strangers(port: int) -> int:
    """Cut connections to a port whose other end is not a socket of this process; return their number."""
    own, served = set(), []
    for descriptor, each in _sockets():
        ends = _ends(each)
        if ends is None:
            continue
        here, there = ends
        if here[1] == port:
            served.append((descriptor, here, there))
        else:
            own.add((here, there))
    strangers = [descriptor for descriptor, here, there in served if (there, here) not in own]
    for descriptor in strangers:
        with socket.socket(fileno=os.dup(descriptor)) as each:
            each.shutdown(socket.SHUT_RDWR)
    return len(strangers)


def _sockets() -> Iterator[tuple[int, socket.socket]]:
    """Give the TCP sockets of this process with their descriptors."""
    for name in os.listdir(_DESCRIPTORS):
        with _duplicate(int(name)) as found:
            if found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
                yield int(name), found


@contextmanager
def _duplicate(descriptor: int) -> Iterator[socket.socket | None]:
    """Give a socket of the same connection; None if the descriptor is closed or no socket."""
    try:
        copy = os.dup(descriptor)
    except OSError:
        yield None
        return
    try:
        found = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        yield None
        return
    with found:
        yield found


def _is_listener(given: socket.socket, port: int) -> bool:
    return bool(given.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)) and given.getsockname()[1] == port


def _ends(given: socket.socket) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Return the addresses of a connection, ours first; None if it is not connected."""
    try:
        return _address(given.getsockname()), _address(given.getpeername())
    except OSError:
        return None


def _address(found: Any) -> tuple[str, int]:
    return str(found[0]).removeprefix("::ffff:"), int(found[1])
