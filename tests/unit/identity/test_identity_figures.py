"""Facts of a report about a view: counted again by hand."""

from collections import Counter

import pytest

from spark_deid.identity.figures import AttributeLoss, count_by_range, figures, measure_loss
from spark_deid.identity.generalized_values import Above

Row = tuple[str, str, str | None, str | None]
AGES: list[Row] = [
    ("a", "age", "70", "[70-75]"),
    ("b", "age", "75", "[70-75]"),
    ("c", "age", "90", "90"),
    ("d", "age", "90", "90"),
    ("e", "age", None, "*"),
]
ZIPS: list[Row] = [
    ("a", "zip", "53710", "{53710, 53711}"),
    ("b", "zip", "53711", "{53710, 53711}"),
    ("c", "zip", "53712", None),
    ("d", "zip", "53712", "*"),
    ("e", "zip", "53713", "53713"),
]


def lost_of(rows: list[Row], attribute: str, above: Above | None = None) -> AttributeLoss:
    known = [(value, label) for _, name, value, label in rows if name == attribute and value is not None]
    shown = Counter((label, label == value) for value, label in known)
    return measure_loss(attribute, shown, {value for value, _ in known}, above)


def test_what_is_shown_of_known_values_is_counted_and_measured() -> None:
    of_age = lost_of(AGES, "age")
    assert of_age[:5] == ("age", 4, 2, 2, 0)
    assert of_age.loss == pytest.approx((5 / 20 + 5 / 20 + 0 + 0) / 4)
    of_zip = lost_of(ZIPS, "zip")
    assert of_zip[:5] == ("zip", 5, 1, 2, 2)
    assert of_zip.loss == pytest.approx((1 / 3 + 1 / 3 + 1 + 1 + 0) / 5)


def bands(age: str) -> tuple[str, ...]:
    return age, f"[{age[0]}0-{age[0]}9]"


@pytest.mark.parametrize(
    ("values", "label", "loss"),
    [
        (["2001-01-01", "2001-01-21"], "[2001-01-01..2001-01-11]", 0.5),
        (["77", "75", "85", "86", "91"], "[70-79]", 1 / 4),  # a band of a hierarchy: one more of four others
        (["77", "70"], "{missing, [70-79]}", 1.0),
        (["-5", "15"], "[-5..5]", 0.5),
        (["x", "y"], "x", 0.0),
        (["x"], "x", 0.0),
        (["1.5", "3.5"], "[1.5-2.5]", 0.5),
    ],
)
def test_the_share_that_a_value_covers(values: list[str], label: str, loss: float) -> None:
    rows: list[Row] = [(value, "x", value, None) for value in values]
    rows[0] = (values[0], "x", values[0], label)
    of_others = len(values) - 1  # nothing is shown of them
    found = lost_of(rows, "x", bands if label == "[70-79]" else None)
    assert found.loss * len(values) == pytest.approx(of_others + loss)


def test_numbers_are_grouped_without_empty_ends() -> None:
    assert count_by_range({5: 2}, (2, 5, 10)) == [{"name": "3 to 5", "count": 2}]
    assert count_by_range({}, (2,)) == []


def test_figures_are_of_all_attributes() -> None:
    told = figures({1: 3, 2: 1}, [lost_of(AGES, "age"), lost_of(ZIPS, "zip")], {1: 3, 4: 1})
    assert (told["persons"], told["classes"], told["least"]) == (5, 4, 1)
    assert told["documents"] == [{"name": "1", "count": 3}, {"name": "2", "count": 0}, {"name": "3 to 5", "count": 1}]
    assert [each["attribute"] for each in told["attributes"]] == ["age", "zip"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("values", "label", "share"),
    [
        (["53710", "53711", "53799", "60601"], "537**", 2 / 3),
        (["53710", "53711", "53799", "60601"], "53710", 0),
        (["2001-06-22", "2001-07-01", "2003-01-01", "2011-01-01", "2012-01-01"], "2001", 1 / 4),
        (["2001-06-22", "2001-07-01", "2003-01-01", "2011-01-01", "2012-01-01"], "[2000-2009]", 2 / 4),
    ],
    ids=["masked", "itself", "year", "decade"],
)
def test_levels_of_hierarchies_that_values_have_by_themselves(values: list[str], label: str, share: float) -> None:
    rows: list[Row] = [(str(number), "a", value, label) for number, value in enumerate(values)]
    assert lost_of(rows, "a").loss == pytest.approx(share)
