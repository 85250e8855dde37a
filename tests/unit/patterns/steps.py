"""Count the steps that a search takes, in place of its seconds: the same number on any machine, however busy.

An expression is matched by a machine that does what Python's does, going back from where it fails, and counts each
instruction and each character it looks at. Lines of Python count one each, and a string's own searches and slices as
many as the characters they read.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, SupportsIndex

import pytest

from spark_deid.text.patterns import dates, lists, network, numbers, phone, scan
from spark_deid.text.patterns.scan import fold

MODULES: tuple[ModuleType, ...] = (dates, lists, network, numbers, phone, scan)
FOLDER = str(Path(scan.__file__).parent)

_parse = import_module("re._parser").parse
_MANY = int(import_module("re._constants").MAXREPEAT)
_SINGLE = ("LITERAL", "NOT_LITERAL", "IN")

Groups = dict[int, tuple[int, int]]
Check = Callable[[str], bool]


@dataclass
class Steps:
    """How many steps were taken so far."""

    taken: int = 0


class CountedText(str):
    """A text that counts the characters that are read of it."""

    steps: Steps

    def find(self, sub: str, start: Any = None, end: Any = None, /) -> int:
        place = super().find(sub, start, end)
        stop = place if place >= 0 else len(self) if end is None else end
        self.steps.taken += 1 + max(0, stop - (start or 0))
        return place

    def count(self, sub: str, start: Any = None, end: Any = None, /) -> int:
        self.steps.taken += max(0, (len(self) if end is None else end) - (start or 0))
        return super().count(sub, start, end)

    def lower(self) -> str:
        self.steps.taken += len(self)
        return super().lower()

    def __contains__(self, sub: object) -> bool:
        self.steps.taken += len(self)
        return super().__contains__(sub)

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        found = super().__getitem__(place)
        self.steps.taken += len(found)
        return found


class CountedExpression:
    """An expression that finds what it finds, and counts what finding it takes."""

    def __init__(self, expression: re.Pattern[str], steps: Steps) -> None:
        self.expression, self.machine, self.steps = expression, Machine(expression), steps

    def match(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "CountedMatch | None":
        return self._checked(self.expression.match(text, begin, end), text, begin, begin, end)

    def fullmatch(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "CountedMatch | None":
        self.machine.first(text, begin, begin, end, self.steps)
        found = self.expression.fullmatch(text, begin, end)
        return None if found is None else CountedMatch(found, self)

    def search(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "CountedMatch | None":
        return self._checked(self.expression.search(text, begin, end), text, begin, len(text), end)

    def finditer(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "Iterator[CountedMatch]":
        while found := self.search(text, begin, end):
            yield found
            assert found.end() > found.start(), "an expression that matches nothing would be found for ever"
            begin = found.end()

    def findall(self, text: str) -> list[str]:
        return [found[0] for found in self.finditer(text)]

    def sub(self, put: Callable[[Any], str], text: str) -> str:
        list(self.finditer(text))
        return self.expression.sub(put, text)

    def _checked(
        self, found: re.Match[str] | None, text: str, begin: int, last: int, end: int
    ) -> "CountedMatch | None":
        counted = self.machine.first(text, begin, last, end, self.steps)
        assert counted == (found and found.span()), f"{self.expression.pattern} is not followed rightly"
        return None if found is None else CountedMatch(found, self)


class CountedMatch:
    """A match that names the counted expression as its own."""

    def __init__(self, match: re.Match[str], counted: CountedExpression) -> None:
        self._match, self.re = match, counted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._match, name)

    def __getitem__(self, group: int | str) -> str | Any:
        return self._match[group]


class Machine:
    """Instructions for an expression, and a run of them that goes back to the last choice where it fails."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self.code = _compiled(_parse(expression.pattern, expression.flags), expression.flags)

    def first(self, text: str, begin: int, last: int, end: int, steps: Steps) -> tuple[int, int] | None:
        """Return the first match that begins from ``begin`` to ``last``; none of it lies at ``end`` or behind."""
        text = str.__getitem__(text, slice(end)) if end < len(text) else str(text)
        for start in range(begin, min(last, len(text)) + 1):
            found = _run(self.code, text, start, {}, steps)
            if found:
                return start, found[0]
        return None


@contextmanager
def counting() -> Iterator[Steps]:
    """Count the steps of the pattern detectors: of their expressions, their lines and their text."""
    steps = Steps()

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        steps.taken += event == "line"
        return trace

    def counted_fold(text: str) -> CountedText:
        folded = CountedText(fold(text))
        folded.steps = steps
        return folded

    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            for name, value in list(vars(module).items()):
                if isinstance(value, re.Pattern):
                    patch.setattr(module, name, CountedExpression(value, steps))
                elif isinstance(value, dict) and any(isinstance(each, re.Pattern) for each in value.values()):
                    counted = {key: CountedExpression(each, steps) for key, each in value.items()}
                    patch.setattr(module, name, counted)
        patch.setattr(scan, "fold", counted_fold)
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            yield steps
        finally:
            sys.settrace(before)


def _compiled(items: Any, flags: int) -> list[tuple[Any, ...]]:
    code: list[tuple[Any, ...]] = []
    for operator, argument in items:
        code += _instructions(str(operator), argument, flags)
    return code


