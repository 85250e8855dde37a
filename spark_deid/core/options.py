"""Options of a use case: declared once, with default, bounds and help; checked when they are made."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from spark_deid.core.error_wording import SIGNS, NotOneOf, explain_error, write_bounds
from spark_deid.core.errors import UsageError

_NUMBERS = ("greater_than", "less_than", "int_", "float_", "finite_number")
_FOLLOWS = "default_factory_not_called"
"""Reason of a default that is wrong because an option on which it depends is wrong."""


@dataclass(frozen=True)
class OptionFlag:
    """How an option is spelled that is not named as its field."""

    name: str


@dataclass(frozen=True)
class ArgumentMetavar:
    """Help of a value that a command takes by its place."""

    name: str


@dataclass(frozen=True)
class TextList:
    """A mark of text that has several parts with commas between them; such an option may be given several times."""


class CommandOptions(BaseModel):
    """Settings of a use case; fields with a description are the options of its command.

    Making one touches nothing. Raises UsageError, a line for every wrong value, spelled as the command line does.

    >>> from pydantic import Field
    >>> class Draw(CommandOptions):
    ...     folds: int = Field(default=3, ge=2)
    ...     share: float = Field(default=0.5, gt=0, lt=1)
    >>> Draw(folds=2).share
    0.5
    >>> Draw(folds=1, share=1)
    Traceback (most recent call last):
    spark_deid.core.errors.UsageError: --folds: expected an integer >= 2, got 1
    --share: expected a number above 0 and below 1, got 1
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, arbitrary_types_allowed=True, allow_inf_nan=False
    )

    def __init__(self, **values: Any) -> None:
        if wrong := [name for name, value in values.items() if "\0" in str(value)]:
            results = (option_name(name, type(self).model_fields.get(name)) for name in wrong)
            raise UsageError("\n".join(f"{name}: expected text without NUL" for name in results))
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise UsageError(
                "\n".join(_explained(each, type(self).model_fields) for each in error.errors() if not _follows(each))
            ) from None

    @property
    def given(self) -> dict[str, Any]:
        """Return the values that are not their defaults."""
        fields = type(self).model_fields.items()
        defaults = {name: field.get_default(call_default_factory=True, validated_data={}) for name, field in fields}
        return {name: value for name, value in self if value != defaults[name]}

    def of(self, kind: "type[CommandOptions]") -> dict[str, Any]:
        """Return the values of the fields that these options share with another kind."""
        return {name: getattr(self, name) for name in kind.model_fields if name in type(self).model_fields}


def _follows(error: Any) -> bool:
    """Tell whether an error is but the consequence of another: of a list that is too short without its wrong values."""
    is_long = error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]
    return bool(is_long or error["type"] == _FOLLOWS)


def option(default: Any, description: str, **limits: Any) -> Any:
    """Declare an option that need not be given; ``Field`` declares one that must."""
    return Field(default=default, description=description, **limits)


def option_of(kind: type[BaseModel], name: str) -> Any:
    """Declare an option that is a field of other settings: default, bounds and help are there."""
    return kind.model_fields[name]


def loosen_option(kind: type[BaseModel], name: str) -> Any:
    """Declare an option that is a required field of other settings, and need not be given here."""
    field = copy(kind.model_fields[name])
    field.default = None
    return field


def one_of(names: Callable[[], Iterable[str]]) -> AfterValidator:
    """Make a check that a name, where one is given, is among those known when it is made."""

    def check(name: str | None) -> str | None:
        known = tuple(names())
        if name is not None and name not in known:
            raise NotOneOf(name, known)
        return name

    return AfterValidator(check)


def option_name(name: str, field: FieldInfo | None) -> str:
    """Return how the command line names a field."""
    marks = (
        mark.name.strip("[]")
        for mark in (field.metadata if field else ())
        if isinstance(mark, OptionFlag | ArgumentMetavar)
    )
    return next(marks, "--" + name.replace("_", "-"))


def bounds_of_field(field: FieldInfo) -> dict[str, float]:
    """Return the bounds of a field: some of ``ge``, ``gt``, ``le`` and ``lt``."""
    return {name: getattr(mark, name) for mark in field.metadata for name in SIGNS if hasattr(mark, name)}


def _explained(error: Any, fields: dict[str, FieldInfo]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "options"
    field = fields.get(name)
    return f"{option_name(name, field)}: {_expected(error, field)}"


def _expected(error: Any, field: FieldInfo | None) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return "no such option"
    if kind == "tuple_type":
        return "expected a list, such as ('a', 'b')"
    if field is not None and kind.startswith(_NUMBERS):
        context = error.get("ctx", {})
        limits = bounds_of_field(field) or {key: value for key, value in context.items() if key in SIGNS}
        noun = "an integer" if _holds(field.annotation, int) else "a number"
        return f"expected {noun} {write_bounds(limits)}".rstrip() + f", got {error['input']}"
    return explain_error(error)


def _holds(annotation: Any, kind: type) -> bool:
    """Return whether a type is of this kind, or one of its parts is."""
    return annotation is kind or any(_holds(part, kind) for part in get_args(annotation))
