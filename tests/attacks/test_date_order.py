"""An attacker who reads the true dates from ids, kept columns and the order of rows next to dates that moved."""

import random
import uuid
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import GateRefused
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Span
from spark_deid.surrogates.date_order import DatedRow, columns_in_date_order, encoded_days, true_dates
from spark_deid.surrogates.date_shift import ShiftRequest, shift
from spark_deid.values.locale import ValueLocale
from tests.attacks.runs import run

PEOPLE = 60
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PLAN: dict[str, Any] = {"patterns": {"kinds": ["date"]}, "rules": {"DATE": "shift"}, "sources": ["patterns"]}


def _days(number: int = PEOPLE) -> list[date]:
    drawn = random.Random(7)
    return sorted(date(2013, 1, 1) + timedelta(drawn.randrange(900)) for _ in range(number))


def _seconds(day: date) -> int:
    return (day.toordinal() - date(1970, 1, 1).toordinal()) * 86_400 + 36_000


def _uuid1(day: date) -> str:
    ticks = (day.toordinal() - date(1582, 10, 15).toordinal()) * 86_400 * 10**7
    low, middle, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48
    return str(uuid.UUID(fields=(low, middle, high | 0x1000, 0x80, 3, 7)))


def _uuid7(day: date) -> str:
    return str(uuid.UUID(int=_seconds(day) * 1000 << 80 | 7 << 76 | 2 << 62 | 99))


def _ulid(day: date) -> str:
    left, letters = _seconds(day) * 1000, ""
    for _ in range(10):
        left, place = divmod(left, 32)
        letters = _CROCKFORD[place] + letters
    return letters + "7ZQ4M8K2N5T9V1X3"


CODES: dict[str, Callable[[date, int], str]] = {
    "consecutive": lambda _, place: str(4000 + place),
    "ward": lambda _, place: f"ward{place % 2}-{100 + place}",
    "epoch": lambda day, _: str(_seconds(day)),
    "milliseconds": lambda day, _: str(_seconds(day) * 1000),
    "uuid1": lambda day, _: _uuid1(day),
    "uuid7": lambda day, _: _uuid7(day),
    "ulid": lambda day, _: _ulid(day),
    "objectid": lambda day, _: f"{_seconds(day):08x}e4b0c3f5d2a1b3c4",
    "day": lambda day, place: f"note-{day:%Y%m%d}-{place % 9}",
    "start": lambda day, _: f"w{(day - date(2013, 1, 1)).days}",
    "excel": lambda day, _: str((day - date(1899, 12, 30)).days),
    "yearday": lambda day, _: str(day.timetuple().tm_yday),
    "week": lambda day, _: str(day.isocalendar().week),
    "isoweek": lambda day, _: f"{day.isocalendar().year}-W{day.isocalendar().week:02d}",
}


@pytest.mark.parametrize("code", CODES)
def test_values_that_follow_the_dates_are_known(code: str) -> None:
    days = _days()
    rows = [_row(day, CODES[code](day, place), place) for place, day in enumerate(days)]
    random.Random(1).shuffle(rows)
    assert columns_in_date_order(rows, {"c": 0.05}) == ("c",)
    shuffled = list(days)
    random.Random(2).shuffle(shuffled)
    others = [_row(day, row.values["c"], place) for place, (day, row) in enumerate(zip(shuffled, rows, strict=True))]
    assert columns_in_date_order(others, {"c": 0.05}) == ()


def _row(day: date, value: str, place: int) -> DatedRow:
    text = f"Born 3/{1 + place % 28}/1950. Seen on {day.month}/{day.day}/{day.year}."
    return DatedRow(f"p{place}", true_dates(text), {"c": value})


def test_few_rows_count_only_if_values_encode_days() -> None:
    days = _days(5)
    for code, found in (("day", ("c",)), ("uuid7", ("c",)), ("excel", ("c",)), ("consecutive", ()), ("start", ())):
        rows = [_row(day, CODES[code](day, place), place) for place, day in enumerate(days)]
        assert columns_in_date_order(rows, {"c": 0.05}) == found, code
    assert list(encoded_days("ward 3, bed 12")) == []


def _moved(text: str, place: int) -> int:
    """Return the day of a note after its date moved."""
    document = Document(f"d{place}", text, f"p{place}")
    request = ShiftRequest(365, False, ValueLocale(), b"k" * 32)
    [edit] = shift(document, [Span(text.index(" on ") + 4, len(text) - 1, "DATE")], request=request)
    assert isinstance(edit, Edit)
    return true_dates(edit.replacement)[0][0]


