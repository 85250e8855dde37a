"""How long the stages of a run take, and word of where it is."""

import time
from collections.abc import Callable

Progress = Callable[[str], None]


def say_nothing(_: str) -> None:
    """Say nothing."""


class StageClock:
    """Time stages and say when each begins."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self._name = ""
        self._began = 0.0

    def start(self, name: str, description: str = "") -> None:
        """End the stage before, and say that this one begins; names hold no path or other setting."""
        self.stop()
        self._progress(description or name)
        self._name, self._began = name, time.monotonic()

    def say(self, message: str) -> None:
        """Say something that takes no time of its own."""
        self._progress(message)

    def done(self) -> dict[str, float]:
        """Return the seconds of all stages so far, in order, those of one that goes on up to now."""
        going = {self._name: self._since()} if self._name else {}
        return self._seconds | going

    def stop(self) -> dict[str, float]:
        """End the stage; return the seconds of all so far, in order."""
        if self._name:
            self._seconds[self._name] = self._since()
            self._name = ""
        return dict(self._seconds)

    def _since(self) -> float:
        return round(self._seconds.get(self._name, 0.0) + time.monotonic() - self._began, 3)