def _instructions(operator: str, argument: Any, flags: int) -> list[tuple[Any, ...]]:
    """Translate one node of a parsed expression; jumps are relative."""
    match operator:
        case "LITERAL" | "NOT_LITERAL" | "IN":
            return [("run", _check(operator, argument, flags), 1, 1)]
        case "BRANCH":
            return _branches([_compiled(branch, flags) for branch in argument[1]])
        case "SUBPATTERN":
            group, more, fewer, items = argument
            inner = _compiled(items, (flags | more) & ~fewer)
            return inner if group is None else [("begin", group), *inner, ("end", group)]
        case "MAX_REPEAT":
            return _repeated(*argument, flags=flags)
        case "POSSESSIVE_REPEAT":
            return [("atomic", _repeated(*argument, flags=flags))]
        case "ATOMIC_GROUP":
            return [("atomic", _compiled(argument, flags))]
        case "ASSERT" | "ASSERT_NOT":
            direction, items = argument
            width = items.getwidth()[0] if direction < 0 else 0
            return [("look", _compiled(items, flags), width, operator == "ASSERT")]
        case "AT":
            return [("at", str(argument))]
        case "GROUPREF":
            return [("again", argument)]
    raise NotImplementedError(operator)


def _branches(branches: list[list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    *others, last = branches
    code = last
    for branch in reversed(others):
        code = [("choose", len(branch) + 2), *branch, ("jump", len(code) + 1), *code]
    return code


def _repeated(fewest: Any, most: Any, items: Any, *, flags: int) -> list[tuple[Any, ...]]:
    if len(items) == 1 and str(items[0][0]) in _SINGLE:
        return [("run", _check(str(items[0][0]), items[0][1], flags), int(fewest), int(most))]
    turn = _compiled(items, flags)
    code = turn * int(fewest)
    if int(most) == _MANY:
        return [*code, ("choose", len(turn) + 2), *turn, ("jump", -len(turn) - 1)]
    optional: list[tuple[Any, ...]] = []
    for _ in range(int(most) - int(fewest)):
        optional = [("choose", len(turn) + len(optional) + 1), *turn, *optional]
    return code + optional


def _check(operator: str, argument: Any, flags: int) -> Check:
    """Return what tells whether a character is one of those that a node stands for; each is asked about once."""
    known: dict[str, bool] = {}
    members = argument if operator == "IN" else [(operator.removeprefix("NOT_"), argument)]
    negated = operator.startswith("NOT_") or str(members[0][0]) == "NEGATE"

    def check(character: str) -> bool:
        if character not in known:
            forms = {character, character.lower(), character.upper()} if flags & re.IGNORECASE else {character}
            known[character] = any(_is_in(form, members) for form in forms) != negated
        return known[character]

    return check


def _is_in(character: str, members: Any) -> bool:
    for kind, argument in members:
        match str(kind):
            case "LITERAL":
                found = ord(character) == argument
            case "RANGE":
                found = len(character) == 1 and argument[0] <= ord(character) <= argument[1]
            case "CATEGORY":
                found = re.match(_CATEGORIES[str(argument)], character) is not None
            case _:
                found = False
        if found:
            return True
    return False


_CATEGORIES = {
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_SPACE": r"\s",
}
_PLACES = {"AT_BOUNDARY": re.compile(r"\b"), "AT_END": re.compile(r"$")}


def _run(code: list[tuple[Any, ...]], text: str, place: int, groups: Groups, steps: Steps) -> tuple[int, Groups] | None:
    """Follow the instructions from a place; return where they end and the groups, or None."""
    at = 0
    choices: list[tuple[int, int, int, Groups]] = []
    while True:
        steps.taken += 1
        if at == len(code):
            return place, groups
        kind, *rest = code[at]
        matched = True
        match kind:
            case "run":
                check, fewest, most = rest
                end, last = place, min(len(text), place + most)
                while end < last and check(text[end]):
                    end += 1
                steps.taken += end - place
                matched = end - place >= fewest
                if matched and end > place + fewest:
                    choices.append((at + 1, place + fewest, end - 1, groups))
                place, at = end, at + 1
            case "choose":
                choices.append((at + rest[0], place, place, groups))
                at += 1
            case "jump":
                at += rest[0]
            case "begin" | "end":
                groups = {**groups, rest[0]: (place, place) if kind == "begin" else (groups[rest[0]][0], place)}
                at += 1
            case "atomic":
                found = _run(rest[0], text, place, groups, steps)
                matched = found is not None
                place, groups = found or (place, groups)
                at += 1
            case "look":
                begin = place - rest[1]
                found = _run(rest[0], text, begin, groups, steps) if begin >= 0 else None
                matched = (found is not None) == rest[2]
                groups = found[1] if found and rest[2] else groups
                at += 1
            case "again":
                begin, end = groups.get(rest[0], (0, -1))
                matched = begin <= end and text.startswith(text[begin:end], place)
                place += end - begin
                at += 1
            case "at":
                matched = _PLACES[rest[0]].match(text, place) is not None
                at += 1
        if not matched:
            if not choices:
                return None
            at, least, place, groups = choices.pop()
            if place > least:
                choices.append((at, least, place - 1, groups))
