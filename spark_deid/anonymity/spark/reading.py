"""Tables of people as files have them: Delta, Parquet, or CSV with a header."""

from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.spark.usable import check_names
from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.storage.spark.records import read_records


def read_table(spark: SparkSession, place: str, *, dialect: CsvDialect = RFC_4180) -> DataFrame:
    """Read a table as ``storage.spark.records`` does; cells of CSV are text, exactly as they are written.

    Raises UsageError and CorpusError.
    """
    table = read_records(spark, place, dialect=dialect)
    check_names(table.columns)
    return table