@pytest.mark.parametrize("code", ["epoch", "milliseconds", "uuid1", "uuid7", "ulid", "objectid", "day", "excel"])
def test_such_ids_show_the_offset_of_everyone_if_they_remain(code: str) -> None:
    found = 0
    for place, day in enumerate(_days()):
        moved = _moved(f"Seen on {day.month}/{day.day}/{day.year}.", place)
        value = CODES[code](day, place)
        read = [*encoded_days(value)] or [date(1899, 12, 30).toordinal() + int(value)]
        found += moved - day.toordinal() in {moved - each for each in read}
    assert found == PEOPLE


def _lines(ids: Callable[[date, int], str]) -> list[dict[str, Any]]:
    people = random.Random(3).sample(range(PEOPLE), PEOPLE)
    return [
        {"doc_id": ids(day, place), "subject_id": f"p{person}", "text": f"Seen on {day.month}/{day.day}/{day.year}."}
        for place, (day, person) in enumerate(zip(_days(), people, strict=True))
    ]


def test_ids_that_follow_the_dates_are_refused_and_keyed_ids_show_nothing(spark: SparkSession, tmp_path: Path) -> None:
    lines = _lines(CODES["day"])
    with pytest.raises(GateRefused, match=r"doc_id: .* release_ids: keyed"):
        run(tmp_path, lines, **_PLAN)
    (tmp_path / "keyed").mkdir()
    done = run(tmp_path / "keyed", lines, **_PLAN, release_ids="keyed")
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    assert len(rows) == PEOPLE
    moved = [true_dates(row["text"])[0][0] for row in rows]
    published = [
        DatedRow(str(place), [(day, day)], {"c": row["doc_id"]})
        for place, (day, row) in enumerate(zip(moved, rows, strict=True))
    ]
    assert columns_in_date_order(published, {"c": 0.05}) == ()
    assert not {row["doc_id"] for row in rows} & {line["doc_id"] for line in lines}


def test_rows_are_not_in_the_order_of_the_dates(spark: SparkSession, tmp_path: Path) -> None:
    lines = _lines(lambda _, place: keyed_hash(b"k" * 32, str(place)))
    done = run(tmp_path, lines, **_PLAN)
    files = sorted((done.release / "documents").glob("*.parquet"))
    published = [row["doc_id"] for file in files for row in pq.ParquetFile(file).read().to_pylist()]
    frame = sd.sanitize(pd.DataFrame(lines), _PLAN, text="text", doc_id="doc_id", subject_id="subject_id").documents
    for ids in (published, list(frame["doc_id"])):
        assert sorted(ids) == sorted(line["doc_id"] for line in lines)
        assert _offsets_by_place(ids, lines) <= PEOPLE // 20
        assert _offsets_by_place([str(line["doc_id"]) for line in lines], lines) == PEOPLE
    assert spark is not None


def _offsets_by_place(ids: list[str], lines: list[dict[str, Any]]) -> int:
    """Count the people whose offset an attacker finds who gives the sorted true dates to the rows in their order."""
    true = {line["doc_id"]: true_dates(str(line["text"]))[0][0] for line in lines}
    return sum(true[doc_id] == day for doc_id, day in zip(ids, sorted(true.values()), strict=True))


@pytest.mark.parametrize(("way", "name"), [("keep", "case"), ("detect", "case"), ("keep", "subject_id")])
def test_columns_that_follow_the_dates_are_refused(spark: SparkSession, tmp_path: Path, way: str, name: str) -> None:
    lines = _lines(lambda _, place: keyed_hash(b"k" * 32, str(place)))
    own = [{**line, name: f"c{100 + place}"} for place, line in enumerate(lines)]
    with pytest.raises(GateRefused, match=rf"metadata\.{name}: .* {{{name}: keyed}}"):
        run(tmp_path, own, **_PLAN, metadata={name: way})
    assert spark is not None


def test_keyed_columns_are_published(spark: SparkSession, tmp_path: Path) -> None:
    lines = _lines(lambda _, place: keyed_hash(b"k" * 32, str(place)))
    own = [{**line, "case": f"c{100 + place}"} for place, line in enumerate(lines)]
    assert run(tmp_path, own, **_PLAN, metadata={"case": "keyed"}).manifest["documents"] == PEOPLE
    assert spark is not None


def test_dates_in_words_end_with_a_year_after_a_space_or_sign() -> None:
    text = "5 de marzo de 2015, Mar-3-2014, 20140304, 1 Jan.,2012; 120140304, March 5:2014, 5 May\u00b2014"
    assert [str(date.fromordinal(first)) for first, _ in true_dates(text)] == [
        *("2015-03-05", "2014-03-03", "2014-03-04", "2012-01-01"),
    ]
