"""Options that several commands have, and their values."""

import os
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from spark_deid import app
from spark_deid.cli.figures_file import FIGURES
from spark_deid.cli.option_hints import HelpAll
from spark_deid.core.error_wording import write_bounds
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError, VerdictRefused
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, TextList, bounds_of_field, option_name

O = TypeVar("O", bound=CommandOptions)  # noqa: E741
F = TypeVar("F", bound=app.CommandFigures)


def _writable(path: Path | None) -> Path | None:
    """Check, before anything is done, that a file of figures can be written, and write that the command runs."""
    if path is None:
        return None
    if os.path.isdir(path):
        raise UsageError(f"--json {path}: is a folder; name a file")
    place = next(place for place in (path, *path.absolute().parents) if os.path.exists(place))
    if not (place == path or os.path.isdir(place)) or not os.access(place, os.W_OK):
        raise UsageError(f"--json {path}: {place} is no folder or not open to writing; name another file")
    try:
        FIGURES.start(path)
    except SparkDeidError as error:
        raise UsageError(str(error)) from error
    return path


Json = Annotated[Path | None, typer.Option("--json", callback=_writable, help="JSON file for status and figures.")]


Master = Annotated[
    str | None, typer.Option("--master", help="A Spark master, such as spark://host:7077; local cores by default.")
]


FormatOptions = Annotated[
    list[str] | None,
    typer.Option("--option", help="How the input's format is to be read, as name=value; may be repeated."),
]


def input_options(given: Iterable[str] | None) -> dict[str, str]:
    """Return what ``--option`` says, by the paths of keys of a plan.

    >>> input_options(["delimiter=|"])
    {'input.options.delimiter': '|'}
    """
    return {f"input.options.{name}": value for name, value in named_values(given or (), "--option").items()}


def takes(
    kind: type[O],
    *,
    refused: Callable[[Any], bool] = lambda figures: False,
    fails: Callable[[Any], bool] = lambda figures: False,
) -> Callable[[Callable[[O], F]], Callable[..., None]]:
    """Make a command of a function of options, and write the figures that it returns to the file of ``--json``.

    Its parameters are the fields that have a description: required ones first, then in their order. Where the figures
    are ``refused``, the command exits as the gate does; where they say that it ``fails``, with 1.
    """

    def make(command: Callable[[O], F]) -> Callable[..., None]:
        @wraps(command)
        def run(json_file: Path | None = None, help_all: bool = False, **given: Any) -> None:
            try:
                figures = command(kind(**_read(kind, given)))
            except VerdictRefused as error:
                FIGURES.finish({"output": None, **error.figures})
                raise
            FIGURES.finish(figures.to_json())
            if refused(figures):
                raise typer.Exit(GateRefused.exit_code)
            if fails(figures):
                raise typer.Exit(1)

        described = [(name, field) for name, field in kind.model_fields.items() if field.description]
        described.sort(key=lambda each: not each[1].is_required())
        own = [_parameter(*each) for each in described]
        parameters = [*own, _keyword("json_file", Json, None), _keyword("help_all", HelpAll, False)]
        run.__annotations__, run.__dict__["__signature__"] = {}, Signature(parameters)
        return run

    return make


def _parameter(name: str, field: FieldInfo) -> Parameter:
    """Return a field as Typer is told of it: text, which the options themselves check; several values become one."""
    options: dict[str, Any] = {"help": field.description, "metavar": _form(field)}
    arguments = [mark.name for mark in field.metadata if isinstance(mark, ArgumentMetavar)]
    flags = [option_name(name, field)] if any(isinstance(mark, OptionFlag) for mark in field.metadata) else []
    parameter = typer.Argument(**options | {"metavar": arguments[0]}) if arguments else typer.Option(*flags, **options)
    if _is_named(field):
        return _keyword(name, Annotated[list[str] | None, parameter], None)
    if not arguments and _is_several(field):
        kind, default = (list[str], Parameter.empty) if field.is_required() else (list[str] | None, _default(field))
        return _keyword(name, Annotated[kind, parameter], [default] if isinstance(default, str) else default)
    if field.annotation is bool:
        return _keyword(name, Annotated[bool, parameter], field.default)
    if field.is_required():
        return _keyword(name, Annotated[str, parameter], Parameter.empty)
    return _keyword(name, Annotated[str | None, parameter], _default(field))


def _default(field: FieldInfo) -> str | None:
    """Return what an option is where nobody gives it, as it would be given; lists of names are not shown."""
    default = None if field.default_factory is not None else field.default
    if isinstance(default, tuple):
        is_numeric = any(isinstance(value, int | float) for value in default)
        return ",".join(f"{value:g}" for value in default) if is_numeric else None
    return None if default is None else str(getattr(default, "value", default))


def _form(field: FieldInfo) -> str | None:
    """Say what a value is to look like; None for a flag."""
    kinds = (field.annotation, *get_args(field.annotation))
    if bool in kinds:
        return None
    if words := [str(getattr(word, "value", word)) for kind in kinds for word in _words(kind)]:
        return f"[{'|'.join(words)}]"
    noun = "PATH" if Path in kinds else "TEXT"
    if not _is_several(field) and not _is_named(field):
        noun = next((told for kind, told in ((int, "INTEGER"), (float, "NUMBER")) if kind in kinds), noun)
    return f"{noun} {write_bounds(bounds_of_field(field))}".strip() if noun in ("INTEGER", "NUMBER") else noun


def _words(kind: Any) -> tuple[Any, ...]:
    """Return the words that a type takes which takes no others."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    return get_args(kind) if get_origin(kind) is Literal else ()


def _keyword(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _is_several(field: FieldInfo) -> bool:
    """Return whether an option has a list, with commas between its parts, so that it may be given several times."""
    return any(isinstance(mark, TextList) for mark in field.metadata) or _is_tuple(field)


def _is_tuple(field: FieldInfo) -> bool:
    return any(get_origin(kind) is tuple for kind in (field.annotation, *get_args(field.annotation)))


def _is_named(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is dict


def named_values(given: Iterable[str], flag: str) -> dict[str, str]:
    """Read what was given as ``name=value``, perhaps several times.

    >>> named_values(["delimiter=;", "text_column=note"], "--option")
    {'delimiter': ';', 'text_column': 'note'}
    """
    pairs = [(name, value) for name, equals, value in (each.partition("=") for each in given) if name and equals]
    if len(dict(pairs)) < len(tuple(given)):
        raise UsageError(f"{flag}: expected name=value, each name once, such as {flag} text_column=note")
    return dict(pairs)


def _read(kind: type[CommandOptions], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given as options take it; what was not is left out."""
    return {name: _value(name, value, kind.model_fields[name]) for name, value in given.items() if value is not None}


def _value(name: str, value: Any, field: FieldInfo) -> Any:
    if _is_named(field):
        return named_values(value, option_name(name, field))
    if isinstance(value, list):
        value = ",".join(value)
    return _split(value) if _is_tuple(field) else value


def _split(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
