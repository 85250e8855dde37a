"""Options of a use case as parameters of its command: text, which the options check when they are made."""

from collections.abc import Mapping
from enum import Enum
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from spark_deid.cli.option_hints import HelpAll
from spark_deid.cli.options import Json, named_values
from spark_deid.core.error_wording import write_bounds
from spark_deid.core.options import ArgumentMetavar, CommandOptions, OptionFlag, TextList, bounds_of_field, option_name


def signature_of(kind: type[CommandOptions]) -> Signature:
    """Return the parameters of a command: the fields that have a description, required ones first."""
    described = [(name, field) for name, field in kind.model_fields.items() if field.description]
    described.sort(key=lambda each: not each[1].is_required())
    own = [_parameter(*each) for each in described]
    return Signature([*own, _keyword("json_file", Json, None), _keyword("help_all", HelpAll, False)])


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
    """Return what an option is where no one gives it, as it would be given; lists of names are not shown."""
    default = None if field.default_factory is not None else field.default
    if isinstance(default, tuple):
        is_numeric = any(isinstance(value, int | float) for value in default)
        return ",".join(f"{value:g}" for value in default) if is_numeric else None
    return None if default in (None, "") else str(getattr(default, "value", default))


def _form(field: FieldInfo) -> str | None:
    """State what a value is to look like; None for a flag."""
    kinds = (field.annotation, *get_args(field.annotation))
    if bool in kinds:
        return None
    if words := [str(getattr(word, "value", word)) for kind in kinds for word in _words(kind)]:
        return f"[{'|'.join(words)}]"
    noun = "PATH" if Path in kinds else "TEXT"
    if not _is_several(field) and not _is_named(field):
        noun = next((entry for kind, entry in ((int, "INTEGER"), (float, "NUMBER")) if kind in kinds), noun)
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


def read_values(kind: type[CommandOptions], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given as options take it; what was not is omitted."""
    return {name: _value(name, value, kind.model_fields[name]) for name, value in given.items() if value is not None}


def _value(name: str, value: Any, field: FieldInfo) -> Any:
    if _is_named(field):
        return named_values(value, option_name(name, field))
    if isinstance(value, list):
        value = ",".join(value)
    return _split(value) if _is_tuple(field) else value


def _split(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
