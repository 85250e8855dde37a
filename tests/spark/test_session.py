import os
import sys
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_deid.session import build_session, session_scope


def test_delta_table_comes_back_without_statistics_of_its_text(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    spark.createDataFrame([("a", "canary"), ("b", "text")], "doc_id string, text string").write.format("delta").save(
        path
    )

    assert spark.read.format("delta").load(path).count() == 2
    assert "canary" not in "".join(log.read_text() for log in (tmp_path / "table" / "_delta_log").glob("*.json"))


def test_workers_run_this_python_with_one_thread_and_a_fixed_hash_seed(spark: SparkSession) -> None:
    def tell(_: pd.Series) -> pd.Series:
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONHASHSEED")
        return pd.Series([":".join((sys.executable, *(os.environ[name] for name in names)))])

    row = spark.range(1).select(F.pandas_udf(tell, "string")("id").alias("told")).first()  # type: ignore[attr-defined]

    assert row is not None
    assert row.told == f"{sys.executable}:1:1:0"


def test_running_session_is_taken_and_left_running(spark: SparkSession) -> None:
    with session_scope(app_name="another") as taken:
        assert taken.sparkContext is spark.sparkContext

    assert spark.range(1).count() == 1


def test_spark_writes_nothing_into_the_working_folder(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    build_session(app_name="again").sql("select 1").collect()

    assert list(tmp_path.iterdir()) == []
