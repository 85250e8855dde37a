"""Load a plan from YAML, apply ``--set``, and report every error at once."""

from collections.abc import Mapping, Sequence
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
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: can't read the plan ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not YAML{_place(error)}") from None
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
        place[keys[-1]] = yaml.safe_load(value)
    except yaml.YAMLError:
        raise UsageError(f"--set {path}: the value is not YAML") from None


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
