"""Dates of a person everywhere they occur: in full, by month and day, by month and year, and years of births.

Numbers and names of months that a known date has are searched for, what is around them is read, and compared. A year
that is another one makes another date of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from spark_deid.identity.known_values.dates_in_figures import (
    EARLIEST,
    LATEST,
    DateLabels,
    Hit,
    from_number,
    label_compact,
    labels_by_date,
)
from spark_deid.identity.mentions import lowered_alike, starts_of
from spark_deid.values.date import MONTHS
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form, words_of

# Known dates with a month's name: what is right after a known day, year or month's name is read.


# Days of a month as they are written: in figures, and as ordinals or numbers in words, in English and Spanish.


_ONES = words_of("first second third fourth fifth sixth seventh eighth ninth")
_TEENS = words_of("tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
_ES_SMALL = words_of(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho"
    " diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho"
    " veintinueve treinta"
)


@cache
def _number_words() -> dict[str, int]:
    days = {word: number for number, word in enumerate((*_ONES, *_TEENS), 1)} | {"twentieth": 20, "thirtieth": 30}
    days |= {f"twenty {word}": 20 + number for number, word in enumerate(_ONES, 1)} | {"thirty first": 31}
    days |= {word: number for number, word in enumerate(_ES_SMALL, 1)} | {"primero": 1, "treinta y uno": 31}
    return days


_ACCENTED = {"dieciseis": "diecis[eé]is", "veintidos": "veintid[oó]s", "veintitres": "veintitr[eé]s"}
_ACCENTED["veintiseis"] = "veintis[eé]is"


def _written(word: str) -> str:
    return _ACCENTED.get(word, word).replace(" ", r"[\s-]{1,4}")


def _expression() -> str:
    words = "|".join(map(_written, sorted(_number_words(), key=len, reverse=True)))
    return rf"(?<!\d)\d{{1,2}}(?!\d)|(?<![^\W\d_])(?:{words})(?![^\W\d_])"


DAY = _expression()
"""An expression of a day, in figures or in words."""


@cache
def words_of_day(day: int) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return expressions of a day in words, each with the letters that it begins with."""
    words = [word for word, number in _number_words().items() if number == day]
    return tuple((re.compile(rf"{_written(word)}(?![^\W\d_])", re.IGNORECASE), word[:5].split()[0]) for word in words)


def day_number(written: str) -> int:
    """Return the number of a day that ``DAY`` matches.

    >>> day_number("06"), day_number("Twenty-First"), day_number("dieciséis")
    (6, 21, 16)
    """
    return int(written) if written.isdecimal() else _number_words()[plain_form(written)]


