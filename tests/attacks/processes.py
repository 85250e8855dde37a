"""Files from elsewhere are used in a separate process, so that a crash or a loop is seen as one."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

SECONDS = 60


def _outcomes(use: Callable[[Path], str], places: list[Path], told: Connection) -> None:
    for place in places:
        try:
            told.send(use(place))
        except BaseException as error:  # what a process ends by is what is searched for
            told.send(f"{type(error).__name__}: {error}")


def outcomes(use: Callable[[Path], str], places: list[Path]) -> list[str]:
    """Use files or folders in another process, one after the other; return what became of each."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_outcomes, args=(use, places, there))
    process.start()
    there.close()
    found: list[str] = []
    try:
        while len(found) < len(places) and "endless" not in found:
            found.append(here.recv() if here.poll(SECONDS) else "endless")
    except EOFError:
        found.append("crashed")
    finally:
        process.kill()
        process.join()
    return found
