"""Columns of a table that are kept beside recoded ones, and name persons or tell what is recoded."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from numpy.random import default_rng
from pyspark.sql import DataFrame, SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.anonymity.spark.kept_columns import columns_that_name
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
        ("number", "number identify people .number: 300 different values of 300 people"),
        ("name", "name identify people .name: its values are NAME"),
        ("birth_year", "birth_year .*recoded.* .birth_year: age can be guessed for "),
    ],
)
def test_what_names_or_shows_is_refused(
    spark: SparkSession, people: str, tmp_path: Path, keep: str, message: str
) -> None:
    with pytest.raises(GateRefused, match=message):
        anonymize(people, tmp_path / "out", "visits", keep)
    assert not (tmp_path / "out" / "table").exists()


def test_generalized_levels_show_no_less(spark: SparkSession, people: str, tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="birth_year reveal recoded values"):
        anonymize(people, tmp_path / "out", "birth_year", algorithm="incognito")


def test_what_is_named_is_kept_and_declared(spark: SparkSession, people: str, tmp_path: Path) -> None:
    named = ("number", "name", "birth_year")
    manifest = anonymize(people, tmp_path / "out", "visits", *named, keep_identifying=named)
    assert manifest["columns"]["kept_identifying"] == [*named]
    assert manifest["risk"]["after_with_kept"]["prosecutor"] == 1 > manifest["risk"]["after"]["prosecutor"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "number, name, birth_year may identify people or reveal recoded values" in page
    with pytest.raises(UsageError, match="--keep-identifying: name: expected columns of --keep"):
        anonymize(people, tmp_path / "none", "visits", keep_identifying=("name",))


def nested_people(spark: SparkSession) -> DataFrame:
    """Return 40 people with a record number, and columns that contain it or a mail address in every kind of cell."""
    return spark.range(40).selectExpr(
        "cast(id % 4 + 30 as int) as age",
        "id * 7 + 120000000 as record",
        "cast(if(id = 3, null, id * 7 + 120000000) as double) as record_double",
        "cast(id * 7 + 120000000 as decimal(20, 4)) as record_decimal",
        "cast(concat('r', id) as binary) as record_bytes",
        "named_struct('ward', 'A', 'contact', named_struct('mail', concat('u', id % 9, '@example.org'))) as contact",
        "array(named_struct('number', id * 7 + 120000000)) as visits",
        "map(id * 7 + 120000000, 'x') as by_record",
        "array(concat('u', id % 9, '@example.org'), 'none') as mails",
        "unhex('ff00') as picture",
        "named_struct('Ann Leeds', 1, 'Bob Smith', 2, 'Mary Johnson', 3) as by_name",
        "named_struct('ward', cast(id % 2 as double), 'tags', array('a', 'b')) as harmless",
        "cast(id % 3 as double) / 2 as score",
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("record_double", "39 different values of 39 people"),
        ("record_decimal", "40 different values of 40 people"),
        ("record_bytes", "40 different values of 40 people"),
        ("contact", "values of contact.contact.mail are EMAIL"),
        ("visits", "40 of 40 people have a unique value of visits.number"),
        ("by_record", "40 of 40 people have a unique value of by_record.key"),
        ("mails", "its values are EMAIL"),
        ("picture", "its values are bytes that are not UTF-8"),
        ("by_name", "names of its fields are NAME"),
    ],
)
def test_every_leaf_of_every_type_is_checked(spark: SparkSession, name: str, reason: str) -> None:
    found = columns_that_name(nested_people(spark), None, [name, "harmless", "score"])
    assert [*found] == [name]
    assert reason in found[name]


@pytest.mark.parametrize("keep", ["record_double", "contact"])
def test_a_table_with_such_a_column_is_refused(spark: SparkSession, keep: str) -> None:
    with pytest.raises(GateRefused, match=f"--keep: {keep} identify people"):
        sd.anonymize(nested_people(spark), quasi=["age"], model="k=2", keep=[keep, "harmless"])


def test_a_struct_that_shows_what_is_recoded_is_refused(spark: SparkSession) -> None:
    people = spark.range(300).selectExpr(
        "cast(20 + id % 60 as int) as age", "named_struct('born', 2024 - (20 + id % 60), 'ward', id % 2) as more"
    )
    with pytest.raises(GateRefused, match=r"more reveal recoded values .more: age can be guessed for "):
        sd.anonymize(people, quasi=["age"], model="k=25", keep=["more"])


@pytest.mark.parametrize(
    "kept",
    [
        "named_struct('a', record)",
        "array(named_struct('b', array(record)))",
        "map(concat('r ', record), 1)",
        "cast(record as double)",
        "cast(record as decimal(30, 2))",
        "to_json(named_struct('a', cast(record as double)))",
        "cast(concat('r ', record) as binary)",
    ],
)
def test_an_id_in_a_kept_column_is_counted_by_value(spark: SparkSession, kept: str) -> None:
    people = nested_people(spark).selectExpr("age", "record", f"{kept} as kept")
    done = sd.anonymize(people, quasi=["age"], model="k=2", person="record", keep=["kept"], keep_identifying=("kept",))
    assert done.manifest["residuals"] == {"kept columns": {"record": 40}}


@pytest.mark.parametrize(
    ("kept", "name"), [("named_struct('120000007', age)", "kept"), ("age % 2", "120000007")], ids=["field", "column"]
)
def test_an_id_as_a_name_is_refused(spark: SparkSession, kept: str, name: str) -> None:
    people = nested_people(spark).selectExpr("age", "record", f"{kept} as `{name}`")
    with pytest.raises(GateRefused, match="names of columns 1"):
        sd.anonymize(people, quasi=["age"], model="k=2", person="record", keep=[name], keep_identifying=(name,))
