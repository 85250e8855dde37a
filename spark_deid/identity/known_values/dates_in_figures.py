"""Known dates in figures: three numbers in any order, months in Roman numerals, days and months, months and years."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from spark_deid.values.locale import ValueLocale

# Labels of known dates by what is known of them: the whole date, its day and month, its month and year, its year.


Hit = tuple[int, int, str]
"""Start, end and label."""

EARLIEST, LATEST = 1800, 2200
"""Years that dates of people are in, and what two digits may mean."""

_WRITTEN = re.compile(r"(?:(\d{4})|-)(?:-(\d\d)(?:-(\d\d))?)?")


class DateLabels(NamedTuple):
    """Labels by what is known: year, month and day; the same by two digits of the year; month and day; and so on."""

    full: Mapping[tuple[int, int, int], str]
    days: Mapping[tuple[int, int], str]
    months: Mapping[tuple[int, int], str]
    years: Mapping[int, str]

    def label(self, year: str | None, month: int, day: int | None) -> str | None:
        """Return the label of a known date that is this one, as far as it can be recognized."""
        if year is None:
            return None if day is None else self.days.get((month, day))
        years = (int(year),) if len(year) == 4 else range(int(year) + EARLIEST, LATEST, 100)
        for each in years:
            label = self.months.get((each, month)) if day is None else self.full.get((each, month, day))
            if label is not None:
                return label
        return None


def labels_by_date(dates: Mapping[str, str]) -> DateLabels:
    """Return labels by what is known of dates, given by value as ``values.date`` reads them."""
    full: dict[tuple[int, int, int], str] = {}
    days: dict[tuple[int, int], str] = {}
    months: dict[tuple[int, int], str] = {}
    years: dict[int, str] = {}
    for value, label in dates.items():
        match = _WRITTEN.fullmatch(value)
        year, month, day = (int(part) if part else None for part in match.groups()) if match else (None, None, None)
        if year is not None:
            years.setdefault(year, label)
        if year is not None and month is not None:
            months.setdefault((year, month), label)
        if month is not None and day is not None:
            days.setdefault((month, day), label)
        if year is not None and month is not None and day is not None:
            full.setdefault((year, month, day), label)
    return DateLabels(full, days, months, years)


_JOINT = r"(?:\s{0,3}[-/._,]\s{0,3}|\s{0,4}(?:(?:del?|of|the)\s{0,4})|\s{1,4})"
_BEGINS = re.compile(rf"\d{{1,4}}{_JOINT}[\divx]", re.IGNORECASE)
"""How whatever is a date in figures begins."""
_THREE = re.compile(rf"(\d{{1,4}})({_JOINT})(\d{{1,2}})({_JOINT})(\d{{1,4}})(?!\d)")
_ROMAN = re.compile(
    rf"(\d{{1,2}}){_JOINT}(iv|ix|vi{{0,3}}|i{{1,3}}|xi{{0,2}})(?:{_JOINT})(\d{{4}}|\d\d)(?!\d)", re.IGNORECASE
)
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_TWO = re.compile(r"(\d{1,2})\s{0,3}([-/.])\s{0,3}(\d{1,2})(?!\d)(?!\s?[-/.]\s?\d)")
_MONTH_YEAR = re.compile(r"(\d{1,2})\s{0,3}[-/.]\s{0,3}(\d{4})(?!\d)(?!\s?[-/.]\s?\d)")
_YEAR_MONTH = re.compile(r"(\d{4})\s{0,3}[-/.]\s{0,3}(\d{1,2})(?!\d)(?!\s?[-/.]\s?\d)")
_CONTINUES = re.compile(r"\d\s?[-/.]\s?\Z")
_NO_DATE_AFTER = re.compile(
    r"\s?(?:tabs?|tablets?|pills?|caps?|capsules?|doses?|cups?|hours?|hrs?|murmurs?|systolic|diastolic|strength|sem|mg|ml"
    r"|pastillas?|comprimidos?|dosis)(?![^\W\d_])",
    re.IGNORECASE,
)
"""What makes a fraction or a grade of two single digits: "1/2 tablet", "3/6 murmur"."""


def label_compact(run: str, known: DateLabels) -> str | None:
    """Return the label of a known date that six or eight digits are, by each order.

    >>> from spark_deid.identity.known_values.dates_in_figures import labels_by_date
    >>> label_compact("19510306", labels_by_date({"1951-03-06": "DATE"}))
    'DATE'
    """
    size = len(run) - 4
    orders = (
        (run[:size], run[size : size + 2], run[size + 2 :]),
        (run[4:], run[:2], run[2:4]),
        (run[4:], run[2:4], run[:2]),
    )
    return next((found for parts in orders if (found := _label_of(known, *parts))), None)


def from_number(text: str, start: int, known: DateLabels, locale: ValueLocale) -> Iterator[Hit]:
    """Yield the known dates that a number begins."""
    if not _BEGINS.match(text, start):
        return
    if match := _THREE.match(text, start):
        label = next((found for parts in _orders(match) if (found := _label_of(known, *parts))), None)
        if label is not None:
            yield *match.span(), label
    if match := _ROMAN.match(text, start):
        label = known.label(match[3], _ROMANS.index(match[2].lower()) + 1, int(match[1]))
        if label is not None:
            yield *match.span(), label
    if _CONTINUES.search(text, max(0, start - 4), start):
        return
    for pattern, month, year in ((_MONTH_YEAR, 1, 2), (_YEAR_MONTH, 2, 1)):
        match = pattern.match(text, start)
        if match and (label := known.label(match[year], int(match[month]), None)):
            yield *match.span(), label
    match = _TWO.match(text, start)
    if match and _may_be_day(text, match) and (label := known.label(None, *_ordered(match, locale))):
        yield *match.span(), label


def _label_of(known: DateLabels, year: str, month: str, day: str) -> str | None:
    return known.label(year, int(month), int(day))


def _orders(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Yield year, month and day of three numbers, by each order that they allow."""
    first, second, third = match[1], match[3], match[5]
    if len(first) == 4 and len(third) < 3:
        yield from ((first, second, third), (first, third, second))
    elif len(third) == 4 and len(first) < 3:
        yield from ((third, first, second), (third, second, first))
    elif max(map(len, (first, second, third))) < 3 and len(third) == 2 and match[2].strip() and match[4].strip():
        yield from ((third, first, second), (third, second, first))
        if len(first) == 2:
            yield first, second, third


def _may_be_day(text: str, match: re.Match[str]) -> bool:
    """Return whether two numbers are month and day: joined by a slash, or one begins with a zero."""
    if match[2] == "/":
        return len(match[1] + match[3]) > 2 or _NO_DATE_AFTER.match(text, match.end()) is None
    return len(match[1]) == len(match[3]) == 2 and "0" in (match[1][0], match[3][0])


def _ordered(match: re.Match[str], locale: ValueLocale) -> tuple[int, int]:
    """Return month and day in the locale's order, unless they can't be in it."""
    first, second = int(match[1]), int(match[3])
    day, month = (first, second) if locale.is_day_first else (second, first)
    return (day, month) if month > 12 >= day else (month, day)
