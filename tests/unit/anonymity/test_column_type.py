"""Columns of text are read as numbers, codes, dates or categories, by all their cells."""

import datetime
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.cell_counts import CellCounts, FormTrials, choose_type, count_cells
from spark_deid.anonymity.column_type import (
    ColumnKind,
    ColumnType,
    other_cells,
    plain_number,
    read_cells,
    read_types,
    save_types,
)
from spark_deid.anonymity.date_forms import FORMS, read_dates
from spark_deid.core.errors import UsageError

TODAY = date(2026, 11, 28)


def typed(cells: Sequence[str | None], *, is_day_first: bool = False) -> ColumnType:
    counts = count_cells(pa.array(cells, pa.string()), FormTrials(), TODAY)
    return choose_type(counts, is_day_first=is_day_first, until=TODAY).type


@pytest.mark.parametrize(
    ("cells", "kind", "storage"),
    [
        (["1", "22", None, "NA", " "], ColumnKind.NUMBER, "bigint"),
        (["1234567890123456789", "1"], ColumnKind.NUMBER, "string"),
        (["1.10", "2"], ColumnKind.NUMBER, "double"),
        (["0.1234567890123456", "2"], ColumnKind.NUMBER, "string"),
        ([*map(str, range(9)), "90+"], ColumnKind.NUMBER, "string"),
        ([*map(str, range(8)), "90+"], ColumnKind.TEXT, "string"),
        (["02138", "10001"], ColumnKind.CODE, "string"),
        (["07", "7"], ColumnKind.NUMBER, "bigint"),
        (["10-02-63", "28-12-26"], ColumnKind.DATE, "date"),
        (["2010-01-31 10:00", "2010-01-31T10:00:01.5"], ColumnKind.DATE, "timestamp_ntz"),
        (["2010-01-31"] * 9 + ["unknown"], ColumnKind.DATE, "string"),
        (["2010-01-31", "x"], ColumnKind.TEXT, "string"),
        (["a", "b"], ColumnKind.TEXT, "string"),
        ([None, "NA"], ColumnKind.TEXT, "string"),
    ],
)
def test_a_column_is_what_nine_tenths_of_its_cells_are(cells: list[str | None], kind: ColumnKind, storage: str) -> None:
    assert (typed(cells).kind, typed(cells).storage) == (kind, storage)


def test_categories_remain_and_all_else_is_other() -> None:
    kind = ColumnType(ColumnKind.NUMBER, categories=("90+",))
    cells = pa.array(["1.10", "+07", " 90+", "unknown", "NA", "", None, "2019-01-01"])
    assert read_cells(cells, kind).to_pylist() == ["1.1", "7", "90+", "other", None, None, None, "other"]
    assert other_cells(cells, kind).to_pylist() == [None, None, "90+", "unknown", None, None, None, "2019-01-01"]


def test_a_column_of_categories_lists_no_dates() -> None:
    kind = typed(["2010-01-31", "3/4/1950", "x", "NA"])
    assert read_cells(pa.array(["2010-01-31", "3/4/1950", "x", "NA"]), kind).to_pylist() == [
        "other",
        "other",
        "x",
        "NA",
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("10-02-63", date(1963, 2, 10)),
        ("27-11-26", date(2026, 11, 27)),
        ("28-11-26", date(2026, 11, 28)),
        ("29-11-26", date(1926, 11, 29)),
        ("29-02-28", date(1928, 2, 29)),
        ("29-02-27", None),
        ("31-04-63", None),
        ("1-1-1850", date(1850, 1, 1)),
        ("5 March 1950", date(1950, 3, 5)),
        ("5-Mar-50", date(1950, 3, 5)),
        ("Mar 5, 1950", date(1950, 3, 5)),
        ("5 Foo 1950", None),
        ("0000-01-01", None),
        ("1950/3/5", date(1950, 3, 5)),
        ("1950-03-05 12:30", date(1950, 3, 5)),
    ],
)
def test_a_year_of_two_digits_is_the_latest_up_to_the_run(cell: str, expected: date | None) -> None:
    forms = [name for name in FORMS if name != "M-d-y"]
    assert read_dates(pa.array([cell]), forms, TODAY).to_pylist() == [expected]


def test_dates_are_those_of_the_calendar() -> None:
    random = np.random.default_rng(3)
    parts = random.integers([1, 1, 1], [3000, 14, 33], (3000, 3)).tolist()
    expected: list[date | None] = []
    for year, month, day in parts:
        try:
            expected.append(datetime.date(year, month, day))
        except ValueError:
            expected.append(None)
    cells = pa.array([f"{year:04d}-{month}-{day}" for year, month, day in parts])
    assert read_dates(cells, ["y-M-d"], TODAY).to_pylist() == expected


@pytest.mark.parametrize("is_day_first", [True, False])
def test_the_locale_decides_only_if_cells_do_not(is_day_first: bool) -> None:
    either = typed(["1/2/1950", "3/4/1950"], is_day_first=is_day_first)
    assert either.forms == (("d/M/y",) if is_day_first else ("M/d/y",))
    assert typed(["1/2/1950", "13/4/1950"], is_day_first=is_day_first).forms == ("d/M/y",)


def test_few_dates_of_another_order_do_not_hide_the_order() -> None:
    cells = [f"{day}/1/1950" for day in range(13, 29)] + ["1/13/1950"]
    assert typed(cells).forms == ("d/M/y",)
    assert read_cells(pa.array(["1/13/1950"]), typed(cells)).to_pylist() == ["other"]


def test_a_sample_rules_out_what_many_different_cells_are_not() -> None:
    names = pa.array([f"town {number}" for number in range(60)])
    assert not count_cells(names, FormTrials(), TODAY).trials().any
    assert count_cells(names.slice(0, 50), FormTrials(), TODAY).trials() == FormTrials()
    mixed = pa.array([*(f"town {number}" for number in range(60)), "1", "1/2/1950"])
    assert count_cells(mixed, FormTrials(), TODAY).trials() == (True, ("d/M/y", "M/d/y"))


def test_counts_of_batches_add_up() -> None:
    cells = pa.array(["1", "2.5", "02", "1/2/1950", "13/2/1950", "x", None] * 3)
    whole = count_cells(cells, FormTrials(), TODAY)
    parts = CellCounts()
    for at in range(0, len(cells), 4):
        parts = parts.add(count_cells(cells.slice(at, 4), FormTrials(), TODAY))
    assert parts == whole


@pytest.mark.parametrize(
    ("text", "plain"),
    [("-0.0", "0"), ("1e-3", "0.001"), (".5", "0.5"), ("5.", "5"), ("-007.50", "-7.5"), ("1E2", "100"), ("0", "0")],
)
def test_numbers_have_one_spelling(text: str, plain: str) -> None:
    assert plain_number(text) == plain


def test_types_are_kept_and_read_again(tmp_path: Path) -> None:
    types = {"age": ColumnType(ColumnKind.NUMBER, "bigint", (), ("90+",), 0, TODAY), "dob": typed(["10-02-63"])}
    save_types(tmp_path / "types.json", types)
    assert (tmp_path / "types.json").stat().st_mode & 0o777 == 0o600
    assert read_types(tmp_path / "types.json") == types
    assert read_types(tmp_path / "absent.json") == {}
    (tmp_path / "types.json").write_text('{"age": 3}')
    with pytest.raises(UsageError, match=r"types\.json: expected the column types"):
        read_types(tmp_path / "types.json")
