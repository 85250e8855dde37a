"""The process from which Spark forks workers: what a worker holds after a task is not searched each time."""

import gc
import socket
import weakref
from collections.abc import Iterator

import pytest

from spark_deid.engine.daemon import settle_worker


class Held:
    """Something that holds on to itself, as garbage does that only a search finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    one, other = socket.socketpair()
    with one, other:
        yield one
    gc.unfreeze()


def test_what_lasts_beyond_a_task_is_looked_through_once_in_a_while(connection: socket.socket) -> None:
    held = [Held()]
    seen = weakref.ref(held[0])
    work = settle_worker(lambda *_: 0, every=3)
    assert [work(connection, True), gc.get_freeze_count() > 0] == [0, True]
    held.clear()
    work(connection, True)
    assert seen() is not None
    work(connection, True)
    assert seen() is None


def test_garbage_of_a_task_goes_with_it(connection: socket.socket) -> None:
    made: list[weakref.ref[Held]] = []

    def task(*_: object) -> int:
        made.append(weakref.ref(Held()))
        return 7

    work = settle_worker(task)
    assert [work(connection, True), work(connection, True)] == [7, 7]
    assert [each() for each in made] == [None, None]


def test_a_worker_that_fails_reports_it(connection: socket.socket) -> None:
    def fail(*_: object) -> int:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        settle_worker(fail)(connection, True)
