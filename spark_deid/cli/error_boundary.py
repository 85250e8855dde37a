"""The border: runs a command, and tells of failures without a word of a document."""

import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from spark_deid import app
from spark_deid.cli.command_list import cli
from spark_deid.cli.figures_file import FAILED, FIGURES, REFUSED, TERMINATED
from spark_deid.cli.printing import ERR
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError
from spark_deid.engine.installed import missing_engine

_STOPPED, _TERMINATED = 130, 143
_UNSURE = ". The release is complete only if documents/_delta_log has a commit"
_UNSURE_TABLE = ". The table is complete only if the output's table/_delta_log has a commit"
_KEPT = ". Completed parts are kept. Run the same command again to continue"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if not os.environ.get("SPARK_DEID_DEBUG"):
        logging.disable()  # libraries log what they were doing, values and all; failures are told below
        warnings.simplefilter("ignore")  # theirs are of no use to whoever runs a command, and may quote values
    given = list(sys.argv[1:] if arguments is None else arguments)
    hint = _hint(given)
    with _stopped_by_termination() as ended_with, _without_functions():
        _carry_out(given, hint, ended_with)


def _carry_out(given: Sequence[str], hint: str, ended_with: list[int]) -> None:
    """Run a command; one that is stopped ends with the code of Ctrl-C, or that of what stopped it."""
    FIGURES.forget()
    try:
        cli(args=given)
    except SystemExit as end:
        if end.code == _STOPPED:  # Typer's answer to Ctrl-C, without a word
            _stop(hint, ended_with[-1])
        if end.code:
            FIGURES.end(_status_of(end.code), f"exit code {end.code}")
        raise
    except Exception as error:  # the border: nothing below may print, and no message may quote a document
        if _was_stopped(error):
            _stop(hint, ended_with[-1])
        if _lacks_engine(error):
            error = UsageError(missing_engine())
        if isinstance(error, SparkDeidError):
            FIGURES.end(_status_of(error.exit_code), str(error))
            ERR.print("error:", style="bold red", end=" ")
            ERR.print(str(error), markup=False, highlight=False, soft_wrap=True)
            sys.exit(error.exit_code)
        _print_failure(error, hint)
        sys.exit(1)


@contextmanager
def _without_functions() -> Iterator[None]:
    """End the process at once if functions of the embedded engine still run, such as after Ctrl-C."""
    try:
        yield
    except SystemExit as end:
        embedded = sys.modules.get("spark_deid.engine.embedded")
        if embedded is not None and embedded.functions_run():
            embedded.end_process(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise


def _lacks_engine(error: Exception) -> bool:
    """Return whether an error is that of a package of Spark that is not installed."""
    return isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in ("pyspark", "delta")


def _stop(hint: str, code: int) -> NoReturn:
    """End a command that was stopped."""
    FIGURES.end(TERMINATED, "stopped")
    ERR.print(f"stopped{hint}", highlight=False, soft_wrap=True)
    sys.exit(code)


def _status_of(code: object) -> str:
    """Return the status of a command that ends with an exit code other than 0."""
    return REFUSED if code == GateRefused.exit_code else FAILED


@contextmanager
def _stopped_by_termination() -> Iterator[list[int]]:
    """Let SIGTERM do what Ctrl-C does, which cleans up; give the exit codes, of which the last counts."""
    codes = [_STOPPED]

    def stop(number: int, frame: FrameType | None) -> None:
        codes.append(_TERMINATED)
        interrupt = signal.getsignal(signal.SIGINT)  # Spark's own cancels its jobs first
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield codes
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield codes
    finally:
        signal.signal(signal.SIGTERM, before)


def _hint(given: Sequence[str]) -> str:
    """Say what a command that ends early leaves."""
    if given[:1] in (["run"], ["repeats"], ["demo"]):
        return _UNSURE
    if given[:1] == ["anonymize"]:
        return _UNSURE_TABLE
    return _KEPT if given[:2] == ["experiment", "greedy"] else ""


def _was_stopped(error: BaseException | None) -> bool:
    """Tell whether an error came of Ctrl-C: Spark, cut off in the middle of an answer, fails in ways of its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _print_failure(error: Exception, hint: str) -> None:
    refused = app.worker_error(error) if "pyspark" in sys.modules else None
    if refused:
        FIGURES.end(FAILED, str(refused))
        ERR.print(f"error: {refused}{hint}", markup=False, highlight=False, soft_wrap=True)
        return
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"unexpected {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
    FIGURES.end(FAILED, what)
    ERR.print(
        f"error: {what}{hint}. The message of this error may contain text, so it is not shown. Set "
        "SPARK_DEID_DEBUG=1 to see it.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if os.environ.get("SPARK_DEID_DEBUG"):
        traceback.print_exception(error)
