"""Errors that a user can act on; each carries the exit code of the command line."""

from collections.abc import Mapping
from typing import Any


class SparkDeidError(Exception):
    """State what failed, where, and what to do next; never quote document text."""

    exit_code = 1


class UsageError(SparkDeidError):
    """A wrong option or plan: the message names the option or the plan's path and what is allowed."""

    exit_code = 2


class GateRefused(SparkDeidError):
    """A guarantee does not hold, so nothing is released."""

    exit_code = 3


class VerdictRefused(GateRefused):
    """A release whose verdict the caller refuses: its models hold, and nothing is released.

    ``figures`` are those of the run, without values of originals.
    """

    def __init__(self, message: str, figures: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.figures = figures


class CorpusError(SparkDeidError):
    """An input in which nothing is readable, or an output that can't be written."""


def line_of(error: UnicodeDecodeError) -> int:
    r"""Return the number of the line, from 1, with the bytes that are not text; what was decoded is a whole file.

    >>> try:
    ...     b"a\nb\n\xff".decode("utf-8")
    ... except UnicodeDecodeError as error:
    ...     line_of(error)
    3
    """
    return error.object[: error.start].count(b"\n") + 1


class FormatError(SparkDeidError):
    """A record that can't be read.

    ``reason`` is one of the words of the ``rejects`` table; ``detail`` names the place and the expectation.
    Neither holds document text. ``records`` is the number of records that can't be read, None if it is unknown.
    """

    def __init__(self, reason: str, detail: str, *, records: int | None = 1) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.records = records


class EditError(SparkDeidError):
    """Edits that overlap or lie outside their text."""


class ModelError(SparkDeidError):
    """A model folder that is missing, damaged, or of another version."""
