"""Metadata that remains and holds dates is known by its values."""

from typing import Any

import pyarrow as pa
import pytest

from spark_deid.core import tables
from spark_deid.surrogates.spark.metadata import count_batches


def counted(*metas: dict[str, str]) -> dict[str, tuple[int, int]]:
    field = tables.DOCUMENTS.field("meta")
    batch = pa.RecordBatch.from_arrays([pa.array([[*meta.items()] for meta in metas], field.type)], names=["meta"])
    rows: list[dict[str, Any]] = [
        row for each in count_batches(iter((batch,)), names=("visit", "ward")) for row in each.to_pylist()
    ]
    return {row["name"]: (row["given"], row["dates"]) for row in rows}


def test_dates_are_counted_among_values_that_state_something() -> None:
    first = {"visit": "2014-03-04 08:00:00", "ward": "3 West", "other": "2014-03-04"}
    assert counted(first, {"visit": " ", "ward": "3/4/2014"}, {"visit": "March 2014"}) == {
        "visit": (2, 1),
        "ward": (2, 1),
    }


def test_a_long_text_with_a_date_is_no_date() -> None:
    assert counted({"visit": "She came with her mother, it was the 2014-03-04."}) == {"visit": (1, 0)}


@pytest.mark.parametrize(
    "value",
    [
        "10:30 3/4/2014",
        "2014-03-04T10:30:00Z",
        "20140304T103000",
        "20140304103000",
        "2014-03-04 08:00:00.0",
        "4 Mar 2014 10:30",
    ],
)
def test_times_of_day_hide_no_date(value: str) -> None:
    assert counted({"visit": value}) == {"visit": (1, 1)}
