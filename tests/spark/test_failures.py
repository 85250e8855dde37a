from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.failures import values_hidden


def raise_with_values(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            raise ValueError(batch.column(0)[0].as_py())
        yield batch


def test_failed_worker_shows_no_value(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    rows = spark.createDataFrame([("canary-7",)], "text string")

    with pytest.raises(SparkDeidError, match=r"ValueError$") as caught, values_hidden():
        rows.mapInArrow(raise_with_values, "text string").collect()

    assert "canary-7" not in str(caught.value) + "".join(capfd.readouterr())


def test_failed_expression_shows_no_value(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    rows = spark.createDataFrame([("canary-7",)], "text string")

    with pytest.raises(SparkDeidError, match="CAST_INVALID_INPUT") as caught, values_hidden():
        rows.select(F.col("text").cast("int")).collect()

    assert "canary-7" not in str(caught.value) + "".join(capfd.readouterr())


def test_missing_path_is_named(spark: SparkSession) -> None:
    with pytest.raises(SparkDeidError, match="/no/such/path"), values_hidden():
        spark.read.parquet("/no/such/path")
