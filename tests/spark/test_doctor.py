from pyspark.sql import SparkSession

from spark_deid.app.examining import check_delta


def test_small_table_is_written_and_read(spark: SparkSession) -> None:
    assert check_delta().level == "ok"
