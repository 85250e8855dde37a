"""Tables of records as files have them: Delta, Parquet, CSV with a header, and JSON lines."""

import os

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from spark_deid.core.errors import CorpusError
from spark_deid.storage.files import absolute_path, is_remote, local_path
from spark_deid.storage.records import check_records, csv_files, has_breaks, header_of, is_csv, is_delta, is_json
from spark_deid.storage.spark.plain_paths import reader_of_plain_paths


def read_records(spark: SparkSession, place: str, *, delimiter: str = ",") -> DataFrame:
    """Read a table: a Delta folder, Parquet, ``.csv`` or ``.jsonl``, packed (``.gz``) or not, or a folder of these.

    Cells of CSV are text, empty ones are missing. Rows that are torn fail what reads them. Local files of CSV are
    looked through before. Raises UsageError where one is no UTF-8 or has no header whose names differ, and for what is
    no such table; CorpusError for a table that Spark can't open.
    """
    path = place if is_remote(place) else f"file://{absolute_path(place)}"
    check_records(place, delimiter=delimiter)
    try:
        if _is_delta(spark, place):
            return _of_delta(spark, place, path)
        reader = _reader(spark, place).option("mode", "FAILFAST")
        if is_csv(place):
            return _of_csv(reader, place, path, delimiter)
        return reader.json(path) if is_json(place) else _reader(spark, place).parquet(path)
    except AnalysisException:
        raise CorpusError(f"{place}: expected a table that Spark can read") from None


def _reader(spark: SparkSession, place: str) -> DataFrameReader:
    """Return a reader to which the path of what is there is no pattern, and any other path may be one."""
    return reader_of_plain_paths(spark) if os.path.exists(local_path(place)) else spark.read


def _of_csv(reader: DataFrameReader, place: str, path: str, delimiter: str) -> DataFrame:
    files = [*csv_files(place)]
    reader = reader.option("header", True).option("sep", delimiter).option("escape", '"')
    breaks = [has_breaks(file, delimiter=delimiter) for file in files]  # each is looked through whole
    if not any(breaks):
        return reader.csv(path)
    # Where cells have line breaks, Spark looks for a header by the path as a pattern, whatever it is told.
    columns = [StructField(name, StringType()) for name in header_of(files[0], delimiter)]
    return reader.option("multiLine", True).schema(StructType(columns)).csv(path)


def _of_delta(spark: SparkSession, place: str, path: str) -> DataFrame:
    try:
        return spark.read.format("delta").load(path)
    except (PySparkException, Py4JError):
        if is_remote(place):
            raise
        raise CorpusError(f"{place}: expected a whole table of Delta, whose log Spark can read") from None


def _is_delta(spark: SparkSession, place: str) -> bool:
    if not is_remote(place):
        return is_delta(place)
    from delta.tables import DeltaTable

    return bool(DeltaTable.isDeltaTable(spark, place))
