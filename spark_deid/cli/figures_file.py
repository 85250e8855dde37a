"""The file of ``--json``: it exists from the start, and shows how a command ended."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from spark_deid.core.errors import SparkDeidError

RUNNING, DONE, FAILED, REFUSED, TERMINATED = "running", "done", "failed", "refused", "terminated"


class FiguresFile:
    """The status of a command, and its figures; without a path nothing is written."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._content: dict[str, object] = {}
        self.stage: str | None = None

    def start(self, path: Path) -> None:
        """Write that the command runs; raises SparkDeidError if the file can't be written."""
        self._path, self._content, self.stage = path, {"status": RUNNING}, None
        self._write()

    def finish(self, figures: Mapping[str, object]) -> None:
        """Write the figures of a command that is done."""
        if self._path is not None:
            self._content = {"status": DONE, **figures}
            self._write(". Every other result was written")

    def end(self, status: str, reason: str) -> None:
        """Write that a command ended early, why, and at which stage; keep the figures that it has.

        The command has its exit code already, so a file that can no longer be written raises no error.
        """
        if self._path is None:
            return
        self._content |= {"status": status, "reason": reason, "stage": self.stage}
        with suppress(SparkDeidError):
            self._write()
        self._path = None

    def forget(self) -> None:
        """Forget the file of a command that ended."""
        self._path = None

    def _write(self, note: str = "") -> None:
        assert self._path is not None
        text = json.dumps(self._content, indent=2, ensure_ascii=False) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(text, encoding="utf-8")
        except OSError as error:
            why = error.strerror or os.strerror(error.errno or 0)
            raise SparkDeidError(f"--json {self._path}: cannot write this file ({why}){note}") from error


FIGURES = FiguresFile()
"""The file of the command that runs in this process."""
