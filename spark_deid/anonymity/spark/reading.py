"""Tables of people as files have them: Delta, Parquet, or CSV with a header."""

from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.usable import check_names
from spark_deid.storage.records import is_csv
from spark_deid.storage.spark.records import read_records


def read_table(spark: SparkSession, place: str, *, delimiter: str = ",") -> DataFrame:
    """Read a table as ``storage.spark.records`` does, and give columns of CSV their types.

    A column has numbers, dates or times where every cell is one; what begins with a zero, such as a ZIP code, stays
    text. That takes a Spark job. Raises UsageError and CorpusError.
    """
    table = read_records(spark, place, delimiter=delimiter)
    check_names(table.columns)
    return _typed(table) if is_csv(place) else table


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
