"""Searches of limited patterns in a separate process: a limit of memory holds for a whole process."""

import os
import pickle
import subprocess
import sys
from functools import cache
from threading import Lock
from typing import IO, Any

Spans = tuple[tuple[tuple[int, int], ...], ...]
"""Per match, the places of the whole match and of its groups."""
_LENGTH = 8
_SEARCHES = """
import pickle, resource, sys
from functools import lru_cache
import regex
compiled = lru_cache(64)(regex.compile)
given, answers = sys.stdin.buffer, sys.stdout.buffer
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
while length := given.read(8):
    pattern, text, seconds, most = pickle.loads(given.read(int.from_bytes(length, "big")))
    try:
        expression = compiled(pattern, regex.V0)
        with open("/proc/self/statm", "rb") as status:
            own = int(status.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (own + most, hard))
        places = range(expression.groups + 1)
        found = expression.finditer(text, timeout=seconds)
        answer = pickle.dumps(tuple(tuple(match.span(place) for place in places) for match in found))
    except TimeoutError:
        answer = pickle.dumps("time")
    except MemoryError:
        answer = pickle.dumps("memory")
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    answers.write(len(answer).to_bytes(8, "big") + answer)
    answers.flush()
"""


class SpanMatch:
    """The places of a match and of its groups, as a match of ``regex`` has them."""

    def __init__(self, spans: tuple[tuple[int, int], ...], names: dict[str, int]) -> None:
        self._spans, self._names = spans, names

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Return the place of a group, by default of the whole match."""
        return self._spans[self._names[group] if isinstance(group, str) else group]


class SearchProcess:
    """A process that searches one text at a time. It starts at the first search, and again after it was killed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def search(self, expression: Any, text: str, seconds: float, most: int) -> list[SpanMatch]:
        """Return the matches of an expression of ``regex``; raises TimeoutError and MemoryError.

        ``most`` is the number of bytes that the search may use.
        """
        with self._lock:
            answer = self._answer(pickle.dumps((expression.pattern, text, seconds, most)))
        if answer == "time":
            raise TimeoutError
        if answer == "memory":
            raise MemoryError
        return [SpanMatch(spans, expression.groupindex) for spans in answer]

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answer(self, request: bytes) -> Any:
        """Send a request; a process that ended meanwhile had no memory."""
        given, answers = self._pipes()
        try:
            given.write(len(request).to_bytes(_LENGTH, "big") + request)
            given.flush()
            length = answers.read(_LENGTH)
            content = answers.read(int.from_bytes(length, "big")) if length else b""
        except OSError:
            content = b""
        if not content:
            self.end()
            return "memory"
        return pickle.loads(content)  # from our own process

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            command = [sys.executable, "-I", "-c", _SEARCHES]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self._process = subprocess.Popen(command, **pipes)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


def search_process() -> SearchProcess:
    """Return the process of searches of this very process; a fork gets a separate one."""
    return _of_process(os.getpid())


@cache
def _of_process(number: int) -> SearchProcess:
    return SearchProcess()
