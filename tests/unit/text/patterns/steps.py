"""Count the steps that a search takes, instead of its seconds: the same number on any machine, however busy.

An expression takes the steps of a machine of ours, which is held against Python's at every match. Lines of Python
count one each, and a string's own searches and slices as many as the characters they read.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, SupportsIndex

import pytest

from spark_deid.text.patterns import (
    ages,
    broken,
    calendar_parts,
    check_digits,
    dates,
    detector,
    handles,
    letters,
    lists,
    national,
    network,
    numbers,
    persons,
    phone,
    places,
    scan,
    short_dates,
    vehicles,
)
from spark_deid.text.patterns.scan import fold_signs
from tests.unit.text.patterns.machine import Machine, Steps

MODULES: tuple[ModuleType, ...] = (
    *(ages, broken, calendar_parts, check_digits, dates, detector, handles, letters, lists),
    *(national, network, numbers, persons, phone, places, scan, short_dates, vehicles),
)
FOLDER = str(Path(scan.__file__).parent)


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


machine_of = cache(Machine)
"""Expressions are translated once, not for each text."""


class CountedExpression:
    """An expression that finds what it finds, and counts what finding it takes."""

    def __init__(self, expression: re.Pattern[str], steps: Steps) -> None:
        self.expression, self.machine, self.steps = expression, machine_of(expression), steps

    def match(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "CountedMatch | None":
        return self._checked(self.expression.match(text, begin, end), text, begin, begin, end)

    def fullmatch(self, text: str, begin: int = 0, end: int = sys.maxsize) -> "CountedMatch | None":
        self._follow(text, begin, begin, end)
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

    def _follow(self, text: str, begin: int, last: int, end: int) -> tuple[int, int] | None:
        """Let the machine find, which counts its steps itself: no lines are traced meanwhile."""
        before = sys.gettrace()
        sys.settrace(None)
        try:
            return self.machine.first(text, begin, last, end, self.steps)
        finally:
            sys.settrace(before)

    def _checked(
        self, found: re.Match[str] | None, text: str, begin: int, last: int, end: int
    ) -> "CountedMatch | None":
        counted = self._follow(text, begin, last, end)
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
        folded = CountedText(fold_signs(text))
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
        patch.setattr(scan, "fold_signs", counted_fold)
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            yield steps
        finally:
            sys.settrace(before)
