"""Ids and columns that follow the true dates: values that encode a day, or that sort as the dates do."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from spark_deid.surrogates.recounting import dates_in

LEAST_ROWS = 20
"""Rows from which a rank correlation counts."""
LEAST_CORRELATION = 0.9
"""The rank correlation with the dates from which a column follows them."""
_LEAST_VALUES = 4
"""Different integers that must agree with dates before integers are read as days."""
_NEAR = 7
"""Days between an encoded day and a date of its row within which they agree."""
_LONGEST = 100
"""Characters of a value that is read."""
_MOST_NUMBERS = 3
"""Numbers of one value that are read."""
_EPOCH = date(1970, 1, 1).toordinal()
_STARTS = (
    *(0, _EPOCH, date(1960, 1, 1).toordinal(), date(1899, 12, 30).toordinal(), date(1858, 11, 17).toordinal()),
    *(date(1840, 12, 31).toordinal(), date(1904, 1, 1).toordinal(), date(1582, 10, 14).toordinal()),
)
"""First days of calendars in integers: of Python, Unix, SAS, Excel, modified Julian days, MUMPS, old Excel and SPSS."""
_FIGURES = re.compile(r"(\d(?<![\d/.-]\d)\d{0,3})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?!\d)")
_WORDS = re.compile(
    r"(?<!\d)\d{1,2}[^\w\s]{0,2}(?:st|nd|rd|th)?(?:\s+(?:of|de|del))?[\s.-]+[^\W\d_]{3,12}[\s.,-]{1,3}(?:(?:de|del)\s+)?\d{4}(?!\d)"
    r"|\b[^\W\d_]{3,12}[\s.-]{1,2}\d{1,2}(?:st|nd|rd|th)?[\s,-]{1,3}\d{4}(?!\d)|(?<!\d)(?:19|20)\d{6}(?!\d)"
)
_YEAR = re.compile(r"\d\d\d\d(?!\d)")
_CENTURIES = ("19", "20")
_WRITTEN = 60
"""Characters before a year in which a date begins."""
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_./]?(0[1-9]|1[0-2])[-_./]?([0-2]\d|3[01])(?=\D|$|\d{4}(?:\d\d)?(?!\d))")
_DAY_LAST = re.compile(r"(?<!\d)(\d\d)[-_./]?(\d\d)[-_./]?((?:19|20)\d\d)(?!\d)")
_SHORT = re.compile(r"(?<!\d)(\d\d)(\d\d)(\d\d)(?!\d)")
_YEAR_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_./]?([0-3]\d\d)(?!\d)")
_WEEK = re.compile(r"(?<!\d)((?:19|20)\d\d)-?W([0-5]\d)(?:-?([1-7]))?(?!\d)", re.IGNORECASE)
_SECONDS = re.compile(r"(?<!\d)(\d{9,10}|\d{12,13}|\d{15,16}|\d{18,19})(?!\d)")
_HEX = re.compile(
    r"(?<![0-9a-z])([0-9a-f]{8})-?([0-9a-f]{4})-?([167])([0-9a-f]{3})-?[0-9a-f]{4}-?[0-9a-f]{12}(?![0-9a-z])"
)
_OBJECT = re.compile(r"(?<![0-9a-z])([0-9a-f]{8})[0-9a-f]{16}(?![0-9a-z])")
_ULID = re.compile(r"(?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])")
_CROCKFORD = {letter: value for value, letter in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}
_NUMBER = re.compile(r"\d{1,18}")
_GREGORIAN = date(1582, 10, 15).toordinal()
_SECONDS_A_DAY = 86_400


class DatedRow(NamedTuple):
    """A document's person, its true dates in the order of its text, and its published ids and columns.

    Each date has two readings as an ordinal: month first, and day first.
    """

    person: str
    dates: Sequence[tuple[int, int]]
    values: Mapping[str, str]


def true_dates(text: str) -> list[tuple[int, int]]:
    """Return the whole dates of a text in its order, each read month first and day first.

    >>> [tuple(map(str, map(date.fromordinal, each))) for each in true_dates("on 3/4/2014, then March 5, 2014")]
    [('2014-03-04', '2014-04-03'), ('2014-03-05', '2014-03-05')]
    """
    found: list[tuple[int, tuple[int, int]]] = []
    for match in _FIGURES.finditer(text):
        first, middle, last = int(match[1]), int(match[3]), int(match[4])
        if len(match[1]) > 2:
            days = [_ordinal(first, middle, last)] * 2
        else:
            year = last if len(match[4]) == 4 else last + (2000 if last < 50 else 1900)
            days = [_ordinal(year, first, middle), _ordinal(year, middle, first)]
        real = [day for day in days if day is not None]
        if real:
            found.append((match.start(), (real[0], real[-1])))
    for match in _written_dates(text):
        if days_read := sorted(dates_in(match[0])):
            found.append((match.start(), (days_read[0].toordinal(),) * 2))
    return [days for _, days in sorted(found)]


def _written_dates(text: str) -> Iterator[re.Match[str]]:
    """Yield the dates with a month in words, and those of eight digits: all end with a year, which is found faster."""
    reach = 0
    for year in _YEAR.finditer(text):
        if not _may_end_date(text, year.start()):
            continue
        for match in _WORDS.finditer(text, max(reach, year.start() - _WRITTEN), year.end()):
            yield match
            reach = match.end()


def _may_end_date(text: str, year: int) -> bool:
    """Return whether four digits may end a date: they follow a space or a sign, or are the last of eight digits."""
    sign = text[year - 1 : year]
    if sign.isdecimal():
        return text[max(0, year - 4) : year - 2] in _CENTURIES and not text[max(0, year - 5) : year - 4].isdecimal()
    return sign.isspace() or sign in "-.,"


def dated_row(
    doc_id: str,
    subject_id: str | None,
    text: str,
    meta: Mapping[str, str | None],
    names: Iterable[str],
    shifted: Iterable[str],
) -> DatedRow:
    """Return what a document and its metadata show of dates; dates are those of its text and of shifted columns."""
    given = {**meta, "doc_id": doc_id, "subject_id": subject_id}
    dates = [pair for each in (text, *(meta.get(name) or "" for name in shifted)) for pair in true_dates(each or "")]
    values = {name: value for name in names if (value := given.get(name)) and len(value) <= _LONGEST}
    person = f"document {doc_id}" if subject_id is None else f"subject {subject_id}"
    return DatedRow(person, dates, values)


def columns_in_date_order(rows: Sequence[DatedRow], names: Mapping[str, float]) -> tuple[str, ...]:
    """Return the ids and columns that follow the true dates of their rows.

    ``names`` has the fraction of values that must encode a day near a date of their row. Integers are read as days only
    if at least half of them agree with a date.
    """
    dated = [row for row in rows if row.dates]
    return tuple(
        name for name, least in names.items() if _follows([r for r in dated if r.values.get(name)], name, least)
    )


def _follows(rows: Sequence[DatedRow], name: str, least: float) -> bool:
    values = [row.values[name][:_LONGEST].strip() for row in rows]
    encoded = [list(encoded_days(value)) for value in values]
    near = sum(_is_near(days, row.dates) for days, row in zip(encoded, rows, strict=True))
    if near and near >= least * len(rows):
        return True
    numbers = [[(value[: m.start()], int(m[0])) for m in _NUMBER.finditer(value)][:_MOST_NUMBERS] for value in values]
    columns = [[each[place] if place < len(each) else None for each in numbers] for place in range(_MOST_NUMBERS)]
    if any(_are_days(column, rows) for column in columns):
        return True
    keys: list[Sequence[object]] = [values, [days[0] if days else None for days in encoded]]
    keys += [[None if each is None else each[1] for each in column] for column in columns]
    groups = (each for column in columns for each in _groups(column, rows))
    return any(_sorts(key, rows) for key in keys) or any(_sorts(*each) for each in groups)


def encoded_days(value: str) -> Iterator[int]:
    """Yield the days that a value may encode, as ordinals: dates, weeks, times since 1970, UUID, ULID and ObjectId.

    >>> [str(date.fromordinal(day)) for day in encoded_days("note-20151126-3")]
    ['2015-11-26']
    >>> str(date.fromordinal(next(encoded_days("56564a00e4b0c3f5d2a1b3c4"))))
    '2015-11-25'
    """
    for match in _DAY.finditer(value):
        yield from _real((int(match[1]), int(match[2]), int(match[3])))
    for match in _DAY_LAST.finditer(value):
        yield from _real((int(match[3]), int(match[2]), int(match[1])), (int(match[3]), int(match[1]), int(match[2])))
    for match in _SHORT.finditer(value):
        one, two, three = map(int, match.groups())
        yield from _real((2000 + one, two, three), (2000 + three, two, one), (2000 + three, one, two))
    for match in _YEAR_DAY.finditer(value):
        if 1 <= int(match[2]) <= 366:
            yield date(int(match[1]), 1, 1).toordinal() + int(match[2]) - 1
    for match in _WEEK.finditer(value):
        if 1 <= int(match[2]) <= 52:
            yield date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 4)).toordinal()
    for match in _SECONDS.finditer(value):
        scale = (len(match[1]) - 9) // 3 * 3
        yield _EPOCH + int(match[1]) // 10**scale // _SECONDS_A_DAY
    yield from _days_of_ids(value)


def _days_of_ids(value: str) -> Iterator[int]:
    for match in _HEX.finditer(value.lower()):
        first, second, version, third = match.groups()
        if version == "7":
            yield _EPOCH + int(first + second, 16) // 1000 // _SECONDS_A_DAY
        else:
            ticks = int(third + second + first if version == "1" else first + second + third, 16)
            yield _GREGORIAN + ticks // 10**7 // _SECONDS_A_DAY
    for match in _OBJECT.finditer(value.lower()):
        yield _EPOCH + int(match[1], 16) // _SECONDS_A_DAY
    for match in _ULID.finditer(value.upper()):
        milliseconds = 0
        for letter in match[0][:10]:
            milliseconds = milliseconds * 32 + _CROCKFORD[letter]
        yield _EPOCH + milliseconds // 1000 // _SECONDS_A_DAY


def _are_days(column: Sequence[tuple[str, int] | None], rows: Sequence[DatedRow]) -> bool:
    """Return whether integers are days since a start, days of a year or weeks: if half of them agree with a date."""
    given = [(each[1], row) for each, row in zip(column, rows, strict=True) if each is not None]
    tests: list[Callable[[int, DatedRow], bool]] = [_is_day_of_year, _is_week]
    tests += [lambda number, row, start=start: _is_near([start + number], row.dates, 1) for start in _STARTS]  # type: ignore[misc]
    tests.append(lambda number, row: _is_near([number - 1_721_425], row.dates, 1))  # Julian days
    for test in tests:
        agreeing = [number for number, row in given if test(number, row)]
        if len(agreeing) * 2 >= len(given) and len(set(agreeing)) >= _LEAST_VALUES:
            return True
    if len(given) < LEAST_ROWS:
        return False
    for sign in (1, -1):
        starts = Counter(day - sign * number for number, row in given for day in _chosen(row.dates))
        [(start, same)] = starts.most_common(1)
        agreeing = [number for number, row in given if start + sign * number in _chosen(row.dates)]
        if same * 2 >= len(given) and len(set(agreeing)) >= _LEAST_VALUES:
            return True
    return False


def _is_day_of_year(number: int, row: DatedRow) -> bool:
    return any(date.fromordinal(day).timetuple().tm_yday == number for day in _chosen(row.dates))


def _is_week(number: int, row: DatedRow) -> bool:
    return any(date.fromordinal(day).isocalendar().week == number for day in _chosen(row.dates))


def _chosen(dates: Sequence[tuple[int, int]]) -> set[int]:
    """Return the first, earliest and latest date, in both readings."""
    return {day for reading in zip(*dates, strict=True) for day in (reading[0], min(reading), max(reading))}


def _is_near(days: Iterable[int], dates: Sequence[tuple[int, int]], most: int = _NEAR) -> bool:
    return any(abs(day - each) <= most for day in days for pair in dates for each in pair)


def _groups(
    column: Sequence[tuple[str, int] | None], rows: Sequence[DatedRow]
) -> Iterator[tuple[Sequence[object], Sequence[DatedRow]]]:
    """Yield the numbers and rows that have the same text before the number (``ward2-17``)."""
    found: dict[str, list[tuple[int, DatedRow]]] = defaultdict(list)
    for each, row in zip(column, rows, strict=True):
        if each is not None:
            found[each[0]].append((each[1], row))
    for group in found.values():
        if len(rows) > len(group) >= LEAST_ROWS:
            yield [number for number, _ in group], [row for _, row in group]


def _sorts(keys: Sequence[object], rows: Sequence[DatedRow]) -> bool:
    """Return whether the rank correlation of the keys with the first, earliest or latest dates shows the order."""
    given = [(key, row) for key, row in zip(keys, rows, strict=True) if key is not None]
    if len(given) < LEAST_ROWS or len({row.person for _, row in given}) < 2:
        return False
    ranks = _ranks([key for key, _ in given])
    pick: tuple[Callable[[Collection[int]], int], ...] = (_first, min, max)
    truths = {
        tuple(each([pair[reading] for pair in row.dates]) for _, row in given) for each in pick for reading in (0, 1)
    }
    return any(abs(_correlation(ranks, _ranks(truth))) >= LEAST_CORRELATION for truth in truths)


def _first(days: Collection[int]) -> int:
    return next(iter(days))


def _ranks(keys: Sequence[object]) -> np.ndarray:
    """Return the ranks of keys; equal keys have their average rank."""
    _, places, counts = np.unique(np.array(keys), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    averages: np.ndarray = (ends - (counts - 1) / 2)[places]
    return averages


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / size if size else 0.0


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def _real(*days: tuple[int, int, int]) -> Iterator[int]:
    yield from (found for each in days if (found := _ordinal(*each)) is not None)
