"""Ranges of dates as they are written: two ends, of which one can take its month or year from the other."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain
from typing import NamedTuple

from spark_deid.values.date import PartialDate, is_real
from spark_deid.values.date_form import LONGEST, DateField, FieldName, WrittenDate, read_form, write_form
from spark_deid.values.locale import ValueLocale

MIDDLE = 15
"""The day of a month without a day."""
_JOINT = re.compile(
    r"\s*[-–—]\s*|/|\s+(?:to|thru|through|until|till|bis|al?|au|à|hasta(?: el)?|t/m|tot(?: en met)?|até|ao?)\s+",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\s+(?:and|und|y|et|e|en)\s+", re.IGNORECASE)
"""A word that joins two days of a month; between two dates it only lists them."""
_DAY_ALONE = re.compile(r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|er)?\.?", re.IGNORECASE)
_DAY_AND_YEAR = re.compile(r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|er)?(?:,? |, ?|/)(?P<year>\d{4})", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-?\d\d-?\d\d(?!\d)")
_PARTS: tuple[FieldName, ...] = ("day", "ordinal", "year")
_IN_ORDER = {True: ("day", "month"), False: ("month", "day")}
_ONE_FIGURE = re.compile(r"(?<![0-9:])[1-9](?![0-9:])")


class DateRange(NamedTuple):
    """The ends of a range as they are written, where the last begins, and what each end is.

    The form of an end has the fields that are written. ``first`` and ``last`` also have the month and the year that
    the other end writes. ``locale`` has the order in which day and month are written.
    """

    head: WrittenDate
    joint: int
    tail_at: int
    tail: WrittenDate
    first: PartialDate
    last: PartialDate
    locale: ValueLocale


def read_range(surface: str, locale: ValueLocale) -> DateRange | None:
    """Return both ends of a range of dates, None for any other surface.

    An end without a year has the year of the other end, or the year before it if the range includes New Year.

    >>> found = read_range("12/28-1/3/15", ValueLocale())
    >>> str(found.first), str(found.last)
    ('2014-12-28', '2015-01-03')
    """
    if len(surface) > LONGEST or read_form(surface, locale) is not None:
        return None
    turned = ValueLocale(locale.language, "US" if locale.is_day_first else "GB", locale.last_year)
    for each in (locale, turned) if locale.language == "en" else (locale,):
        if (found := next(_splits(surface, each), None)) is not None:
            return found
    return None


def is_joint(text: str) -> bool:
    """Return whether a text joins the ends of a range.

    >>> is_joint(" - "), is_joint(" to "), is_joint(", ")
    (True, True, False)
    """
    return _JOINT.fullmatch(text) is not None


def write_range(surface: str, found: DateRange, first: date, last: date) -> tuple[str, str] | None:
    """Write both ends of a range in their forms; None if that reads as another range.

    >>> surface = "3/15-3/20/22"
    >>> write_range(surface, read_range(surface, ValueLocale()), date(2022, 12, 29), date(2023, 1, 3))
    ('12/29', '1/3/23')
    """
    head = write_form(surface[: found.joint], found.head, first, found.locale)
    tail = write_form(surface[found.tail_at :], found.tail, last, found.locale)
    written = next(_splits(f"{head}{surface[found.joint : found.tail_at]}{tail}", found.locale), None)
    expected = (_as_precise(first, found.first), _as_precise(last, found.last))
    return (head, tail) if written is not None and (written.first, written.last) == expected else None


def day_of(value: PartialDate) -> date | None:
    """Return the day that a date with a year and a month is, the middle of a month without a day."""
    if value.year is None or value.month is None:
        return None
    try:
        return date(value.year, value.month, value.day or MIDDLE)
    except ValueError:
        return None


def _splits(surface: str, locale: ValueLocale) -> Iterator[DateRange]:
    for joint in chain(_JOINT.finditer(surface), _BOTH.finditer(surface)):
        start, end = joint.span()
        if joint[0] == "/" and not (_ISO.match(surface) and _ISO.match(surface, end)):
            continue
        head = _end(surface[:start], locale, _DAY_ALONE)
        tail = _end(surface[end:], locale, _DAY_AND_YEAR, _DAY_ALONE) if head is not None else None
        if head is None or tail is None or not _same_order(head, tail):
            continue
        shares_month = head.value.month is None or tail.value.month is None
        ends = _filled(head.value, tail.value) if shares_month or joint.re is _JOINT else None
        if ends is not None:
            head, tail = _padded(surface, head), _padded(surface, tail)
            yield DateRange(head, start, end, tail, *ends, _ordering(head, tail, locale))


def _end(text: str, locale: ValueLocale, *others: re.Pattern[str]) -> WrittenDate | None:
    form = None if "/" in text and "-" in text else read_form(text, locale)
    if form is not None and (form.value.month is not None or form.value.day is not None):
        return form
    return next((_day_form(match) for each in others if (match := each.fullmatch(text))), None)


def _day_form(match: re.Match[str]) -> WrittenDate:
    """Return the form of a day without its month."""
    parts = match.groupdict()
    fields = sorted(DateField(*match.span(name), name) for name in _PARTS if parts.get(name))
    year = parts.get("year")
    value = PartialDate(None if year is None else int(year), None, int(parts["day"]))
    return WrittenDate(value, tuple(fields), match.string.startswith("0"))


def _padded(surface: str, end: WrittenDate) -> WrittenDate:
    """Return the form of an end, not padded if a day or month of the range has one figure."""
    return end._replace(is_padded=False) if _ONE_FIGURE.search(surface) else end


def _figures(*ends: WrittenDate) -> set[tuple[str, ...]]:
    """Return the orders of day and month in figures."""
    found = (tuple(str(field.name) for field in each.fields if field.name in ("day", "month")) for each in ends)
    return {order for order in found if order in _IN_ORDER.values()}


def _same_order(head: WrittenDate, tail: WrittenDate) -> bool:
    return len(_figures(head, tail)) < 2


def _ordering(head: WrittenDate, tail: WrittenDate, locale: ValueLocale) -> ValueLocale:
    """Return a locale in which figures have the order that the ends have."""
    orders = _figures(head, tail)
    has_words = any(field.name in ("month word", "weekday") for each in (head, tail) for field in each.fields)
    if has_words or orders <= {_IN_ORDER[locale.is_day_first]}:
        return locale
    return ValueLocale("en", "US" if locale.is_day_first else "GB", locale.last_year)


def _filled(head: PartialDate, tail: PartialDate) -> tuple[PartialDate, PartialDate] | None:
    """Return both ends with the month and the year of each other; None for other dates."""
    if (head.day is None) != (tail.day is None) or (head.month is None and tail.month is None):
        return None
    shares_month = head.month is None or tail.month is None
    month = head.month or tail.month
    first, last = head._replace(month=head.month or month), tail._replace(month=tail.month or month)
    turns = _place(first) > _place(last)
    if head.year is None and tail.year is not None:
        first = first._replace(year=tail.year - turns)
    elif tail.year is None and head.year is not None:
        last = last._replace(year=head.year + turns)
    is_forward = first.year is None or (first.year, *_place(first)) < (last.year, *_place(last))
    is_range = is_forward and is_real(first) and is_real(last) and not (shares_month and turns)
    return (first, last) if is_range else None


def _place(value: PartialDate) -> tuple[int, int]:
    return value.month or 0, value.day or MIDDLE


def _as_precise(moved: date, was: PartialDate) -> PartialDate:
    return PartialDate(None if was.year is None else moved.year, moved.month, None if was.day is None else moved.day)
