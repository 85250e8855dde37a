from pyspark.sql import SparkSession

from spark_deid.app.engine_checks import check_delta_table


def test_small_table_is_written_and_read(spark: SparkSession) -> None:
    assert check_delta_table().level == "ok"
