"""The word of a published set that represents missing values, where a value of the column reads the same."""

import pytest

from spark_deid.anonymity.covering import ColumnValues

VALUES = (None, "flu", "missing")


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("{missing, flu}", {None, "flu"}),
        ("{flu, missing}", {"flu", "missing"}),
        ("{missing, flu, missing}", {None, "flu", "missing"}),
        ("missing", {"missing"}),
        (None, {None}),
    ],
)
def test_missing_values_are_first_in_a_set(label: str | None, covered: set[str | None]) -> None:
    found = ColumnValues.of(VALUES).covered(label)
    assert {value for value, is_covered in zip(VALUES, found, strict=True) if is_covered} == covered
