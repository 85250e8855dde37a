"""The port of the embedded engine: another user of the machine connects to it, early and late, or takes it over."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STRANGER = str(Path(__file__).with_name("stranger.py"))
VICTIM = """
import sys, time
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine import closed_door, embedded
close, ports = closed_door.close_door, []
def close_later(port):
    ports.append(port)
    time.sleep(float(sys.argv[1]))
    return close(port)
closed_door.close_door = close_later
try:
    spark = embedded.start_embedded()
except SparkDeidError as error:
    print(ports[0], "refused:", error, flush=True)
    sys.exit(1)
print(ports[0], "started", flush=True)
sys.stdin.readline()
print("count", spark.range(3).count(), flush=True)
"""


@contextmanager
def process(*command: str, stdin: int | None = subprocess.DEVNULL) -> Iterator["subprocess.Popen[str]"]:
    """Run Python next to the test; kill it at the end."""
    with subprocess.Popen(
        [sys.executable, *command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def attack(pause: float) -> tuple[str, list[str]]:
    """Start an engine while a stranger watches; return what it printed, and what the stranger reached of it."""
    with process(STRANGER, "watch") as stranger:
        assert stranger.stdout.readline() == "ready\n"
        with process("-c", VICTIM, str(pause), stdin=subprocess.PIPE) as attacked:
            port, said = attacked.stdout.readline().split(maxsplit=1)
            time.sleep(1.5)
        stranger.kill()
        seen = [line.split(maxsplit=1) for line in stranger.stdout.read().splitlines()]
        return said, [event for place, event in seen if place == port]


def test_a_connection_in_the_window_is_cut_and_fails_the_command() -> None:
    said, reached = attack(0.5)
    assert said.startswith("refused: another process connected to the embedded engine"), said
    assert reached == ["reached", "is cut"]


def test_a_stranger_from_before_the_start_is_seen_or_reaches_nothing() -> None:
    said, reached = attack(0)
    assert reached in ([], ["refused"], ["reached", "is cut"])
    assert said.startswith("refused" if "reached" in reached else "started"), (said, reached)


def test_a_late_stranger_neither_connects_nor_takes_the_port() -> None:
    with process("-c", VICTIM, "0", stdin=subprocess.PIPE) as attacked:
        port = attacked.stdout.readline().split()[0]
        with process(STRANGER, "take", port) as stranger:
            assert set(stranger.stdout.read().splitlines()) == {"refused"}
        attacked.stdin.write("\n")
        attacked.stdin.flush()
        assert attacked.stdout.readline() == "count 3\n"


def test_the_stranger_is_another_user_if_the_tests_may_choose() -> None:
    with process(STRANGER, "watch") as stranger:
        assert stranger.stdout.readline() == "ready\n"
        uid = os.stat(f"/proc/{stranger.pid}").st_uid
    assert (uid != os.geteuid()) == (os.geteuid() == 0)
