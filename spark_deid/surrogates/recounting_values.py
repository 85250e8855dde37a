"""Ranges of dates, read again from their numbers: which of them is the day, the month and the year of each end."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
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
        if not word.isdecimal():
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


# Whether a published number of a card or an account has the check digit that it needs, by a separate reading.


_FEWEST_FIGURES, _MOST_FIGURES = 13, 19
"""How many figures a card's number has."""
_BY_LENGTH = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
_COUNTRIES = {length: frozenset(countries.split()) for length, countries in _BY_LENGTH.items()}
_WRITTEN = re.compile(r"([A-Z]{2})(\d{2})((?: ?[A-Z\d])+)", re.ASCII)
"""Country, check digits and the rest, in uppercase, together or in groups."""
_CHECKED = range(2, 99)
"""Possible check digits of an account; 00, 01 and 99 are equal to others modulo 97, and are never given."""


def has_check_digit(text: str) -> bool:
    """Return whether a text is a number of a card or an account with the check digit that it needs.

    >>> [has_check_digit(text) for text in ("4111-1111-1111-1111", "GB29 NWBK 6016 1331 9268 19", "gb29nwbk")]
    [True, True, False]
    """
    return len(text) >= _FEWEST_FIGURES and (_is_card(text) or _is_account(text))


def _is_account(text: str) -> bool:
    """Return whether a text is an IBAN: turned round, with letters as numbers from 10 on, it leaves 1 by 97."""
    match = _WRITTEN.fullmatch(text)
    if match is None or int(match[2]) not in _CHECKED:
        return False
    rest = match[3].replace(" ", "")
    if match[1] not in _COUNTRIES.get(len(rest) + 4, ()):
        return False
    return int("".join(c if c.isdigit() else str(ord(c) - 55) for c in rest + match[1] + match[2])) % 97 == 1


def _is_card(text: str) -> bool:
    """Return whether the figures of a text are those of a card."""
    if any(map(str.isalpha, text)):
        return False
    figures = [int(c) for c in text if c.isascii() and c.isdigit()]
    if not _FEWEST_FIGURES <= len(figures) <= _MOST_FIGURES:
        return False
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[-2::-2]]
    return (sum(figures[-1::-2]) + sum(doubled)) % 10 == 0


# Whether a surrogate is in the half of its original, by another reading of the table of halves.
#
# The rule is public: a word is in the half of the lowest bit of its hash (BLAKE2b, person ``half``, one byte), or in
# the other half if the table has it. A number is in the half of the sum of its digits.


_TABLE = Path(__file__).parent / "data" / "halves.txt"
_LONGEST_NUMBER = 6
"""Longer numbers may have a country code or a check digit, which are in no half."""


@lru_cache(maxsize=1 << 15)
def is_other_half(before: str, after: str) -> bool:
    """Return whether a folded word or number, and what replaces it, are in different halves; true if no rule applies.

    >>> is_other_half("12", "34"), is_other_half("12", "35"), is_other_half("7", "9"), is_other_half("a1", "b1")
    (False, True, True, True)
    """
    if before.isdecimal() and after.isdecimal():
        if len(before) != len(after) or not 2 <= len(before) <= _LONGEST_NUMBER or before[0] == "0" == after[0]:
            return True
        return sum(map(int, before + after)) % 2 == 1
    if min(len(before), len(after)) < 2 or not (before + after).isalpha() or not (before + after).isascii():
        return True
    return _half_of_word(before) != _half_of_word(after)


def _half_of_word(word: str) -> bool:
    byte = hashlib.blake2b(word.encode("ascii"), digest_size=1, person=b"half").digest()[0]
    return (byte % 2 == 1) != (word in _words_of_table())


@cache
def _words_of_table() -> frozenset[str]:
    with _TABLE.open(encoding="utf-8") as lines:
        return frozenset(line.strip() for line in lines if line[0] != "#")
