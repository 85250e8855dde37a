"""Hierarchies that are made: ranges of numbers, periods of dates, prefixes of codes such as ZIP."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from math import floor

from spark_deid.ontology.hierarchy import ROOT, ValueHierarchy

MASK = "*"


def number_ranges(texts: Iterable[str], widths: Sequence[int] = (5, 10, 20, 40)) -> ValueHierarchy:
    """Put numbers into ranges of whole numbers, each width a multiple of the one before.

    Where some number is not whole, ranges go up to the next one's beginning without it.

    >>> number_ranges(["23", "28"], widths=(5, 10)).rows
    (('23', '[20-24]', '[20-29]', '*'), ('28', '[25-29]', '[20-29]', '*'))
    >>> number_ranges(["24.5"], widths=(5,)).rows
    (('24.5', '[20-25)', '*'),)
    """
    if any(wide % narrow or wide <= narrow for narrow, wide in pairwise(widths)):
        raise ValueError("each width must be a multiple of the width before it")
    numbers = {text: Decimal(text) for text in texts}
    whole = all(number == number.to_integral_value() for number in numbers.values())
    ranges = _whole_range if whole else _open_range
    return ValueHierarchy(
        tuple((text, *(ranges(each, width) for width in widths), ROOT) for text, each in numbers.items())
    )


def widths_over(span: float) -> tuple[int, ...]:
    """Return widths 5, 10, 50, 100, ... up to the span of some numbers.

    >>> widths_over(99)
    (5, 10, 50)
    """
    widths: list[int] = []
    width = 5
    while width < span or not widths:
        widths.append(width)
        width *= 2 if len(widths) % 2 else 5
    return tuple(widths)


def date_periods(texts: Iterable[str]) -> ValueHierarchy:
    """Put ISO dates into months, years and decades.

    >>> date_periods(["2010-06-22"]).rows
    (('2010-06-22', '2010-06', '2010', '[2010-2019]', '*'),)
    """
    return ValueHierarchy(tuple((text, *_periods(datetime.fromisoformat(text)), ROOT) for text in texts))


def prefixes(texts: Iterable[str]) -> ValueHierarchy:
    """Mask codes of one length from the right.

    >>> prefixes(["53710"]).rows
    (('53710', '5371*', '537**', '53***', '5****', '*'),)
    """
    rows = []
    for text in texts:
        masked = (text[: len(text) - number] + MASK * number for number in range(1, len(text)))
        rows.append((text, *masked, ROOT))
    return ValueHierarchy(tuple(rows))


def one_level(texts: Iterable[str]) -> ValueHierarchy:
    """Give categories without a hierarchy one level, of every value.

    >>> one_level(["a"]).rows
    (('a', '*'),)
    """
    return ValueHierarchy(tuple((text, ROOT) for text in texts))


def _whole_range(value: Decimal, width: int) -> str:
    low = _low(value, width)
    high = low + width - 1
    return f"[{low}..{high}]" if low < 0 else f"[{low}-{high}]"


def _open_range(value: Decimal, width: int) -> str:
    low = _low(value, width)
    high = low + width
    return f"[{low}..{high})" if low < 0 else f"[{low}-{high})"


def _low(value: Decimal, width: int) -> int:
    return floor(value) // width * width  # whole numbers, since a quotient of decimals has 28 digits at most


def _periods(day: date) -> tuple[str, str, str]:
    decade = day.year // 10 * 10
    return f"{day.year:04d}-{day.month:02d}", f"{day.year:04d}", f"[{decade}-{decade + 9}]"
