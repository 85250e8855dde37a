"""An attacker who takes the middle of the moved copies of a date that a template writes in everyone's notes."""

import re
from datetime import date
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import GateRefused
from spark_deid.core.span import Span
from spark_deid.engine.tables import read_parts
from spark_deid.storage.parts import PartsWriter
from spark_deid.surrogates.date_shift import ShiftRequest, shift
from spark_deid.surrogates.partial_dates import find_all_dates
from spark_deid.surrogates.spark.template_slots import _SLOT_ROWS, _days_of_few, _template_days
from spark_deid.surrogates.template_slots import SlotRequest, slot_dates
from spark_deid.values.locale import ValueLocale
from tests.attacks.runs import run

PEOPLE = 60
_SLOT = re.compile(r"Form rev\. (\d+)/(\d+)/(\d+)")


def _lines() -> list[dict[str, object]]:
    return [
        {
            "doc_id": f"d{number}",
            "subject_id": f"p{number}",
            "text": f"Seen 3/{1 + number % 28}/2014 in room {number}. Form rev. 04/17/2015",
        }
        for number in range(PEOPLE)
    ]


def test_a_date_of_a_template_is_suppressed(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, _lines(), patterns={"kinds": ["date"]}, rules={"DATE": "shift"}, sources=["patterns"])
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    texts = [row["text"] for row in rows]
    assert sum("Form rev. [DATE]" in text for text in texts) == PEOPLE
    assert sum(re.search(r"Seen \d+/\d+/\d+", text) is not None for text in texts) == PEOPLE
    assert not any(map(_SLOT.search, texts))
    assert done.manifest["handed_back"]["shift"]["template"] == PEOPLE


def test_a_moved_column_with_one_date_for_most_people_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    dates = ["2015-04-17"] * 40 + [f"2014-03-{1 + number:02d}" for number in range(20)]
    lines = [{**line, "revised": day} for line, day in zip(_lines(), dates, strict=True)]
    plan: dict[str, Any] = {
        "patterns": {"kinds": ["date"]},
        "rules": {"DATE": "shift"},
        "metadata": {"revised": "shift"},
    }
    with pytest.raises(GateRefused, match=r"metadata\.revised: shift moves a date that most people share"):
        run(tmp_path, lines, **plan)
    spread = [{**line, "revised": f"2014-03-{1 + number % 28:02d}"} for number, line in enumerate(_lines())]
    (tmp_path / "other").mkdir()
    assert run(tmp_path / "other", spread, **plan).figures is not None
    assert spark is not None


def test_the_middle_of_moved_copies_is_the_true_date_if_they_move() -> None:
    moved: list[int] = []
    request = ShiftRequest(365, False, ValueLocale(), b"k" * 32)
    for line in _lines() * 5:
        text = str(line["text"])
        document = Document(str(line["doc_id"]), text, f"{line['subject_id']} {len(moved)}")
        [edit] = shift(document, [Span(len(text) - 10, len(text), "DATE")], request=request)
        assert isinstance(edit, Edit)
        month, day, year = map(int, edit.replacement.split("/"))
        moved.append(date(year, month, day).toordinal())
    assert abs(median(moved) - date(2015, 4, 17).toordinal()) < 40


def test_slots_are_two_words_and_days_are_read() -> None:
    request = SlotRequest(frozenset(("DATE",)), False, "DATE", ValueLocale(), b"k" * 32)
    texts = ("Form rev. 04/17/2015", "the FORM, Rev: April 17, 2015", "new rev. 04/17/2015", "Form rev. 04/18/2015")
    found = [next(slot_dates(Document("d", text), [], find_all_dates(text), request)) for text in texts]
    assert found[0].day == found[1].day
    assert len({each.day for each in found}) == 3
    assert found[0].slot == found[3].slot != found[2].slot


def test_few_documents_have_the_templates_that_a_query_finds(spark: SparkSession, tmp_path: Path) -> None:
    draws = Random(4)
    rows = []
    for _ in range(420):
        slots = [draws.choice("ab") for _ in range(draws.randrange(3))]
        days = [{"slot": slot, "day": slot + draws.choice("aaaaaabbcdef")} for slot in slots]
        rows.append({"slots": days, "person": f"p{draws.randrange(150)}"})
    with PartsWriter({"slots": str(tmp_path)}, {"slots": _SLOT_ROWS}) as writer:
        for start in range(0, 420, 140):
            writer.write({"slots": pa.RecordBatch.from_pylist(rows[start : start + 140], _SLOT_ROWS)})
        parts = [writer.close()["slots"]]
    found = _days_of_few(parts)
    assert 0 < len(found) < 12
    assert found == _template_days(read_parts(spark, parts, _SLOT_ROWS))
    assert _days_of_few([]) == frozenset()
