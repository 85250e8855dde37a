"""Tables cut on Spark become what one machine makes of them, however they are divided."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import Modes, RecodingMode
from spark_deid.anonymity.spark import chunks
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
from spark_deid.core.errors import CorpusError, GateRefused
from spark_deid.core.hashing import keyed_hash
from spark_deid.engine.tables import read_parts
from tests.unit.anonymity.in_memory import recode_table

KEY = b"k" * 32
COLUMNS = ("person", "age", "city", "disease", "weight")
CITIES = (("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*"))


def people(n: int) -> pa.Table:
    random = np.random.default_rng(2)
    return pa.table(
        {
            "person": random.integers(0, n // 3, n),
            "age": pa.array([None if age == 40 else age for age in random.integers(20, 60, n).tolist()]),
            "city": random.choice(list("abcd"), n),
            "disease": pa.array([None if at == 3 else "xyz"[at] for at in random.integers(0, 4, n)]),
            "weight": random.normal(size=n),
        }
    )


@pytest.mark.parametrize(
    ("person", "models", "is_relaxed", "partitions"),
    [
        ("person", "k=5,frequency-l=1.5", True, 7),
        ("person", "k=5,t=0.4", False, 1),
        pytest.param(None, "k=7", False, 7, marks=pytest.mark.thorough),
    ],
)
def test_rows_become_what_one_machine_makes_of_them(
    spark: SparkSession, tmp_path: Path, person: str | None, models: str, is_relaxed: bool, partitions: int
) -> None:
    table = people(1500)
    modes: Modes = {"age": RecodingMode.REGION}
    claim = PrivacyClaim(("age", "city"), read_models(models), ("disease",), person, hierarchies={"city": CITIES})
    published = COLUMNS if person else COLUMNS[1:]
    asked = MondrianRequest(claim, published, modes, is_relaxed)
    frame = spark.createDataFrame(table.to_pandas().convert_dtypes()).repartition(partitions)
    cut = cut_table(frame, asked, tmp_path / "scratch", tmp_path / "table", KEY, part_rows=200)
    made = read_parts(spark, cut.files, cut.schema)
    whole = recode_table(table, claim, recoding=modes, is_relaxed=is_relaxed, key=KEY)
    expected = table.to_pydict() | whole.labels.to_pydict()
    expected["person"] = [keyed_hash(KEY, "person", str(each)) for each in expected["person"]]
    rows = zip(*(expected[name] for name in published), strict=True)
    assert Counter(tuple(row) for row in made.collect()) == Counter(rows)
    assert cut.sizes == Counter(np.diff(whole.cut.starts).tolist())
    assert len(cut.files) > 3
    assert sum(cut.splits.values()) >= len(cut.files) - 1
    assert assess_table(made, claim).satisfied


def test_what_cannot_be_cut_is_refused(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.createDataFrame([("ann", 1), ("bob", 2), (None, 3)], "person string, age int")

    def cut(claim: PrivacyClaim, name: str) -> None:
        cut_table(frame, MondrianRequest(claim, ("age",), {}), tmp_path / name, tmp_path / f"{name}-table", KEY)

    with pytest.raises(GateRefused, match="class with all 3 "):
        cut(PrivacyClaim(("age",), read_models("k=4")), "few")
    with pytest.raises(CorpusError, match=r"person: 1 rows .*no person"):
        cut(PrivacyClaim(("age",), read_models("k=2"), person="person"), "nameless")
    monkeypatch.setattr(chunks, "DISTINCT_BYTES", 8)
    with pytest.raises(CorpusError, match=r"age: .* distinct values are too many"):
        cut(PrivacyClaim(("age",), read_models("k=2")), "many")


def test_values_of_any_number_reach_workers(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.range(40_000).toDF("income")
    asked = MondrianRequest(PrivacyClaim(("income",), read_models("k=5")), ("income",), {})
    cut = cut_table(frame, asked, tmp_path / "scratch", tmp_path / "table", KEY, part_rows=10_000)
    assert (cut.rows, min(cut.sizes), len(cut.files)) == (40_000, 5, 4)
