"""The privacy model: what a table that is recoded for it has, and what a recount refuses."""

import json
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark_deid.extending import AnonymizeOptions, AssessOptions, UsageError, anonymize, assess, read_models

COLUMNS = {"quasi": ("age",), "sensitive": ("disease",)}
PEOPLE = [(20 + number // 4, ("flu", "flu", "cold", "gout")[number % 4]) for number in range(80)]


def table(path: Path, rows: list[tuple[int, str]]) -> str:
    path.write_text("age,disease\n" + "".join(f"{age},{disease}\n" for age, disease in rows))
    return str(path)


def test_a_table_is_recoded_so_that_it_holds(tmp_path: Path) -> None:
    people, output = table(tmp_path / "people.csv", PEOPLE), tmp_path / "out"
    anonymize(AnonymizeOptions(input=people, output=str(output), model="k=2,p-sensitive=3", **COLUMNS))
    classes = defaultdict(set)
    for part in (output / "table").glob("*.parquet"):
        for row in pq.read_table(part).to_pylist():
            classes[row["age"]].add(row["disease"])
    assert len(classes) > 1
    assert all(len(values) >= 3 for values in classes.values())
    [_, assessed] = json.loads((output / "manifest.json").read_text())["assessments"]
    assert (assessed["guarantee"], assessed["value"], assessed["threshold"]) == ("p-sensitive", 3.0, 3.0)


def test_a_class_of_two_values_does_not_hold(tmp_path: Path) -> None:
    people = table(tmp_path / "people.csv", [(20, "flu"), (20, "cold"), (20, "flu")])
    counted = assess(AssessOptions(table=people, model="k=2,p-sensitive=3", **COLUMNS))
    assert not counted.satisfied


def test_it_is_asked_for_beside_k() -> None:
    with pytest.raises(UsageError, match="p-sensitive: needs k as well, as in k=5,p-sensitive=3"):
        read_models("p-sensitive=3")
    with pytest.raises(UsageError, match=r"expected some of k=5, .*, p-sensitive=3, got 'q=3'"):
        read_models("q=3")
