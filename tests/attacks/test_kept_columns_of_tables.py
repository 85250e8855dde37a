"""Columns of a table that are kept beside recoded ones, and name persons or tell what is recoded."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from numpy.random import default_rng
from pyspark.sql import SparkSession

from spark_deid import app
from spark_deid.core.errors import GateRefused, UsageError


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = default_rng(6)
    ages = random.integers(20, 90, 300)
    first, last = ["Ann", "Bob", "Mary", "James"], ["Leeds", "Smith", "Johnson", "Ray"]
    frame = pd.DataFrame(
        {
            "age": ages,
            "number": range(1000, 1300),
            "name": [f"{random.choice(first)} {random.choice(last)}" for _ in ages],
            "birth_year": 2024 - ages,
            "visits": random.integers(1, 9, 300),
        }
    )
    path = tmp_path_factory.mktemp("kept") / "people.csv"
    frame.to_csv(path, index=False)
    return str(path)


def anonymize(people: str, output: Path, *keep: str, **given: Any) -> Any:
    app.anonymize(
        app.AnonymizeOptions(input=people, output=str(output), quasi=("age",), model="k=10", keep=keep, **given)
    )
    return json.loads((output / "manifest.json").read_text())


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ("number", "number name persons .number: 300 different values of 300 persons"),
        ("name", "name name persons .name: its values are NAME"),
        ("birth_year", "birth_year tell what is recoded .birth_year: age is right for "),
    ],
)
def test_what_names_or_tells_is_refused(
    spark: SparkSession, people: str, tmp_path: Path, keep: str, message: str
) -> None:
    with pytest.raises(GateRefused, match=message):
        anonymize(people, tmp_path / "out", "visits", keep)
    assert not (tmp_path / "out" / "table").exists()


def test_generalized_levels_tell_no_less(spark: SparkSession, people: str, tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="birth_year tell what is recoded"):
        anonymize(people, tmp_path / "out", "birth_year", algorithm="incognito")


def test_what_is_named_is_kept_and_said(spark: SparkSession, people: str, tmp_path: Path) -> None:
    named = ("number", "name", "birth_year")
    manifest = anonymize(people, tmp_path / "out", "visits", *named, keep_identifying=named)
    assert manifest["columns"]["kept_identifying"] == [*named]
    assert manifest["risk"]["after_with_kept"]["prosecutor"] == 1 > manifest["risk"]["after"]["prosecutor"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "number, name, birth_year may name persons or tell what is recoded" in page
    with pytest.raises(UsageError, match="--keep-identifying: name: expected some of the columns of --keep"):
        anonymize(people, tmp_path / "none", "visits", keep_identifying=("name",))
