"""Bands: ranges from border to border of a grid that no data made, so that their ends are the values of no person.

Ages follow 5 and 10, other numbers by 1, 2 and 5 times powers of ten (whole ones by 2 at least), codes of digits by
powers of ten, dates by months, quarters, years and decades. The wider a range is, the wider are the steps of its grid.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import AttributeOrder, CodedAttribute
from spark_deid.core.numerics.arrays import Int32s
from spark_deid.values.kinds import kind_of

Ends = tuple[Any, Any]
"""The first and the last value of a band: numbers, or days."""
Band = Callable[[Any, Any], Ends]

_LINES = (AttributeOrder.NUMBER, AttributeOrder.DATE)
_SHORTEST_CODE = 4
"""Text of fewer digits is a number: an age."""
_QUARTER, _YEAR, _DECADE = timedelta(days=92), timedelta(days=366), timedelta(days=3653)
_DAY = timedelta(days=1)


def show_as_bands(attribute: CodedAttribute) -> CodedAttribute:
    """Return an attribute whose ranges are shown as bands, where its values have an order that can be measured.

    >>> import pyarrow as pa
    >>> from spark_deid.anonymity.attribute import attribute_of
    >>> [show_as_bands(attribute_of("age", pa.array(values))).is_banded for values in ([1, 2], ["a"])]
    [True, False]
    """
    return replace(attribute, is_banded=attribute.kind in _LINES)


def band_of(attribute: CodedAttribute) -> Band:
    """Return what makes the band of two values of an attribute, the least and the greatest that it must have."""
    if attribute.kind is AttributeOrder.DATE:
        return _days
    if attribute.is_code(_SHORTEST_CODE):
        return _codes
    is_whole, kind = _are_whole(attribute.line), kind_of(attribute.name.lower())
    if is_whole and kind in _OF_KINDS:
        return _OF_KINDS[kind]
    return _whole_numbers if is_whole else _numbers


def widened_to_bands(attribute: CodedAttribute, lows: Int32s, highs: Int32s) -> tuple[Int32s, Int32s]:
    """Return ranges of codes, widened until each has all values of its band; ranges of one value, and of none, remain.

    What a band makes of the codes of a band is this band again.
    """
    keys, inverse = np.unique(lows.astype(np.int64) * attribute.size + highs, return_inverse=True)
    low, high = np.divmod(keys, attribute.size)
    values, band = attribute.values, band_of(attribute)
    open_ones = np.flatnonzero(low < high)
    while len(open_ones):
        ends = [band(values[int(low[at]) - 1].as_py(), values[int(high[at]) - 1].as_py()) for at in open_ones]
        first = _places([each[0] for each in ends], attribute, "left") + 1
        last = _places([each[1] for each in ends], attribute, "right")
        first, last = np.minimum(first, low[open_ones]), np.maximum(last, high[open_ones])
        is_wider = (first < low[open_ones]) | (last > high[open_ones])
        low[open_ones], high[open_ones] = first, last
        open_ones = open_ones[is_wider]
    return low[inverse].astype(np.int32), high[inverse].astype(np.int32)


def band_texts(attribute: CodedAttribute, lows: Int32s, highs: Int32s) -> tuple[pa.Array, pa.Array]:
    """Return how the ends of bands are written, of ranges of several values; null for the others."""
    values, band = attribute.values, band_of(attribute)
    texts: list[tuple[str | None, str | None]] = [(None, None)] * len(lows)
    size = len(values[0].as_py()) if attribute.is_code(_SHORTEST_CODE) else 0
    has_times = pa.types.is_timestamp(values.type)
    for at in np.flatnonzero(lows < highs):
        first, last = band(values[int(lows[at]) - 1].as_py(), values[int(highs[at]) - 1].as_py())
        texts[at] = _text(first, size, " 00:00:00" * has_times), _text(last, size, " 23:59:59" * has_times)
    return pa.array([each[0] for each in texts], pa.string()), pa.array([each[1] for each in texts], pa.string())


def _text(end: Any, size: int, time: str) -> str:
    if isinstance(end, date):
        return end.isoformat() + time
    if isinstance(end, Decimal):
        return format(end.normalize() + 0, "f")  # no zero below zero
    return format(end, f"0{size}d" if size else "d")


def _places(ends: list[Any], attribute: CodedAttribute, side: Any) -> np.ndarray:
    """Return how many values are before ends, or before and at these."""
    positions = attribute.positions[1 : attribute.last + 1]
    if attribute.kind is not AttributeOrder.DATE:
        return np.searchsorted(positions, np.array(ends, np.float64), side)
    days = np.array([each.toordinal() - date(1970, 1, 1).toordinal() for each in ends], np.float64)
    return np.searchsorted(positions, days * 86_400e6 + (86_399_999_999 if side == "right" else 0), side)


def _are_whole(values: pa.Array) -> bool:
    if pa.types.is_string(values.type):
        return not pc.any(pc.match_substring(values, ".")).as_py()
    return bool(pa.types.is_integer(values.type))


def _number(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _step(span: Decimal, least: Decimal) -> Decimal:
    """Return the greatest of 1, 2 and 5 times a power of ten that a span reaches, at least ``least``."""
    power = Decimal(1).scaleb(span.adjusted())
    return max(least, next(times * power for times in (5, 2, 1) if times * power <= span))


def _whole(low: int, high: int, step: int) -> Ends:
    return low // step * step, high // step * step + step - 1


def _ages(low: Any, high: Any) -> Ends:
    first, last = int(low), int(high)
    return _whole(first, last, 5 if last - first < 5 else 10)


def _whole_numbers(low: Any, high: Any) -> Ends:
    first, last = int(low), int(high)
    return _whole(first, last, int(_step(Decimal(last - first), Decimal(2))))


def _codes(low: Any, high: Any) -> Ends:
    first, last = int(low), int(high)
    return _whole(first, last, 10 ** max(1, len(str(last - first)) - 1))


_OF_KINDS: Mapping[str, Band] = MappingProxyType({"age": _ages, "postcode": _codes})
"""The bands of integers by their kind: files of CSV have ZIP codes as numbers."""


def _numbers(low: Any, high: Any) -> Ends:
    first, last = _number(low), _number(high)
    step = _step(last - first, Decimal(0))
    least, most = (value // step - (1 if value < 0 and value % step else 0) for value in (first, last))
    return least * step, (most + 1) * step


def _days(low: Any, high: Any) -> Ends:
    first, last = _day(low), _day(high)
    months = next((n for n, least in ((120, _DECADE), (12, _YEAR), (3, _QUARTER)) if last - first >= least), 1)
    return _month(first, months), _month_after(last, months) - _DAY


def _day(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(value)


def _month(day: date, months: int) -> date:
    """Return the first day of the month, quarter, year or decade of a day."""
    count = (day.year * 12 + day.month - 1) // months * months
    return date(max(count // 12, 1), count % 12 + 1, 1)


def _month_after(day: date, months: int) -> date:
    count = ((day.year * 12 + day.month - 1) // months + 1) * months
    return date(count // 12, count % 12 + 1, 1) if count // 12 <= date.max.year else date.max
