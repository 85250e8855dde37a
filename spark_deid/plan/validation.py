"""All mistakes of a plan at once: each is corrected as it was probably meant, and the rest is checked again."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from spark_deid.core.error_wording import NotOneOf, allowed_words, did_you_mean, explain_error, likely_word
from spark_deid.core.errors import SparkDeidError
from spark_deid.plan.config import FIELDS_ALONE, MethodSettings, PlanSettings, settings_model

Location = tuple[int | str, ...]
_ATTEMPTS = 5
_GONE = object()
_STAND_INS: Mapping[str, object] = {"input": {"path": "input", "format": "text"}, "workspace": "w", "release": "r"}


class PlanMistake(NamedTuple):
    """What is wrong where; ``meant`` is what was probably meant, a key where the key is wrong, None where unknown."""

    location: Location
    message: str
    meant: str | None = None
    is_key: bool = False

    def lines(self) -> Iterator[str]:
        """Yield the message, each of its lines after the path; a line of a deeper place begins with a dot."""
        path = path_of(self.location)
        for line in self.message.splitlines():
            yield f"{path}{line}" if line.startswith(".") or not path else f"{path}: {line}"


@dataclass(frozen=True)
class ExaminedPlan:
    """A plan as far as it can be understood: its settings where all is mended, and what was wrong.

    ``unsure`` are the top-level keys that were left out or made up: of these nothing more can be said.
    """

    settings: MethodSettings | None
    lines: tuple[str, ...]
    unsure: frozenset[str]


def examine(base: type[MethodSettings], content: Mapping[str, Any]) -> ExaminedPlan:
    """Check the content of a plan as often as it takes to find every mistake."""
    found: dict[str, None] = {}
    unsure: set[str] = set()
    corrected = dict(content)
    for _ in range(_ATTEMPTS):
        model = settings_model(base, corrected)
        try:
            return ExaminedPlan(model.model_validate(corrected), tuple(found), frozenset(unsure))
        except ValidationError as error:
            mistakes = tuple(_mistakes(error, model, corrected))
        except SparkDeidError as error:
            found |= dict.fromkeys(str(error).splitlines())
            return ExaminedPlan(None, tuple(found), frozenset(unsure))
        lines = (line for mistake in mistakes for line in mistake.lines())
        found |= dict.fromkeys(line for line in lines if not _follows(line, unsure))
        if all(not mistake.location for mistake in mistakes):
            return ExaminedPlan(_fields_alone(model, corrected), tuple(found), frozenset(unsure))
        corrected = _mend(corrected, mistakes, unsure, base)
    return ExaminedPlan(None, tuple(found), frozenset(unsure))


def path_of(location: Location) -> str:
    """Write where something stands in a plan.

    >>> path_of(("patterns", "custom", 0, "label"))
    'patterns.custom[0].label'
    """
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def known_keys(location: Location, model: Any) -> tuple[str, ...]:
    """Return the keys that may stand at a place of a plan."""
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


def _fields_alone(model: type[MethodSettings], content: Mapping[str, Any]) -> MethodSettings | None:
    """Return settings whose fields are right, though they don't go together."""
    try:
        return model.model_validate(dict(content), context=FIELDS_ALONE)
    except (ValidationError, SparkDeidError):
        return None


def _mistakes(error: ValidationError, model: type[BaseModel], content: Mapping[str, Any]) -> Iterator[PlanMistake]:
    """Yield what is wrong, a mistake a place: what several types of one place expect is told together."""
    by_place: dict[Location, list[PlanMistake]] = {}
    alternatives: set[Location] = set()
    for each in error.errors():
        location, is_alternative = _place_of(each, content)
        by_place.setdefault(location, []).append(_mistake(each, location, model))
        if is_alternative:
            alternatives.add(location)
    for location, mistakes in by_place.items():
        deeper = any(other[: len(location)] == location for other in by_place if len(other) > len(location))
        if location in alternatives and deeper:
            continue
        yield from [_together(mistakes)] if location in alternatives and len(mistakes) > 1 else mistakes


