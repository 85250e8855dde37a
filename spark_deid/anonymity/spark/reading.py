"""Tables of people as files have them: Delta, Parquet, or CSV with a header."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.spark.usable import check_names
from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.storage.spark.records import read_records
from spark_deid.storage.table_files import MissingColumns


def read_table(
    spark: SparkSession,
    place: str,
    *,
    dialect: CsvDialect = RFC_4180,
    columns: Sequence[str] = (),
    missing: MissingColumns = MissingColumns.REFUSE,
) -> DataFrame:
    """Read a table as ``storage.spark.records`` does. Cells of CSV are text, exactly as they are written.

    Raises:
        UsageError: The place is not a table.
        CorpusError: Spark can't read the table, or a file lacks one of the ``columns``.
    """
    table = read_records(spark, place, dialect=dialect, columns=columns, missing=missing)
    check_names(table.columns)
    return table
