"""Values of people that a detector found in one place and missed in another: birth dates in other forms, ages."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused
from tests.attacks.runs import Done, run

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
K = 20
PLAN: dict[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode", "DOB": "recode"},
    "identity": {
        "attributes": {"AGE": "age", "DOB": "birth_date"},
        "roles": {"quasi": ["age", "birth_date"]},
        "last_year": 2024,
    },
    "anonymity": {"model": {"k": K}},
}


def born(number: int) -> tuple[int, int, int]:
    return 1930 + number, 1 + number % 11, 1 + (number * 7) % 27


def notes(persons: int = 24) -> list[dict[str, object]]:
    """Make two notes a person: one shows a birth date and an age that are marked, both show them again unmarked."""
    lines: list[dict[str, object]] = []
    for number in range(persons):
        year, month, day = born(number)
        age = 2024 - year
        dated, told = f"{year}-{month:02d}-{day:02d}", f"{age} year old"
        text = f"A {told}, born {dated}. DOB {day:02d} {MONTHS[month - 1]} {year}, on {age} mg."
        spans = [
            {"start": 2, "end": 2 + len(told), "label": "AGE"},
            {"start": text.index(dated), "end": text.index(dated) + len(dated), "label": "DOB"},
        ]
        again = f"Patient turned {age} on {LONG[month - 1]} {day:02d}; {age}M seen {month}/{day}/{year % 100:02d}."
        lines.append({"doc_id": f"d{number}", "subject_id": f"s{number}", "text": text, "spans": spans})
        lines.append({"doc_id": f"e{number}", "subject_id": f"s{number}", "text": again, "spans": []})
    return lines


def texts(done: Done) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted((done.release / "documents").glob("*.parquet")):
        import pyarrow.parquet as pq

        rows = pq.read_table(path, columns=["doc_id", "text"]).to_pylist()
        found |= {row["doc_id"]: row["text"] for row in rows}
    return found


@pytest.mark.thorough
def test_a_known_birth_date_and_age_are_hidden_in_every_form(spark: SparkSession, tmp_path: Path) -> None:
    released = texts(run(tmp_path, notes(), **PLAN))

    assert len(released) == 48
    for number in range(24):
        year, month, day = born(number)
        first, second = (re.sub(r"\[[^\]]*\]", "", released[f"{letter}{number}"]) for letter in "de")
        assert not re.search(rf"(?i)\b{day:02d} {MONTHS[month - 1]}|{year}\b", first.split("DOB")[1])
        assert f"on {2024 - year} mg" in first  # a dose, regardless of its number
        assert not re.search(rf"{LONG[month - 1]} {day:02d}|turned \d|\d\d?M|\b{month}/{day}/", second)


def test_what_is_there_still_is_counted_by_other_code(spark: SparkSession, tmp_path: Path) -> None:
    blind = PLAN | {"identity": PLAN["identity"] | {"rounds": 0}}
    with pytest.raises(GateRefused, match="dates and ages of people occur in their texts"):
        run(tmp_path, notes(), **blind)