def _place_of(error: Any, content: Mapping[str, Any]) -> tuple[Location, bool]:
    """Return where an error is in the content, without names of types that a place may have; whether there were any."""
    location: list[int | str] = []
    value: Any = content
    parts = [part for part in error["loc"] if part != "[key]"]
    for number, part in enumerate(parts):
        if (isinstance(part, int) and isinstance(value, Sequence)) or (isinstance(value, Mapping) and part in value):
            value = value[part]
        elif error["type"] != "missing" or number < len(parts) - 1:
            continue
        location.append(part)
    return tuple(location), len(location) < len(parts)


def _mistake(error: Any, location: Location, model: type[BaseModel]) -> PlanMistake:
    if error["type"] == "extra_forbidden":
        known = known_keys(error["loc"][:-1], model)
        meant = likely_word(location[-1], known)
        explanation = f"unknown key{did_you_mean(meant)}; known keys: {', '.join(known)}".replace("?;", "?")
        return PlanMistake(location, explanation, meant, is_key=True)
    cause = (error.get("ctx") or {}).get("error")
    if isinstance(cause, NotOneOf):
        return PlanMistake(location, str(cause), cause.meant)
    meant = likely_word(error["input"], allowed_words(error)) if error["type"] in ("literal_error", "enum") else None
    return PlanMistake(location, explain_error(error), meant)


def _together(mistakes: Sequence[PlanMistake]) -> PlanMistake:
    """Make one of what several types of a place expect."""
    wanted = [each.message.removeprefix("expected ").partition(", got ")[0] for each in mistakes]
    got = mistakes[0].message.partition(", got ")[2].partition(";")[0]
    meant = next((each.meant for each in mistakes if each.meant), None)
    message = f"expected {' or '.join(dict.fromkeys(wanted))}{f', got {got}' if got else ''}{did_you_mean(meant)}"
    return PlanMistake(mistakes[0].location, message, meant)


def _follows(line: str, unsure: Iterable[str]) -> bool:
    """Tell whether a mistake may come of what was left out or made up before."""
    names = tuple(unsure)
    return bool(names) and (line.startswith("nothing is edited") or any(_names(line, name) for name in names))


def _names(line: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", line) is not None


def _mend(
    content: Mapping[str, Any], mistakes: Sequence[PlanMistake], unsure: set[str], base: type[MethodSettings]
) -> dict[str, Any]:
    """Put what was probably meant in place of what is wrong, and leave out what nobody can guess."""
    corrected: dict[str, Any] = _copied(content)
    for mistake in mistakes:
        location = mistake.location
        if not location:
            continue
        if mistake.message == "missing":
            location = location[:1]
            unsure.add(str(location[0]))
        elif mistake.meant is None and not mistake.is_key:
            unsure.add(str(location[0]))
        _replace(corrected, location, mistake)
    corrected = _without_gone(corrected)
    if issubclass(base, PlanSettings):
        lacking = {name: value for name, value in _STAND_INS.items() if name not in corrected}
        corrected |= lacking
    return corrected


def _replace(content: Any, location: Location, mistake: PlanMistake) -> None:
    for part in location[:-1]:
        content = content[part] if not isinstance(content, Mapping) else content.get(part)
        if content is None or content is _GONE:
            return
    last = location[-1]
    if mistake.is_key and mistake.meant is not None and content.get(mistake.meant) is None:
        content[mistake.meant] = content.pop(last)
    elif mistake.is_key or mistake.meant is None or mistake.message == "missing":
        content[last] = _GONE
    else:
        content[last] = mistake.meant


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list | tuple) else value


def _without_gone(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_gone(each) for key, each in value.items() if each is not _GONE}
    return [_without_gone(each) for each in value if each is not _GONE] if isinstance(value, list) else value


def objections(checks: Iterable[Callable[[], object]]) -> Iterator[str]:
    """Make every check; yield the lines of what those say that fail, each line once."""
    seen: set[str] = set()
    for check in checks:
        lines = [line for line in _lines(check) if line not in seen]
        seen.update(lines)
        yield from lines


def _lines(check: Callable[[], object]) -> list[str]:
    try:
        check()
    except SparkDeidError as error:
        return str(error).splitlines()
    except ValidationError as error:
        return [line for each in error.errors() for line in explain_error(each).splitlines()]
    return []
