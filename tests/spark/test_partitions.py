"""Rows in the partitions that a column names."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_deid.engine.partitions import keys_of, repartition_by_id, repartition_by_keys, spark_hash


def test_hashes_are_those_of_spark(spark: SparkSession) -> None:
    numbers = [*range(40), 2**31 - 1, -1, -(2**31)]
    rows = spark.createDataFrame([(number,) for number in numbers], "number int")
    hashed = {row[0]: row[1] for row in rows.select("number", F.hash("number")).collect()}
    assert {number: spark_hash(number) for number in numbers} == hashed


def test_each_partition_has_a_number_of_its_own() -> None:
    for partitions in (1, 2, 7, 300):
        assert [spark_hash(key) % partitions for key in keys_of(partitions)] == [*range(partitions)]


@pytest.mark.parametrize("bring", [repartition_by_id, repartition_by_keys])
def test_rows_are_where_their_column_states(bring, spark: SparkSession) -> None:  # type: ignore[no-untyped-def]
    rows = spark.createDataFrame([(number, number % 5) for number in range(20)], "number int, part int")
    for column in ("part", F.col("part")):
        there = bring(rows, 7, column).select("part", F.spark_partition_id()).distinct().collect()
        assert sorted(map(tuple, there)) == [(part, part) for part in range(5)]
