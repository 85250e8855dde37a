"""Bands: ends on borders of a grid that no data made, regardless of the data."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import attribute_of
from spark_deid.anonymity.bands import show_as_bands, widened_to_bands
from spark_deid.anonymity.labels import name_ranges

NO = np.array([False])


def shown(name: str, values: list[Any], low: int = 1, high: int | None = None) -> str:
    attribute = show_as_bands(attribute_of(name, pa.array(values)))
    ends = np.array([low], np.int32), np.array([len(values) if high is None else high], np.int32)
    ranges = widened_to_bands(attribute, *ends) if attribute.is_banded else ends
    return str(name_ranges(attribute, *ranges, NO).to_pylist()[0])


@pytest.mark.parametrize(
    ("name", "values", "band"),
    [
        ("age", [23, 24], "[20-24]"),
        ("age", [23, 27], "[20-29]"),
        ("age", [24, 71], "[20-79]"),
        ("Age", [7, 11], "[5-14]"),
        ("age", ["23", "38"], "[20-39]"),
        ("rooms", [3, 4], "[2-5]"),
        ("visits", [13, 26], "[10-29]"),
        ("income", [23_471, 61_002], "[20000-79999]"),
        ("balance", [-17, 23], "[-20..39]"),
        ("height", [1.62, 1.87], "[1.6-2]"),
        ("dose", [Decimal("0.25"), Decimal("0.75")], "[0-1]"),
        ("zip", ["02138", "02141"], "[02130-02149]"),
        ("zip", ["02138", "02997"], "[02100-02999]"),
        ("zip", [10_138, 10_141], "[10130-10149]"),
        ("birth_date", ["1951-03-06", "1951-03-20"], "[1951-03-01..1951-03-31]"),
        ("birth_date", ["1951-01-30", "1951-05-02"], "[1951-01-01..1951-06-30]"),
        ("birth_date", ["1951-03-06", "1954-01-20"], "[1951-01-01..1954-12-31]"),
        ("birth_date", ["1930-08-25", "1955-12-26"], "[1930-01-01..1959-12-31]"),
        ("seen", [date(2020, 2, 29), date(2020, 3, 1)], "[2020-02-01..2020-03-31]"),
        ("seen", [datetime(2020, 2, 9, 7), datetime(2020, 2, 9, 8)], "[2020-02-01 00:00:00..2020-02-29 23:59:59]"),
        ("age", [23], "23"),
        ("job", ["baker", "clerk"], "{baker, clerk}"),
    ],
)
def test_a_band_goes_from_border_to_border(name: str, values: list[Any], band: str) -> None:
    assert shown(name, values) == band


def test_a_band_covers_all_values_and_is_its_own_band() -> None:
    random = np.random.default_rng(3)
    for _ in range(300):
        size = int(random.integers(2, 30))
        kind = random.integers(4)
        numbers = random.choice(10 ** int(random.integers(2, 7)), size, replace=False)
        if kind == 0:
            values, name = pa.array(numbers), "age" if random.integers(2) else "count"
        elif kind == 1:
            values, name = pa.array(numbers / 8 - 40), "level"
        elif kind == 2:
            values, name = pa.array([f"{each:07d}" for each in numbers]), "code"
        else:
            values, name = pa.array(np.datetime64("1900-01-01") + numbers % 60_000), "born"
        attribute = show_as_bands(attribute_of(name, values))
        lows = random.integers(1, attribute.size, 5).astype(np.int32)
        highs = np.array([random.integers(low, attribute.size) for low in lows], np.int32)
        first, last = widened_to_bands(attribute, lows, highs)
        assert (first <= lows).all()
        assert (last >= highs).all()
        again = widened_to_bands(attribute, first, last)
        assert np.array_equal(again[0], first)
        assert np.array_equal(again[1], last)
        _check_ends(attribute, first, last)


def _check_ends(attribute: Any, lows: Any, highs: Any) -> None:
    """See that ends cover what they are of, and depend on no value inside."""
    for low, high, text in zip(
        lows, highs, name_ranges(attribute, lows, highs, np.zeros(len(lows), bool)).to_pylist(), strict=True
    ):
        if low == high:
            continue
        ends = text[1:-1].split("..") if ".." in text else text[1:-1].rsplit("-", 1)
        least, most = attribute.values[int(low) - 1].as_py(), attribute.values[int(high) - 1].as_py()
        if isinstance(least, date):
            assert date.fromisoformat(ends[0]) <= least <= most <= date.fromisoformat(ends[1])
            assert ends[0].endswith("-01")
        else:
            assert float(ends[0]) <= float(least) <= float(most) <= float(ends[1])
