"""Columns of text are recoded as the numbers and dates that their cells are, and written as they were read."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import TYPES, ColumnKind, ColumnType
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.forms import ReadingRules, with_forms

TODAY = date(2026, 11, 28)


def ages(*others: str) -> list[str]:
    return [*(str(20 + at) for at in range(60)), *others]


def test_columns_get_the_types_of_their_cells(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [
            ("02138", "20", "1.10", "10-02-63", "2010-06-22 10:00", "12345678901234567890", "a"),
            ("10001", "NA", " 7 ", "31-12-26", "2010-06-23 10:00", "12345678901234567891.0", "2010-01-01"),
        ],
        "zip string, age string, weight string, born string, seen string, id string, note string",
    )
    claim = PrivacyClaim(tuple(frame.columns), read_models("k=2"))
    read = with_forms(frame, claim, ReadingRules(until=TODAY))
    assert [kind for _, kind in read.table.dtypes] == [
        *("string", "bigint", "double", "date", "timestamp_ntz", "string", "string")
    ]
    first, second = read.table.collect()
    assert tuple(first)[:4] == ("02138", 20, 1.1, date(1963, 2, 10))
    assert tuple(second)[:4] == ("10001", None, 7.0, date(1926, 12, 31))
    assert (first["id"], second["id"]) == ("12345678901234567890", "12345678901234567891")
    assert (first["note"], second["note"]) == ("a", "other")
    assert read.types["zip"].kind is ColumnKind.CODE


@pytest.mark.parametrize("algorithm", ["mondrian", "incognito"])
def test_categories_among_numbers_are_shown_next_to_ranges(spark: SparkSession, algorithm: str) -> None:
    frame = pd.DataFrame({"age": ages("90+", "90+", "90+", "unknown", "2010-01-01", "NA")})
    suppression: dict[str, Any] = {"suppression": 0.1} if algorithm == "incognito" else {}
    done = sd.anonymize(frame, quasi=["age"], model="k=3", algorithm=algorithm, **suppression)
    shown = set(done.table["age"].dropna())
    assert any("90+" in label for label in shown)
    assert any("other" in label for label in shown) is (algorithm == "mondrian")
    assert not any("unknown" in label or "2010" in label for label in shown)
    assert sum(label.startswith(("[", "{90+", "{other", "{missing", "90+", "*")) for label in shown) == len(shown)
    assert done.warnings[0].startswith("age: 5 of 65 cells are not numbers")
    assert "1 of their values are categories" in done.warnings[0]
    claim = PrivacyClaim(("age",), read_models("k=3"))
    assert assess_table(spark.createDataFrame(done.table), claim).satisfied


def test_a_class_of_a_category_and_numbers_names_both(spark: SparkSession) -> None:
    values = [*(str(80 + at % 10) for at in range(20)), *(str(20 + at % 10) for at in range(40)), *["90+"] * 5]
    frame = pd.DataFrame({"age": values, "ill": [*["flu", "cold"] * 30, *["flu"] * 5]})
    done = sd.anonymize(frame, quasi=["age"], sensitive=["ill"], model="k=5,l=2")
    assert {label for label in done.table["age"] if "90+" in label} <= {"{90+, [80-89]}", "{90+, [85-89]}"}
    assert done.table["age"].str.contains("90+", regex=False).sum() > 5


def test_a_class_of_dates_lists_none_of_them(spark: SparkSession) -> None:
    born = ["06-05-40", "06-05-41", "06-05-42"] * 30 + ["unknown"] * 3
    done = sd.anonymize(pd.DataFrame({"born": born}), quasi=["born"], model="k=40")
    assert set(done.table["born"]) == {"1940-05-06", "{other, [1941-01-01..1942-12-31]}"} or all(
        label.startswith(("[19", "{other, [19", "{unknown, [19")) for label in done.table["born"]
    )


def test_no_class_lists_a_date_of_later_rows(spark: SparkSession) -> None:
    """The first 1,000 rows have no dates, and more than 50 values."""
    late = ["2010-06-22", " 22.06.10", "Jun 22, 2010"]
    places = [f"place {at % 60}" for at in range(1000)]
    frame = pd.DataFrame({"seen": places + late, "born": ["22.06.10"] * 1000 + ["2010-06-22", "x", "x"]})
    done = sd.anonymize(frame, quasi=["seen", "born"], model="k=3")
    assert any("other" in label for label in done.table["seen"])
    assert not done.table["seen"].str.contains(r"2010|[.]06|Jun", regex=True).any()
    assert (
        "seen: 3 of 1003 cells are dates, fewer than 90%, and read as other. Correct the other cells"
    ) in done.warnings


def test_dates_of_a_later_batch_are_in_no_class(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a",), ("22 Jun 2010",)], "seen string")
    claim = PrivacyClaim(("seen",), read_models("k=2"))
    read = with_forms(frame, claim, ReadingRules(until=TODAY, known={"seen": ColumnType(ColumnKind.TEXT)}))
    assert [row["seen"] for row in read.table.collect()] == ["a", "other"]
    assert [each.partition(",")[0] for each in read.warnings] == ["seen: has dates that are read as other"]


def test_people_of_a_category_are_counted_not_rows(spark: SparkSession) -> None:
    frame = pd.DataFrame({"age": ages("90+", "90+", "90+"), "id": [*map(str, range(60)), "x", "x", "x"]})
    done = sd.anonymize(frame, quasi=["age"], model="k=3", person="id")
    assert not any("90+" in label for label in done.table["age"])


def test_ids_of_19_digits_are_as_many_people_and_cells_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    rows = [
        (str(9_007_199_254_740_993_000 + at), 20 + at % 40, f"{at % 7}.10", "1.1" if at % 2 else "1.10")
        for at in range(100)
    ]
    pd.DataFrame(rows, columns=["id", "age", "weight", "dose"]).to_csv(tmp_path / "t.csv", index=False)
    asked = app.AnonymizeOptions(
        input=str(tmp_path / "t.csv"),
        output=str(tmp_path / "out"),
        quasi=("age",),
        model="k=5",
        person="id",
        keep=("weight", "dose"),
        keep_identifying=("weight", "dose"),
    )
    app.anonymize(asked)
    table = spark.read.format("delta").load(str(tmp_path / "out" / "table")).toPandas()
    assert table["id"].nunique() == 100
    assert sorted(table["weight"]) == sorted(row[2] for row in rows)
    assert set(table["dose"]) == {"1.1", "1.10"}


def test_spellings_of_a_sensitive_number_are_one_value(spark: SparkSession) -> None:
    frame = pd.DataFrame({"age": ["20", "20", "30", "30"], "dose": ["1.10", "1.1", "2", "3"]})
    done = sd.anonymize(frame, quasi=["age"], sensitive=["dose"], model="k=2,l=2")
    assert done.told["classes"] == 1
    assert sorted(done.table["dose"]) == ["1.1", "1.10", "2", "3"]
    claim = PrivacyClaim(("age",), read_models("l=2"), ("dose",))
    assert [each.assessment.value for each in assess_table(spark.createDataFrame(frame), claim).assessed] == [1]


def test_sensitive_text_is_ordered_as_exact_decimals(spark: SparkSession) -> None:
    numbers = ["9", "10", "100.0", "12345678901234567890", "12345678901234567891", "NA"]
    frame = spark.createDataFrame(
        [(str(at // 3), value) for at, value in enumerate(numbers)], "age string, dose string"
    )
    claim = PrivacyClaim(("age",), read_models("t=0.9"), ("dose",))
    (found,) = assess_table(frame, claim).assessed
    # The missing value is first: the classes are {9, 10, 100} and {missing, 1.2e19, 1.2e19}.
    carried = np.abs(np.cumsum(np.array([-1, 1, 1, 1, -1, -1]) / 6)).sum() / 5
    assert found.assessment.value == pytest.approx(carried)
    done = sd.anonymize(frame, quasi=["age"], sensitive=["dose"], model=f"k=3,t={carried + 0.001:.3f}")
    assert done.told["classes"] == 2


def test_later_batches_are_read_as_first_fitted(spark: SparkSession, tmp_path: Path) -> None:
    born = [f"{1 + at % 28:02d}-{1 + at % 12:02d}-{40 + at % 20}" for at in range(60)]
    frame = pd.DataFrame({"age": ages("90+", "90+", "90+")[3:], "born": born})
    sd.anonymize(frame, quasi=["age", "born"], model="k=3", workspace=tmp_path / "w")
    kept = json.loads((tmp_path / "w" / TYPES).read_text())
    assert kept["born"]["forms"] == ["d-M-y"]
    assert kept["age"]["categories"] == ["90+"]
    # All days of the batch can be months, and its ages have a category that was not fitted.
    batch = frame[frame["born"].str[:2].astype(int) <= 12].copy()
    batch.iloc[0, 0] = "unknown"
    done = sd.anonymize(batch, quasi=["age", "born"], model="k=2", fitted=str(tmp_path / "w"))
    reasons = done.manifest["suppressed_rows_by_reason"]
    assert reasons["outside_of_fitted_ranges"] == 1
    assert not any("order of day" in warning for warning in done.warnings)


def test_a_population_is_read_as_the_table(spark: SparkSession) -> None:
    table = pd.DataFrame({"age": ages(*["90+"] * 4)})
    people = pd.DataFrame({"age": [*ages(*["90+"] * 5), "unknown", "20.0"]})
    done = sd.anonymize(table, quasi=["age"], model="k=4,delta=0:1", population=people, algorithm="incognito")
    assert "90+" in set(done.table["age"])
    assert [each.satisfied for each in done.assessments] == [True, True, True]


def test_a_release_after_another_reads_dates_as_the_first(spark: SparkSession, tmp_path: Path) -> None:
    born = [f"{1 + at % 28:02d}/{1 + at % 12:02d}/1950" for at in range(24)]
    first = pd.DataFrame({"id": range(24), "born": born, "ill": ["flu", "cold"] * 12})
    asked: dict[str, Any] = {"quasi": ["born"], "sensitive": ["ill"], "person": "id", "model": "m=2"}
    sd.anonymize(first, **asked, workspace=tmp_path / "w")
    unclear = first.head(12)
    alone = sd.anonymize(unclear, **asked, workspace=tmp_path / "alone")
    assert any("order of day and month" in warning for warning in alone.warnings)
    later = sd.anonymize(unclear, **asked, workspace=tmp_path / "later", previous=tmp_path / "w")
    assert not any("order of day and month" in warning for warning in later.warnings)
