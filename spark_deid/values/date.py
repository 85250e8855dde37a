"""Dates: many written forms to ISO; what a surface does not state is not filled in."""

import re
from datetime import date
from typing import NamedTuple

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form, words_of

MONTHS = {
    "en": words_of("january february march april may june july august september october november december"),
    "es": words_of("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}
"""Names of months by language, the first of them January, as ``plain_form`` has them."""
_OTHER_NAMES = {"en": {"sept": 9}, "es": {"setiembre": 9, "sept": 9, "set": 9}}
_FILLERS = {
    "en": frozenset(
        words_of("the of in on at day monday tuesday wednesday thursday friday saturday sunday")
        + words_of("mon tue tues wed thu thur thurs fri sat sun")
    ),
    "es": frozenset(words_of("de del el la en dia ano a lunes martes miercoles jueves viernes sabado domingo")),
}  # fmt: skip
_TIME = re.compile(r"[T,\s]+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:[ap]\.?m\.?|h(?:rs)?|Z)?\s*$", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})")
_MONTH_YEAR = re.compile(r"(\d{1,2})[-/.](\d{4})")
_YEAR_MONTH = re.compile(r"(\d{4})[-/.](\d{1,2})")
_NO_YEAR = re.compile(r"(\d{1,2})[-/.](\d{1,2})")
_COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(\d\d)(\d\d)")
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_NUMBER = re.compile(r"(\d{1,4})(?:st|nd|rd|th|o|a)?")


class PartialDate(NamedTuple):
    """A date of which some part may be unknown.

    >>> str(PartialDate(2001, 6)), str(PartialDate(None, 6, 22))
    ('2001-06', '--06-22')
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        start = "-" if self.year is None else f"{self.year:04d}"
        return "-".join([start, *(f"{part:02d}" for part in (self.month, self.day) if part is not None)])


def read_date(surface: str, locale: ValueLocale) -> str | None:
    """Return a date in ISO's form, as far as the surface shows it; None where it shows none, or one that never was.

    Day and month are in the locale's order, unless they can't.

    >>> [read_date(each, ValueLocale()) for each in ("6/22/01", "June of 2001", "22nd of June", "2/30/2001")]
    ['2001-06-22', '2001-06', '--06-22', None]
    """
    text = _TIME.sub("", surface.strip()).strip(" ,.;()")
    found = _in_figures(text, locale) or _in_words(text, locale)
    return str(found) if found is not None and is_real(found) else None


def _in_figures(text: str, locale: ValueLocale) -> PartialDate | None:
    if match := _YEAR_FIRST.fullmatch(text):
        return PartialDate(int(match[1]), int(match[3]), int(match[4]))
    if match := _YEAR_LAST.fullmatch(text):
        return _ordered(int(match[1]), int(match[3]), locale)._replace(year=_year(match[4], locale))
    if match := _COMPACT.fullmatch(text):
        return PartialDate(int(match[1]), int(match[2]), int(match[3]))
    if match := _MONTH_YEAR.fullmatch(text):
        return PartialDate(int(match[2]), int(match[1]))
    if match := _YEAR_MONTH.fullmatch(text):
        return PartialDate(int(match[1]), int(match[2]))
    if match := _NO_YEAR.fullmatch(text):
        return _ordered(int(match[1]), int(match[2]), locale)
    return PartialDate(int(text)) if _YEAR.fullmatch(text) else None


def _ordered(first: int, second: int, locale: ValueLocale) -> PartialDate:
    day, month = (first, second) if locale.is_day_first else (second, first)
    return PartialDate(None, day, month) if month > 12 >= day else PartialDate(None, month, day)


def _in_words(text: str, locale: ValueLocale) -> PartialDate | None:
    """Read a month's name with a day, a year, or both; a number that can't be a day is a year."""
    month: int | None = None
    numbers: list[str] = []
    for word in plain_form(text.replace("'", " ").replace("’", " ")).split():
        named = month_of(word, locale.language)
        number = _NUMBER.fullmatch(word)
        if number:
            numbers.append(number[1])
        elif named and month is None:
            month = named
        elif word not in _FILLERS[locale.language]:
            return None
    if month is None or len(numbers) > 2:
        return PartialDate(int(numbers[0])) if month is None and _are_year(numbers) else None
    return _with_numbers(month, numbers, locale, has_mark="'" in text or "’" in text)


def _with_numbers(month: int, numbers: list[str], locale: ValueLocale, *, has_mark: bool) -> PartialDate | None:
    if not numbers:
        return PartialDate(None, month)
    years = [number for number in numbers if len(number) > 2 or int(number) > 31]
    if len(years) > 1 or any(len(year) == 3 for year in years):
        return None
    if len(numbers) == 1:
        return (
            PartialDate(_year(numbers[0], locale), month)
            if years or has_mark
            else PartialDate(None, month, int(numbers[0]))
        )
    year = years[0] if years else numbers[1]
    day = next(
        number for place, number in enumerate(numbers) if place != numbers.index(year) or numbers[0] == numbers[1]
    )
    return PartialDate(_year(year, locale), month, int(day))


def _year(text: str, locale: ValueLocale) -> int:
    return int(text) if len(text) == 4 else locale.year_of(int(text))


def _are_year(numbers: list[str]) -> bool:
    return len(numbers) == 1 and _YEAR.fullmatch(numbers[0]) is not None


def month_of(word: str, language: str) -> int | None:
    """Return the number of a month by its name or the first three letters of it, None for any other word.

    >>> month_of("sept", "en"), month_of("marzo", "es"), month_of("juni", "en")
    (9, 3, None)
    """
    if word in _OTHER_NAMES[language]:
        return _OTHER_NAMES[language][word]
    names = MONTHS[language]
    return next((n for n, name in enumerate(names, 1) if word == name or (len(word) == 3 and name[:3] == word)), None)


def is_real(found: PartialDate) -> bool:
    """Return whether a date was ever or will be, as far as it is known; the 29th of February is, where no year is.

    >>> is_real(PartialDate(2000, 2, 29)), is_real(PartialDate(1900, 2, 29)), is_real(PartialDate(1900, 2, 0))
    (True, False, False)
    """
    if found.month is None:
        return True
    try:
        date(2000 if found.year is None else found.year, found.month, 1 if found.day is None else found.day)
    except ValueError:
        return False
    return True
