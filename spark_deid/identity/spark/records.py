"""Operators: what documents and rows of a table tell of a person, a row a record and column that it is compared by."""

from collections.abc import Sequence

from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.identity.linkage.columns import FAMILY, GIVEN, RecordColumn
from spark_deid.identity.linkage.model import RECORD

DOCUMENT, ROW, KEY, CELL = "d:", "t:", "k:", "v:"
"""What documents, rows of a table, keys of persons, and values begin with where they stand together."""
_WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


def cells_of(mentions: DataFrame, structured: DataFrame | None, columns: Sequence[RecordColumn]) -> DataFrame:
    """Return one value a record and column (columns record, column, value).

    Of several values of a document the one with most mentions counts, then the longest, then the least; of a row the
    least. Dates that are not whole tell nothing.
    """
    rows = mentions.select(F.concat(F.lit(DOCUMENT), "doc_id").alias(RECORD), "attribute", "value")
    if structured is not None:
        keyed = F.concat(F.lit(ROW), "person").alias(RECORD)
        rows = rows.unionByName(structured.select(keyed, "attribute", "value"))
    dates = sorted({each.attribute for each in columns if each.kind == "date"})
    result = rows.where(~F.col("attribute").isin(*dates) | F.col("value").rlike(_WHOLE_DATE))
    result = result.where(F.col("attribute").isin(*{each.attribute for each in columns}) & F.col("value").isNotNull())
    counted = result.groupBy(RECORD, "attribute", "value").agg(F.count(F.lit(1)).alias("mentions"))
    order = F.struct((-F.col("mentions")).alias("mentions"), (-F.length("value")).alias("length"), "value")
    single = counted.groupBy(RECORD, "attribute").agg(F.min(order)["value"].alias("value"))
    parts = [
        single.where(F.col("attribute") == each.attribute).select(
            RECORD, F.lit(each.name).alias("column"), _part(each).alias("value")
        )
        for each in columns
    ]
    cells = parts[0]
    for part in parts[1:]:
        cells = cells.unionByName(part)
    return cells.where(F.length("value") > 0)


def _part(column: RecordColumn) -> Expression:
    halves = F.split("value", ", ", 2)
    if column.part == FAMILY:
        return halves[0]
    if column.part == GIVEN:
        return F.split(F.get(halves, F.lit(1)), " ")[0]
    return F.col("value")


def wide_of(cells: DataFrame, columns: Sequence[RecordColumn]) -> DataFrame:
    """Return a row a record, with a column each of ``columns``."""
    return cells.groupBy(RECORD).pivot("column", [each.name for each in columns]).agg(F.first("value"))
