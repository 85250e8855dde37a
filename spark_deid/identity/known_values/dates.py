"""Dates of a person wherever they stand: in full, by month and day, by month and year, and years of births.

Numbers and names of months that a known date has are looked for, what stands around them is read, and compared. A year
that is another one makes another date of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from spark_deid.identity.known_values.dates_in_figures import (
    DateLabels,
    Hit,
    from_number,
    label_compact,
    labels_by_date,
)
from spark_deid.identity.known_values.dates_in_words import day_in_words, from_months, named_after_day, named_after_year
from spark_deid.identity.mentions import lowered_alike
from spark_deid.values.locale import ValueLocale

_RUN = re.compile(r"\d+")
_REACH = 40
_BORN = re.compile(
    r"(?:(?<![^\W\d_])(?:born|birth(?:day|date)?|b\.|dob|yob|nacid[oa]|nacimiento|f\.?\s?n\.?)[\s:.,/_-]{0,6}"
    r"(?:(?:in|on|en|el|year|date|is|was|the|of|año|del?|[nr]d|st|th)[\s:.,/_-]{0,6}){0,3})\Z",
    re.IGNORECASE,
)


def find_known_dates(text: str, dates: Mapping[str, str], locale: ValueLocale) -> Iterator[Hit]:
    """Yield where known dates (labels by value, as ``values.date`` reads them) stand; the text is folded.

    >>> text = "DOB 06 Mar 1951, turned 73 on March 06; seen 06 Mar 2024"
    >>> [text[start:end] for start, end, _ in find_known_dates(text, {"1951-03-06": "DATE"}, ValueLocale())]
    ['06 Mar 1951', 'March 06']
    """
    known = labels_by_date(dates)
    if any((known.days, known.months, known.years)):
        reach = 0
        for hit in sorted({*_from_numbers(text, known, locale), *_in_words(text, known)}, key=_by_place):
            if hit[1] > reach:
                yield hit
                reach = hit[1]


def _by_place(hit: Hit) -> tuple[int, int, str]:
    """Order hits by where they begin, the longest first."""
    return hit[0], -hit[1], hit[2]


def _from_numbers(text: str, known: DateLabels, locale: ValueLocale) -> Iterator[Hit]:
    numbers, days = frozenset(_numbers(known)), frozenset(day for _, day in known.days)
    for run in _RUN.finditer(text):
        start, end = run.span()
        size = end - start
        if size in (6, 8) and (label := label_compact(run[0], known)):
            yield start, end, label
        if size > 4 or (number := int(run[0])) not in numbers:
            continue
        yield from from_number(text, start, known, locale)
        if size < 3 and number in days:
            yield from named_after_day(text, start, end, number, known)
        elif size == 4 and number in known.years:
            yield from named_after_year(text, start, end, known)
            if _BORN.search(text, max(0, start - _REACH), start):
                yield start, end, known.years[number]


def _numbers(known: DateLabels) -> Iterator[int]:
    """Yield the numbers that a date in figures may begin with."""
    for year in known.years:
        yield from (year, year % 100)
    for month, day in known.days:
        yield from (month, day)
    for _, month in known.months:
        yield month


def _in_words(text: str, known: DateLabels) -> Iterator[Hit]:
    lowered = lowered_alike(text)
    yield from day_in_words(text, lowered, known)
    yield from from_months(text, lowered, known)


def labels_of_dates(known: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return the labels of dates by value, of known values (kind, label, value); the first of a value wins."""
    return {value: label for kind, label, value in reversed([*known]) if kind == "date"}