_REACH = 40
_GAP = r"[\s,./_-]{0,6}"
_JOINT = r"(?:(?:day\s+)?(?:of|del?|the)\s*(?:the\s+month\s+of\s+|mes\s+de\s+)?)?"
_MONTH_AFTER_DAY = re.compile(
    rf"(?:\s?(?:st|nd|rd|th|er|[oaºª°.])(?![^\W\d_]))?{_GAP}{_JOINT}([^\W\d_]{{3,10}})(?![^\W\d_])", re.IGNORECASE
)
_MONTH_AFTER_YEAR = re.compile(rf"{_GAP}{_JOINT}([^\W\d_]{{3,10}})(?![^\W\d_])", re.IGNORECASE)
_DAY_BEFORE = re.compile(
    rf"({DAY})(?:\s?(?:st|nd|rd|th|er|[oaºª°.]))?{_GAP}{_JOINT}\Z",
    re.IGNORECASE,
)
_DAY_AFTER = re.compile(rf"\.?{_GAP}(?:(?:the|el|of|del?)\s*)?({DAY})(?:\s?(?:st|nd|rd|th))?", re.IGNORECASE)
_YEAR_AFTER = re.compile(
    r"\.?(?P<joint>[\s,./_-]{0,6})(?:(?:of|de|del|in|en)\s+)?(?:the\s+year\s+)?(?P<mark>')?(?P<year>\d{4}|\d\d)(?!\d)",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(rf"(?<!\d)(\d{{4}}){_GAP}(?:(?:of|del?|the)\s+)*\Z", re.IGNORECASE)


def named_after_day(text: str, start: int, end: int, day: int, known: DateLabels) -> Iterator[Hit]:
    """Yield the known date that a day begins which the name of its month follows."""
    match = _MONTH_AFTER_DAY.match(text, end)
    month = _month(match[1]) if match else None
    if match and month and (month, day) in known.days:
        yield from _with_year(text, known, month, day, start, match.end())


def named_after_year(text: str, start: int, end: int, known: DateLabels) -> Iterator[Hit]:
    """Yield the known date that a year begins which the name of a month follows, and a day or none."""
    match = _MONTH_AFTER_YEAR.match(text, end)
    month = _month(match[1]) if match else None
    if match is None or month is None:
        return
    year, after = text[start:end], _DAY_AFTER.match(text, match.end())
    if after and (label := known.label(year, month, day_number(after[1]))):
        yield start, after.end(), label
    if after is None and (label := known.label(year, month, None)):
        yield start, match.end(), label


def day_in_words(text: str, lowered: str, known: DateLabels) -> Iterator[Hit]:
    """Yield known dates that begin with a day in words: "the sixth of March"."""
    for day in sorted({day for _, day in known.days}):
        for pattern, anchor in words_of_day(day):
            for place in starts_of(lowered, anchor):
                if match := pattern.match(text, place):
                    yield from named_after_day(text, place, match.end(), day, known)


def from_months(text: str, lowered: str, known: DateLabels) -> Iterator[Hit]:
    """Yield known dates that begin with a month's name, which a day or a year follows."""
    for month in sorted({month for month, _ in known.days} | {month for _, month in known.months}):
        for stem in sorted({name[:3] for name, number in _names().items() if number == month}):
            for place in starts_of(lowered, stem):
                name = _NAME.match(text, place)
                if name and _month(name[0]) == month:
                    yield from _from_month(text, month, place, name.end(), known)


_NAME = re.compile(r"[^\W\d_]{3,10}(?![^\W\d_])")


def _from_month(text: str, month: int, start: int, end: int, known: DateLabels) -> Iterator[Hit]:
    first = max(0, start - _REACH)
    after = _DAY_AFTER.match(text, end)
    day = day_number(after[1]) if after else 0
    if after and (month, day) in known.days:
        year_before = _YEAR_BEFORE.search(text, first, start)
        if year_before is None or known.label(year_before[1], month, day):
            yield from _with_year(text, known, month, day, start, after.end())
    year = _YEAR_AFTER.match(text, end)
    if year is None or not (len(year["year"]) == 4 or year["mark"]):
        return
    label = known.label(year["year"], month, None)
    if label and not _DAY_BEFORE.search(text, first, start):
        yield start, year.end(), label


@cache
def _names() -> dict[str, int]:
    """Return months by their names, in full and by the first three letters, of all languages."""
    names = {name[:end]: at for each in MONTHS.values() for at, name in enumerate(each, 1) for end in (len(name), 3)}
    return names | dict.fromkeys(("sept", "set", "setiembre"), 9)


def _month(word: str) -> int | None:
    return _names().get(word.lower())


def _with_year(text: str, known: DateLabels, month: int, day: int, start: int, end: int) -> Iterator[Hit]:
    """Yield a day of a month with the year that follows, or without one if none follows."""
    year = _YEAR_AFTER.match(text, end)
    if year and (label := known.label(year["year"], month, day)):
        yield start, year.end(), label
    elif (year is None or not _is_year(year)) and (label := known.label(None, month, day)):
        yield start, end, label


def _is_year(match: re.Match[str]) -> bool:
    """Return whether a number after a day and month is surely a year: "73" after "March 6," may be a weight."""
    if len(match["year"]) == 4:
        return EARLIEST <= int(match["year"]) < LATEST
    return bool(match["mark"]) or match["joint"].strip() in ("-", "/")


_RUN = re.compile(r"\d+")
_BORN = re.compile(
    r"(?:(?<![^\W\d_])(?:born|birth(?:day|date)?|b\.|dob|yob|nacid[oa]|nacimiento|f\.?\s?n\.?)[\s:.,/_-]{0,6}"
    r"(?:(?:in|on|en|el|year|date|is|was|the|of|año|del?|[nr]d|st|th)[\s:.,/_-]{0,6}){0,3})\Z",
    re.IGNORECASE,
)


def find_known_dates(text: str, dates: Mapping[str, str], locale: ValueLocale) -> Iterator[Hit]:
    """Yield where known dates (labels by value, as ``values.date`` reads them) occur; the text is folded.

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
