"""The workspace's tables as Delta tables, without statistics on text."""

from collections.abc import Iterable
from typing import cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from spark_deid.core import tables
from spark_deid.release.workspace import Workspace
from spark_deid.storage.delta_log import write_small_table

NO_STATISTICS = "delta.dataSkippingNumIndexedCols"
GROUP_BYTES = 8 << 20


def select_columns(rows: DataFrame, schema: pa.Schema) -> DataFrame:
    """Select and cast the columns of a table's schema."""
    fields = cast(StructType, StructType.fromDDL(tables.ddl(schema)))
    return rows.select(*(F.col(field.name).cast(field.dataType).alias(field.name) for field in fields))


def write_table(rows: DataFrame, workspace: Workspace, name: str) -> DataFrame:
    """Write one of the tables of ``core.tables`` to a workspace, in one commit, and return it as read back.

    The table's log holds no smallest and largest values, which would be pieces of text.
    """
    uri = workspace.folder.child(name).uri
    columns = select_columns(rows, tables.TABLES[name])
    columns.write.format("delta").mode("errorifexists").option(NO_STATISTICS, "0").save(uri)
    return rows.sparkSession.read.format("delta").load(uri)


def read_table(spark: SparkSession, workspace: Workspace, name: str) -> DataFrame:
    """Read a table of a workspace."""
    return spark.read.format("delta").load(workspace.folder.child(name).uri)


def write_rows(rows: Iterable[tuple[object, ...]], workspace: Workspace, name: str) -> None:
    """Write a table of a few rows that the driver holds, without a Spark job; columns in the schema's order."""
    write_small_table(rows, tables.TABLES[name], workspace.folder.child(name))


def write_absent(workspace: Workspace) -> tuple[str, ...]:
    """Write every table that the workspace lacks as an empty one; return their names."""
    absent = tuple(name for name in tables.TABLES if not workspace.folder.child(name).names())
    for name in absent:
        write_rows((), workspace, name)
    return absent


def write_scratch(rows: DataFrame, workspace: Workspace, name: str) -> DataFrame:
    """Write rows between two stages, of whatever columns, and return them as read back; gone when the run ends.

    What one task writes is in groups of rows that several tasks can read.
    """
    writer = rows.write.mode("errorifexists").option("parquet.block.size", str(GROUP_BYTES))
    writer.parquet(workspace.scratch.child(name).uri)
    return read_scratch(rows.sparkSession, workspace, name, rows.schema)


def read_scratch(spark: SparkSession, workspace: Workspace, name: str, schema: StructType | str) -> DataFrame:
    """Read rows that ``write_scratch`` wrote under a name."""
    return spark.read.schema(schema).parquet(workspace.scratch.child(name).uri)
