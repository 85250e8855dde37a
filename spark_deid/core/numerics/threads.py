"""Several threads of one task; compiled code lets go of the interpreter's lock."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_threads(work: Callable[..., object], *arguments: Iterable[Any], threads: int) -> None:
    """Call ``work`` with each of the arguments in turn, several at once; what one raises is raised."""
    if threads == 1:
        for given in zip(*arguments, strict=False):
            work(*given)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, *arguments))


def in_parts(work: Callable[[int, int], object], size: int, *, threads: int) -> None:
    """Call ``work`` from 0 to ``size`` in as many equal parts at once as there are threads."""
    bounds = [size * part // threads for part in range(threads + 1)]
    in_threads(work, bounds[:-1], bounds[1:], threads=threads)
