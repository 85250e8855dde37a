import datetime
import math

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import AttributeOrder, attribute_of, default_hierarchy
from spark_deid.anonymity.labels import name_ranges
from spark_deid.anonymity.lattice import levels_of
from spark_deid.core.errors import SparkDeidError
from spark_deid.ontology.hierarchy import parse_hierarchy


def shown(values: pa.Array, *ranges: tuple[int, int, bool]) -> list[str | None]:
    lows, highs, missing = zip(*ranges, strict=True)
    return list(name_ranges(attribute_of("x", values), np.array(lows), np.array(highs), np.array(missing)).to_pylist())


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pa.array([3, 1, None]), AttributeOrder.NUMBER),
        (pa.array([True, False]), AttributeOrder.CATEGORY),
        (pa.array(["53710", "03711"]), AttributeOrder.NUMBER),
        (pa.array(["07", "7"]), AttributeOrder.CATEGORY),
        (pa.array(["1.5", "2"]), AttributeOrder.NUMBER),
        (pa.array(["1.5", "1.50"]), AttributeOrder.CATEGORY),
        (pa.array(["2010-01-31"]), AttributeOrder.DATE),
        (pa.array(["2010-01-31", "2010-02-31"]), AttributeOrder.CATEGORY),
        (pa.array([datetime.date(2010, 1, 31)]), AttributeOrder.DATE),
        (pa.array([datetime.datetime(2010, 1, 31, 5)]), AttributeOrder.DATE),
        (pa.array([None], pa.string()), AttributeOrder.CATEGORY),
    ],
)
def test_values_state_what_order_they_have(values: pa.Array, kind: AttributeOrder) -> None:
    assert attribute_of("x", values).kind is kind


def test_codes_follow_the_order_and_zero_is_missing() -> None:
    attribute = attribute_of("x", pa.array(["9", "10", None]))
    assert attribute.encode(pa.array(["10", None, "9", "11"])).tolist() == [2, 0, 1, -1]


def test_numbers_that_are_none_are_missing_and_zeros_are_one() -> None:
    attribute = attribute_of("x", pa.array([-0.0, 0.0, math.nan, 2.0]))
    assert attribute.encode(pa.array([0.0, math.nan, -0.0, 2.0])).tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize("values", [[2**53 + 1, 2**53, 2**62], [datetime.date(9999, 12, 31), datetime.date(1, 1, 1)]])
def test_values_too_large_for_a_position_of_their_own_keep_their_order(values: list[object]) -> None:
    attribute = attribute_of("x", pa.array(values))
    assert attribute.values.to_pylist() == sorted(values)  # type: ignore[type-var]
    assert attribute_of("x", pa.array(["9999-12-31", "2010-01-31"])).kind is AttributeOrder.DATE


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(SparkDeidError, match="column x: expected finite numbers"):
        attribute_of("x", pa.array([math.inf]))


def test_values_that_a_hierarchy_lacks_are_counted() -> None:
    with pytest.raises(SparkDeidError, match=r"city\.csv: lacks 2 of the values of column x"):
        attribute_of("x", pa.array(["a", "b", "c"]), parse_hierarchy("a;*\n", "city.csv"))


def test_ranges_are_shown_as_their_kind_has_it() -> None:
    assert shown(pa.array([20, 29]), (1, 2, False), (1, 1, False)) == ["[20-29]", "20"]
    assert shown(pa.array([-5, -1]), (1, 2, False)) == ["[-5..-1]"]
    assert shown(pa.array([0.5, 1e-7]), (1, 2, False)) == ["[1e-7..0.5]"]
    assert shown(pa.array([0.5, 2.0]), (1, 2, False)) == ["[0.5-2]"]
    assert shown(pa.array(["53710", "53711"]), (1, 2, False)) == ["[53710-53711]"]
    day = datetime.date
    assert shown(pa.array([day(2010, 1, 1), day(2010, 12, 31)]), (1, 2, False)) == ["[2010-01-01..2010-12-31]"]
    assert shown(pa.array(["c", "a", "b"]), (1, 2, False), (2, 2, False)) == ["{a, b}", "b"]


def test_missing_values_are_never_silently_within_a_range() -> None:
    assert shown(pa.array([20, 29]), (1, 2, True), (1, 1, True), (0, 0, True)) == [
        "{missing, [20-29]}",
        "{missing, 20}",
        None,
    ]
    assert shown(pa.array(["a", "b"]), (1, 2, True), (2, 2, True), (0, 0, True)) == [
        "{missing, a, b}",
        "{missing, b}",
        None,
    ]


def test_a_tree_shows_its_nodes() -> None:
    attribute = attribute_of("x", pa.array(["a"]), parse_hierarchy("a;A;*\nb;A;*\nc;C;*\n", "x"))
    given = np.array([1, 1, 1, 0, 3]), np.array([2, 1, 2, 0, 3]), np.array([False, False, True, True, False])
    assert name_ranges(attribute, *given).to_pylist() == ["A", "a", "*", None, "c"]


def test_levels_number_what_values_become() -> None:
    attribute = attribute_of("zip", pa.array(["53710", "53720", None]))
    levels = levels_of(attribute, default_hierarchy(attribute))
    assert levels.height == 5
    assert levels.codes[1].tolist() == [0, 1, 2]
    assert levels.codes[2].tolist() == [0, 1, 1]
    assert levels.labels[2] == (None, "537**")
    assert levels.codes[5].tolist() == [0, 0, 0]
    assert levels.labels[5] == ("*",)
