"""A process of another user that connects to every new listener on the loopback interface and runs code there.

Run as ``stranger.py watch``: it writes "ready" when it watches, then what it reached, a line per event.
Run as ``stranger.py take PORT``: it tries to listen on a port that another process uses.
"""

import os
import socket
import sys
import threading
import time
from pathlib import Path

NOBODY = 65534
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
PING_VALUE = b"12345678"
PING = b"\0\0\x08\6\0\0\0\0\0" + PING_VALUE


def listeners() -> set[int]:
    """Read the ports on which something listens."""
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return {int(fields[1].rpartition(":")[2], 16) for fields in lines if fields[3] == "0A"}


def reach(port: int) -> socket.socket | None:
    """Connect and greet as gRPC does; None if nothing answers."""
    stranger = socket.socket()
    stranger.settimeout(2)
    try:
        stranger.connect(("127.0.0.1", port))
        stranger.sendall(HELLO)
        return stranger if stranger.recv(100) else None
    except OSError:
        return None


def answers(stranger: socket.socket) -> bool:
    """Ask the server for a sign of life. Ignore bytes that it sent before the question."""
    said = b""
    try:
        stranger.sendall(PING)
        while PING_VALUE not in said:
            received = stranger.recv(100)
            if not received:
                return False
            said += received
    except OSError:
        return False
    return True


def watch() -> None:
    """Connect to each new listener at once, and ask a second later whether the connection still answers."""
    before = listeners()
    print("ready", flush=True)
    while True:
        for port in listeners() - before:
            before.add(port)
            threading.Thread(target=follow, args=(port,), daemon=True).start()


def follow(port: int) -> None:
    """Print the events of a connection to a port."""
    stranger = reach(port)
    print(port, "reached" if stranger else "refused", flush=True)
    if stranger is not None:
        time.sleep(1)
        print(port, "answers" if answers(stranger) else "is cut", flush=True)


def take(port: int) -> None:
    """Listen on a port, with every option that lets two sockets share one."""
    for family, place in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, ""), (socket.AF_INET6, "::")):
        for options in ((), (socket.SO_REUSEADDR,), (socket.SO_REUSEADDR, socket.SO_REUSEPORT)):
            taken = socket.socket(family)
            for option in options:
                taken.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                taken.bind((place, port))
                taken.listen()
                print("taken", flush=True)
            except OSError:
                print("refused", flush=True)
    print("reached" if reach(port) else "refused", flush=True)


def main() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if sys.argv[1] == "take":
        take(int(sys.argv[2]))
    else:
        watch()


if __name__ == "__main__":
    main()
