"""A command as a row of the table: the function that prints its figures, its options, and its use case.

Options and use case are named by text and imported when the command is used, so that help starts at once.
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Signature
from pathlib import Path
from typing import Any, NamedTuple

import typer

from spark_deid.cli.figures_file import FIGURES
from spark_deid.cli.option_hints import WITH_OPTIONS
from spark_deid.cli.printing import PrintedProgress
from spark_deid.core.errors import VerdictRefused


class CommandRow(NamedTuple):
    """A command.

    Attributes:
        show: Prints the figures of the use case and returns the exit code, None for 0. Its name is that of the
            command, its docstring the help. Without ``options`` it is the command itself, with its own parameters.
        panel: The heading in the list of commands.
        options: The class of its options, as ``module:Class`` below ``spark_deid.app.options``.
        use_case: A function of options and progress that returns figures, as ``module:function`` below
            ``spark_deid.app``.
    """

    show: Callable[..., int | None]
    panel: str | None
    options: str = ""
    use_case: str = ""


def command_function(row: CommandRow) -> Callable[..., Any]:
    """Return the function of a command; its parameters are known when ``with_options`` of it is called."""
    if not row.options:
        return row.show

    @wraps(row.show)
    def waiting() -> None:
        raise AssertionError("a command runs with its options")

    waiting.__annotations__, waiting.__dict__["__signature__"] = {}, Signature()
    waiting.__dict__[WITH_OPTIONS] = lambda: _with_options(row)
    return waiting


def _with_options(row: CommandRow) -> Callable[..., None]:
    """Make a function whose parameters are the options of a command; it writes figures to the file of ``--json``."""
    # Start-up: only a called command needs the parameters of its options.
    from spark_deid.cli.option_parameters import read_values, signature_of

    kind = _loaded("app.options", row.options)

    @wraps(row.show)
    def run(json_file: Path | None = None, help_all: bool = False, **given: Any) -> None:
        try:
            options = kind(**read_values(kind, given))
            figures = _loaded("app", row.use_case)(options, PrintedProgress())
        except VerdictRefused as error:
            FIGURES.finish({"output": None, **error.figures})
            raise
        code = row.show(figures, options)
        FIGURES.finish(figures.to_json())
        if code:
            raise typer.Exit(code)

    run.__annotations__, run.__dict__["__signature__"] = {}, signature_of(kind)
    return run


def _loaded(package: str, place: str) -> Any:
    """Import a name by its ``module:name`` below a package."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"spark_deid.{package}.{module}"), name)
