"""Ranges of dates, read again from their numbers: which of them is the day, the month and the year of each end."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

_TIME = re.compile(r"\d{1,2}(?::\d\d){1,2}(?:[.,]\d+)?(?:\s?[ap]\.?m\b\.?|Z|[+-]\d\d:?\d\d)?", re.IGNORECASE)
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")
_LAYOUTS = {
    "nn-nnn": ("abe cde", "bae dce"),
    "nnn-nn": ("abc dec", "bac edc"),
    "nnn-nnn": ("abc def", "bac edf"),
    "Ynn-Ynn": ("cba fed",),
    "n-nnn": ("acd bcd",),
    "nn-nY": ("bad cad",),
    "Mn-nn": ("bad cad",),
    "n-nMn": ("acd bcd",),
    "Mn-Mnn": ("bae dce",),
    "nM-nMn": ("abe cde",),
    "Mnn-Mn": ("bac edc",),
    "nMn-nM": ("abc dec",),
    "Mnn-Mnn": ("bac edf",),
    "nMn-nMn": ("abc def",),
}
"""By the kinds of the words of both ends, which word is the day, the month and the year of the first and of the last.

``n`` has one or two figures, ``Y`` has four, and ``M`` names a month. A year at the end of a date may be either.
"""
_LETTERS = "abcdef"
_ISO = "Ynn-Ynn"
Readings = frozenset[tuple[str, date]]


class RangeEnds(NamedTuple):
    """Days that both ends of a range may be, each with the layout that it is read by."""

    first: Readings
    last: Readings


class _RangeWord(NamedTuple):
    start: int
    end: int
    kind: str
    value: int


def read_ends(text: str, month_of: Callable[[str], int | None]) -> RangeEnds | None:
    """Return what the ends of a range may be, None for any other text.

    ``month_of`` returns the month that a word names, None if it names no month.
    """
    text = _TIME.sub(lambda match: " " * len(match[0]), text)
    words = [*_words(text, month_of)]
    pairs = {
        (layout, one, other)
        for shape in _shapes(text, words)
        for layout in _LAYOUTS.get(shape, ())
        for one, other in _days(layout, [word.value for word in words], [word.kind for word in words])
    }
    if not pairs:
        return None
    return RangeEnds(
        frozenset((layout, one) for layout, one, _ in pairs), frozenset((layout, other) for layout, _, other in pairs)
    )


def _words(text: str, month_of: Callable[[str], int | None]) -> Iterator[_RangeWord]:
    """Yield numbers and names of months; eight figures are three numbers."""
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = match[0]
        if not word.isdigit():
            if (month := month_of(word)) is not None:
                yield _RangeWord(start, end, "M", month)
        elif len(word) == 8:
            yield _RangeWord(start, start + 4, "Y", int(word[:4]))
            yield _RangeWord(start + 4, start + 6, "n", int(word[4:6]))
            yield _RangeWord(start + 6, end, "n", int(word[6:]))
        else:
            yield _RangeWord(start, end, {1: "n", 2: "n", 4: "Y"}.get(len(word), "?"), int(word))


def _shapes(text: str, words: Sequence[_RangeWord]) -> Iterator[str]:
    """Yield the kinds of words, cut at each hyphen or word between two of them; a stroke cuts dates of ISO only."""
    kinds = "".join(word.kind for word in words)
    for place, (one, other) in enumerate(pairwise(words), 1):
        between = text[one.end : other.start]
        cut = f"{kinds[:place]}-{kinds[place:]}"
        if any(mark in between for mark in "-–—") or any(map(str.isalpha, between)) or (between == "/" and cut == _ISO):
            head, tail = cut.split("-")
            yield cut if cut in _LAYOUTS else f"{_last_year(head)}-{_last_year(tail)}"


def _last_year(kinds: str) -> str:
    return f"{kinds[:-1]}n" if kinds.endswith("Y") else kinds


def _days(layout: str, values: Sequence[int], kinds: Sequence[str]) -> Iterator[tuple[date, date]]:
    """Yield the days of both ends; if only one writes the year, the other may be in the year before or after."""
    first, last = ([values[_LETTERS.index(letter)] for letter in end] for end in layout.split())
    shares_year, is_at_end = layout[2] == layout[6], layout[6] == _LETTERS[len(values) - 1]
    for century in (0,) if "Y" in kinds else (1900, 2000):
        one, other = _real(first, century), _real(last, century)
        if one is None or other is None:
            continue
        if one > other and shares_year:
            one, other = (_in_year(one, -1), other) if is_at_end else (one, _in_year(other, 1))
        if one is not None and other is not None and one < other:
            yield one, other


def _real(end: Sequence[int], century: int) -> date | None:
    day, month, year = end
    try:
        return date(year + century, month, day)
    except ValueError:
        return None


def _in_year(day: date, step: int) -> date | None:
    return _real((day.day, day.month, day.year + step), 0)
