"""A bound on the memory of a search, which an expression from elsewhere could let grow with the text and its tries."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SECONDS = 0.1
_LIMIT = Lock()
"""The limit is the process's: of two threads the second would take the first's for what was there before."""
_SIZE = [0, 0.0]
"""The process's address space at a time: looking it up costs more than a search of a short text."""


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """Let this process take so many bytes more within the block, and raise MemoryError beyond; only Linux bounds it."""
    with _LIMIT:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        given = [each for each in (soft, hard, _size() + most) if each != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(given), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _size() -> int:
    """Return the bytes of this process's address space, looked up a short time ago; a fork has about its parent's."""
    now = time.monotonic()
    if now - _SIZE[1] > _SECONDS:
        try:
            with open("/proc/self/statm", "rb", buffering=0) as status:
                _SIZE[:] = int(status.read(64).split()[0]) * _PAGE, now
        except OSError:
            _SIZE[:] = 1 << 62, now
    return int(_SIZE[0])
