"""Read files by the very names of their paths."""

from pyspark.sql import DataFrameReader, SparkSession


def reader_of_plain_paths(spark: SparkSession) -> DataFrameReader:
    """Return a reader to which brackets, braces and stars of paths are letters, not patterns that others may match."""
    return spark.read.option("__globPaths__", "false")
