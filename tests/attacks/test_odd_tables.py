"""Tables as people have them: dates that looked like categories, columns that show the same, odd names and types."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.core.errors import UsageError


def test_dates_of_all_forms_are_dates_and_what_is_odd_is_stated(spark: SparkSession) -> None:
    random = np.random.default_rng(5)
    days = [pd.Timestamp(1940, 1, 1) + pd.Timedelta(days=int(day)) for day in random.integers(0, 25_000, 120)]
    early = [day.replace(day=day.day % 12 + 1) for day in days]
    frame = pd.DataFrame(
        {
            "born": [f"{day.day}/{day.month}/{day.year}" for day in days],
            "seen": [f"{day.day:02}.{day.month:02}.{day.year}" for day in early],
            "told": [day.strftime("%d %b %Y") for day in days],
            "age": [2024 - day.year for day in days],
            "street": [f"No {at} Elm" for at in random.integers(0, 90, 120)],
        }
    )
    done = sd.anonymize(frame, quasi=[*frame.columns], model="k=10", locale="en_GB", recoding="tight")
    for name, originals in (("born", days), ("seen", early), ("told", days)):
        assert set(done.table[name].str.match(r"\[\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}\]$")) == {True}
        least = min(label[1:11] for label in done.table[name])
        assert least == min(originals).strftime("%Y-%m-%d")
    said = " ".join(done.warnings)
    assert "seen: the dates do not show the order of day and month. They are read with the day first" in said
    assert "born: its dates" not in said
    assert "street: more than 50 different values" in said
    assert "born and age are correlated (-1.00)" in said


@pytest.mark.thorough
def test_odd_names_and_columns_work_or_are_reported_by_name(spark: SparkSession) -> None:
    frame = pd.DataFrame({"zip.code": range(40), "a`ge": range(40), "no": [None] * 40, "my.note": ["x", "y"] * 20})
    for algorithm in ("mondrian", "incognito"):
        asked: dict[str, Any] = {"quasi": ["zip.code", "a`ge", "no"], "model": "k=5", "keep": ["my.note"]}
        done = sd.anonymize(frame, **asked, algorithm=algorithm)
        assert list(done.table.columns) == list(frame.columns)
        assert done.table.groupby(["zip.code", "a`ge"]).size().min() >= 5
        assert done.table["no"].isna().all()
    large = pd.DataFrame({"n": [2**53 + at for at in range(20)]})
    assert sd.anonymize(large, quasi=["n"], model="k=5").table.groupby("n").size().min() >= 5
    with pytest.raises(UsageError, match="Age, age: expected column names that differ"):
        sd.anonymize(pd.DataFrame({"Age": [1, 2], "age": [1, 2]}), quasi=["age"], model="k=2")
    with pytest.raises(UsageError, match="codes: expected numbers, dates or text, got the type array<bigint>"):
        sd.anonymize(pd.DataFrame({"codes": [[1], [2]]}), quasi=["codes"], model="k=2")


def test_files_with_columns_in_another_order_publish_no_name(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    for at, order in enumerate((["name", "age", "ward"], ["ward", "age", "name"])):
        rows = [{"name": f"Zebulon{at}{n}", "age": str(30 + n % 3), "ward": "A"} for n in range(12)]
        lines = [",".join(order), *(",".join(row[name] for name in order) for row in rows)]
        (folder / f"{at}.csv").write_text("\n".join(lines) + "\n")
    output = tmp_path / "out"
    app.anonymize(
        app.AnonymizeOptions(input=str(folder), output=str(output), quasi=("age",), model="k=4", keep=("ward",))
    )
    wards = spark.read.format("delta").load(str(output / "table")).select("ward").collect()
    assert [row["ward"] for row in wards] == ["A"] * 24
