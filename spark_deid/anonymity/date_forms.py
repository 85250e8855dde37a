"""Forms in which cells write dates, and dates read from them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Int64s

_DAY, _MONTH = "(?P<day>[0-9]{1,2})", "(?P<month>[0-9]{1,2})"
_YEAR, _ANY_YEAR = "(?P<year>[0-9]{4})", "(?P<year>[0-9]{4}|[0-9]{2})"
_NAME = "(?P<month>[A-Za-z]{3,9})"
_TIME = r"[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,9})?)?"
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_GROUP = re.compile("[(][?]P<[a-z]+>")
_CENTURY = 100


class DateForm(NamedTuple):
    """A pattern with the groups ``day``, ``month`` and ``year``; ``is_day_first`` is None if cells show the order."""

    pattern: str
    is_day_first: bool | None = None


FORMS: Mapping[str, DateForm] = MappingProxyType(
    {
        "y-M-d": DateForm(f"^{_YEAR}-{_MONTH}-{_DAY}$"),
        "y-M-d H:m": DateForm(f"^{_YEAR}-{_MONTH}-{_DAY}{_TIME}$"),
        "y/M/d": DateForm(f"^{_YEAR}/{_MONTH}/{_DAY}$"),
        **{
            name.replace("/", mark): DateForm(f"^{first}{sign}{second}{sign}{_ANY_YEAR}$", is_day_first)
            for mark, sign in (("/", "/"), (".", "[.]"), ("-", "-"))
            for name, first, second, is_day_first in (("d/M/y", _DAY, _MONTH, True), ("M/d/y", _MONTH, _DAY, False))
        },
        "d MMM y": DateForm(f"^{_DAY}[ -]{_NAME}[ -]{_ANY_YEAR}$"),
        "MMM d, y": DateForm(f"^{_NAME} {_DAY},? {_YEAR}$"),
    }
)
"""All forms by their names."""


def date_pattern(forms: Iterable[str]) -> str:
    """Return a pattern, of Java as well, that fits all dates of some forms, and texts that only look like them.

    >>> date_pattern(["y-M-d", "d.M.y"])
    '^(?:[0-9]{4})-(?:[0-9]{1,2})-(?:[0-9]{1,2})$|^(?:[0-9]{1,2})[.](?:[0-9]{1,2})[.](?:[0-9]{4}|[0-9]{2})$'
    """
    return "|".join(_GROUP.sub("(?:", FORMS[name].pattern) for name in forms)


def read_dates(texts: pa.Array, forms: Sequence[str], until: date) -> pa.Array:
    """Return the dates that texts are by the first form that fits; null for other texts.

    Args:
        texts: Text without whitespace at its ends.
        forms: Names of forms.
        until: The latest date that a year of two digits can mean.

    >>> read_dates(pa.array(["10-02-63", "10-02-25", "30-02-63"]), ["d-M-y"], date(2026, 11, 28)).to_pylist()
    [datetime.date(1963, 2, 10), datetime.date(2025, 2, 10), None]
    """
    found = pa.nulls(len(texts), pa.date32())
    for name in forms:
        found = pc.coalesce(found, _read(texts, FORMS[name], until))
    return found


def _read(texts: pa.Array, form: DateForm, until: date) -> pa.Array:
    parts = pc.extract_regex(texts, form.pattern)
    there = np.flatnonzero(pc.is_valid(parts).to_numpy(zero_copy_only=False))
    dates = np.full(len(texts), np.datetime64("NaT"), "datetime64[D]")
    if there.size:
        chosen = parts.take(pa.array(there))
        year, month, day = (pc.struct_field(chosen, name) for name in ("year", "month", "day"))
        is_short = (pc.utf8_length(year).to_numpy(zero_copy_only=False)) == 2
        years, days = _integers(year), _integers(day)
        months = _month_numbers(month) if _NAME in form.pattern else _integers(month)
        latest = until.year // _CENTURY * _CENTURY
        full = np.where(is_short, latest + years, years)
        read = _days(full, months, days)
        is_late = is_short & ~(read <= np.datetime64(until))  # also 29 February in a year without that day
        dates[there] = np.where(is_late, _days(full - _CENTURY, months, days), read)
    return pa.array(dates, pa.date32(), mask=np.isnat(dates))


def _days(years: Int64s, months: Int64s, days: Int64s) -> np.ndarray:
    """Return dates; NaT where a year, month or day does not exist."""
    starts = ((years - 1970) * 12 + np.clip(months, 1, 12) - 1).astype("datetime64[M]")
    lengths = ((starts + 1).astype("datetime64[D]") - starts.astype("datetime64[D]")).astype(np.int64)
    exists = (years >= 1) & (months >= 1) & (months <= 12) & (days >= 1) & (days <= lengths)
    dates = starts.astype("datetime64[D]") + (days - 1)
    return np.where(exists, dates, np.datetime64("NaT"))


def _integers(texts: pa.Array) -> Int64s:
    numbers: Int64s = texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _month_numbers(names: pa.Array) -> Int64s:
    """Return the numbers of months by their names or the first three letters of these; 0 for other words."""
    lower = pc.utf8_lower(names)
    full = pc.index_in(lower, value_set=pa.array(_MONTHS))
    short = pc.index_in(lower, value_set=pa.array([name[:3] for name in _MONTHS]))
    numbers: Int64s = pc.fill_null(pc.coalesce(full, short), -1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    return numbers
