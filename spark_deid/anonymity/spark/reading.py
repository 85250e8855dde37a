"""Tables of people as files have them: Delta, Parquet, or CSV with a header."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.anonymity.spark.columns import column
from spark_deid.core.errors import CorpusError
from spark_deid.storage.files import is_remote, local_path


def read_table(spark: SparkSession, place: str, *, delimiter: str = ",") -> DataFrame:
    """Read a table: a Delta folder, ``.csv`` or ``.csv.gz`` with a header, else Parquet.

    Empty cells of CSV are missing values. A column of CSV has numbers, dates or times where every cell is one; what
    begins with a zero, such as a ZIP code, stays text. That takes a Spark job. Raises CorpusError where a local folder
    or file is none of these.
    """
    if _is_delta(spark, place):
        return spark.read.format("delta").load(place)
    if place.removesuffix(".gz").endswith(".csv") or _holds_csv(place):
        reader = spark.read.option("header", True).option("mode", "FAILFAST")
        return _typed(reader.option("sep", delimiter).option("escape", '"').csv(place))
    if not is_remote(place) and not _holds_parquet(place):
        raise CorpusError(f"{place}: expected a Delta table, Parquet, or CSV with a header")
    return spark.read.parquet(place)


_FORMS: Mapping[str, str] = MappingProxyType(
    {
        "bigint": r"^-?(0|[1-9][0-9]{0,17})$",
        "double": r"^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$",
        "date": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "timestamp_ntz": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?$",
    }
)
"""How cells of each type are written; the first that all cells of a column are written like is its type."""


def _typed(table: DataFrame) -> DataFrame:
    """Give columns of text the types of their cells."""
    cells = [(at, column(name)) for at, name in enumerate(table.columns)]
    others = (F.max(_is_other(cell, kind).cast("int")).alias(f"{kind} {at}") for at, cell in cells for kind in _FORMS)
    found = table.agg(*others).first() if cells else None
    kinds = {at: next((kind for kind in _FORMS if found and found[f"{kind} {at}"] == 0), "string") for at, _ in cells}
    return table.select(*(cell.cast(kinds[at]).alias(table.columns[at]) for at, cell in cells))


def _is_other(cell: Column, kind: str) -> Column:
    """Tell whether a cell is written otherwise, or is no value of a type; null where there is none."""
    return F.when(cell.isNotNull(), ~cell.rlike(_FORMS[kind]) | cell.try_cast(kind).isNull())


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
