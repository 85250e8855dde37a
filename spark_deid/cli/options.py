"""Options that commands with their signatures have, and values given as ``name=value``."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from spark_deid.cli.figures_file import FIGURES
from spark_deid.core.engine_names import EngineName
from spark_deid.core.errors import SparkDeidError, UsageError


def _writable(path: Path | None) -> Path | None:
    """Check, before anything is done, that a file of figures can be written, and write that the command runs."""
    if path is None:
        return None
    if os.path.isdir(path):
        raise UsageError(f"--json {path}: expected a file, found a folder")
    place = next(place for place in (path, *path.absolute().parents) if os.path.exists(place))
    if not (place == path or os.path.isdir(place)) or not os.access(place, os.W_OK):
        raise UsageError(f"--json {path}: {place} is not a folder, or you may not write to it. Choose another file")
    try:
        FIGURES.start(path)
    except SparkDeidError as error:
        raise UsageError(str(error)) from error
    return path


Json = Annotated[Path | None, typer.Option("--json", callback=_writable, help="JSON file for status and results.")]


Master = Annotated[
    str | None,
    typer.Option("--master", help="A Spark master, such as spark://host:7077. The default uses the local cores."),
]


Engine = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Engine: auto, embedded (Sail in this process, without Java) or spark."),
]


FormatOptions = Annotated[
    list[str] | None,
    typer.Option("--option", help="Option of the input format as name=value. Repeatable."),
]


def input_options(given: Iterable[str] | None) -> dict[str, str]:
    """Return the values of ``--option`` by the paths of keys of a plan.

    >>> input_options(["delimiter=|"])
    {'input.options.delimiter': '|'}
    """
    return {f"input.options.{name}": value for name, value in named_values(given or (), "--option").items()}


def named_values(given: Iterable[str], flag: str) -> dict[str, str]:
    """Read what was given as ``name=value``, perhaps several times.

    >>> named_values(["delimiter=;", "text_column=note"], "--option")
    {'delimiter': ';', 'text_column': 'note'}
    """
    pairs = [(name, value) for name, equals, value in (each.partition("=") for each in given) if name and equals]
    if len(dict(pairs)) < len(tuple(given)):
        raise UsageError(f"{flag}: expected name=value, each name once, such as {flag} text_column=note")
    return dict(pairs)
