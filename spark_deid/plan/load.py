"""Load a plan from YAML, apply ``--set``, and report every error at once."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from spark_deid.core.errors import UsageError
from spark_deid.plan.config import MethodSettings, PlanSettings, settings_model

PLACES = ("input", "workspace", "release")
"""What a plan says of where things lie."""


def load_plan(path: Path, overrides: Sequence[str] = ()) -> PlanSettings:
    """Read a plan file; ``overrides`` are ``path.to.key=value``, values in YAML.

    Raises UsageError, which names the path of every wrong value and what is allowed.
    """
    return check_plan(read_content(path, overrides), str(path))


def read_content(path: Path, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Read what a plan file says, without checking it; raises UsageError where it is no mapping."""
    try:
        content = _parsed(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: can't read the plan ({error.strerror})") from error
    except _Repeated as error:
        raise UsageError(f"{path}: {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not YAML{_place(error)}") from None
    except RecursionError:
        raise UsageError(f"{path}: too deep: expected a plan, which nests a few keys in one another") from None
    if not isinstance(content, dict):
        raise UsageError(f"{path}: expected a mapping with input, workspace, release and sources")
    for override in overrides:
        _override(content, override)
    return content


def check_plan(content: Mapping[str, Any], name: str) -> PlanSettings:
    """Check the content of a plan; ``name`` stands before each error. Raises UsageError."""
    settings = _checked(PlanSettings, content, name)
    assert isinstance(settings, PlanSettings)  # the model that it was checked by is made of this class
    return settings


def check_methods(content: Mapping[str, Any], name: str) -> MethodSettings:
    """Check what a plan says of methods; where its input, workspace and release lie is passed over."""
    return _checked(MethodSettings, {key: value for key, value in content.items() if key not in PLACES}, name)


def _checked(base: type[MethodSettings], content: Mapping[str, Any], name: str) -> MethodSettings:
    if wrong := next(_with_nul(content), None):
        raise UsageError(f"{name}: {_path(wrong)}expected text without NUL")
    model = settings_model(base, content)
    try:
        return model.model_validate(dict(content))
    except ValidationError as error:
        told = ((_path(e["loc"]), _message(e, model).splitlines()) for e in error.errors())
        raise UsageError("\n".join(f"{name}: {path}{line}" for path, lines in told for line in lines)) from None


def _override(content: dict[str, Any], override: str) -> None:
    path, equals, value = override.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        raise UsageError(f"--set {path}: expected path.to.key=value")
    place = content
    for key in keys[:-1]:
        if not isinstance(place.get(key), dict):
            place[key] = {}
        place = place[key]
    try:
        place[keys[-1]] = _parsed(value)
    except _Repeated as error:
        raise UsageError(f"--set {path}: {error}") from None
    except (yaml.YAMLError, RecursionError):
        raise UsageError(f"--set {path}: the value is not YAML") from None


class _Repeated(Exception):
    """A key that a mapping has twice, of which YAML's readers take the last in silence."""


class _Loader(yaml.SafeLoader):
    """Read YAML of plain values, without repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for number, key in enumerate(keys):
            if key in keys[:number]:
                raise _Repeated(f"line {node.value[number][0].start_mark.line + 1}: the key {key} stands there twice")
        return super().construct_mapping(node, deep=deep)


def _parsed(text: str) -> Any:
    return yaml.load(text, _Loader)


def _with_nul(value: object, location: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Yield where strings hold NUL, which no path and no text may."""
    if isinstance(value, str) and "\0" in value:
        yield location
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _with_nul(each, (*location, str(key)))
            yield from _with_nul(str(key), location)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _with_nul(each, (*location, number))


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return f"{text}: " if text else ""


def _message(error: Any, model: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown key; known here: {', '.join(_known_keys(error['loc'][:-1], model))}"
    if error["type"] == "missing":
        return "missing"
    if error["type"] == "tuple_type":
        return "expected a list, such as [a, b]"
    return str(error["msg"]).removeprefix("Value error, ")


def _known_keys(location: tuple[int | str, ...], model: Any) -> tuple[str, ...]:
    for part in location:
        if isinstance(part, int) or part not in getattr(model, "model_fields", {}):
            continue
        annotation = model.model_fields[part].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        candidates += [a for c in candidates for a in getattr(c, "__args__", ())]
        candidates += [a for c in candidates if "root" in getattr(c, "model_fields", {}) for a in _values_of(c)]
        model = next(c for c in reversed(candidates) if hasattr(c, "model_fields"))
    return tuple(model.model_fields)


def _values_of(section: Any) -> tuple[Any, ...]:
    """Return the types that a section without keys of its own is made of, such as the categories of ``context``."""
    return tuple(getattr(section.model_fields["root"].annotation, "__args__", ()))


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark else ""
