"""Tables of people as files have them: Delta, Parquet, or CSV with a header."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.errors import CorpusError
from spark_deid.storage.files import is_remote, local_path


def read_table(spark: SparkSession, place: str, *, delimiter: str = ",") -> DataFrame:
    """Read a table: a Delta folder, ``.csv`` or ``.csv.gz`` (a header, types inferred), else Parquet.

    Empty cells of CSV are missing values. Raises CorpusError where a local folder or file is none of these.
    """
    if _is_delta(spark, place):
        return spark.read.format("delta").load(place)
    if place.removesuffix(".gz").endswith(".csv") or _holds_csv(place):
        reader = spark.read.option("header", True).option("inferSchema", True).option("mode", "FAILFAST")
        return reader.option("sep", delimiter).option("escape", '"').csv(place)
    if not is_remote(place) and not _holds_parquet(place):
        raise CorpusError(f"{place}: expected a Delta table, Parquet, or CSV with a header")
    return spark.read.parquet(place)


def _is_delta(spark: SparkSession, place: str) -> bool:
    if not is_remote(place):
        return Path(local_path(place), "_delta_log").is_dir()
    from delta.tables import DeltaTable

    return bool(DeltaTable.isDeltaTable(spark, place))


def _holds_csv(place: str) -> bool:
    path = Path(local_path(place))
    return not is_remote(place) and path.is_dir() and any(path.glob("*.csv*"))


def _holds_parquet(place: str) -> bool:
    path = Path(local_path(place))
    return path.suffix == ".parquet" or (path.is_dir() and any(path.glob("*.parquet")))
