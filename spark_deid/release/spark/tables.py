"""The workspace's tables as Delta tables, without statistics on text."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_deid.core import tables
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import file_sha256
from spark_deid.engine import functions as F
from spark_deid.engine.engines import is_embedded
from spark_deid.engine.tables import read_delta, read_files, read_parts, store_here
from spark_deid.engine.tasks import ended_tasks, run_partitions
from spark_deid.release.workspace import RunWorkspace
from spark_deid.storage.delta_log import check_new, commit_table, write_small_table
from spark_deid.storage.folder import LocalFolder, StorageFolder
from spark_deid.storage.parts import PartFile, PartsWriter, move_parts, staged_parts
from spark_deid.storage.spark.records import arrow_schema

GROUP_BYTES = 8 << 20


def select_columns(rows: DataFrame, schema: pa.Schema) -> DataFrame:
    """Select and cast the columns of a table's schema."""
    kinds = tables.column_types(schema)
    return rows.select(*(F.col(name).cast(kind).alias(name) for name, kind in kinds.items()))


def schema_of(rows: DataFrame) -> pa.Schema:
    """Return the schema of rows as workers get them."""
    return arrow_schema(rows.schema)


def write_table(rows: DataFrame, workspace: RunWorkspace, name: str) -> DataFrame:
    """Write one of the tables of ``core.tables`` to a workspace, in one commit, and return it as read back."""
    schema = tables.TABLES[name]
    parts = store_rows(select_columns(rows, schema), schema, workspace.folder.child(name))
    commit_parts(workspace, name, parts)
    return read_parts(rows.sparkSession, parts, schema)


def commit_parts(workspace: RunWorkspace, name: str, parts: Iterable[PartFile]) -> None:
    """Make parts that are in a workspace's folder one of the tables of ``core.tables``."""
    commit_table(workspace.folder.child(name), tables.TABLES[name], parts)


def store_rows(rows: DataFrame, schema: pa.Schema, folder: StorageFolder) -> tuple[PartFile, ...]:
    """Write rows as parts in a local folder, one per partition that has rows. Files that no commit names are not parts.

    Parts have digests. A task that ends late leaves no file: tasks write next to the folder, and the driver moves the
    parts of the attempts that count after all tasks have ended. Runs one action. Raises SparkDeidError if the folder
    holds a table already.
    """
    if not isinstance(folder, LocalFolder):
        raise UsageError(f"{folder.uri}: expected a folder that workers see as a local path")
    check_new(folder)
    folder.make()
    plain = rows.toDF(*(f"c{place}" for place in range(len(schema))))  # Spark takes a dot in a name for a field
    place = str(folder.path)
    with staged_parts(place) as staging:
        with ended_tasks(rows.sparkSession):
            stored = run_partitions(plain, partial(_store, schema=schema, folder=staging))
        return move_parts(stored, place)


def _store(incoming: Iterator[pa.RecordBatch], *, schema: pa.Schema, folder: str) -> PartFile:
    with PartsWriter({"rows": folder}, {"rows": schema}) as writer:
        for batch in incoming:
            writer.write({"rows": batch.rename_columns(schema.names).cast(schema)})
        part = writer.close()["rows"]
    return part._replace(sha256=file_sha256(Path(part.path)))


def read_table(spark: SparkSession, workspace: RunWorkspace, name: str) -> DataFrame:
    """Read a table of a workspace."""
    return read_delta(spark, workspace.folder.child(name).uri)


def write_rows(rows: Iterable[tuple[object, ...]], workspace: RunWorkspace, name: str) -> None:
    """Write a table of a few rows that the driver holds, without a Spark job; columns in the schema's order."""
    write_small_table(rows, tables.TABLES[name], workspace.folder.child(name))


def write_absent(workspace: RunWorkspace) -> tuple[str, ...]:
    """Write every table that the workspace lacks as an empty one; return their names."""
    absent = tuple(name for name in tables.TABLES if not workspace.folder.child(name).names())
    for name in absent:
        write_rows((), workspace, name)
    return absent


def write_scratch(rows: DataFrame, workspace: RunWorkspace, name: str) -> DataFrame:
    """Write rows between two stages, of whatever columns, and return them as read back; gone when the run ends.

    What one task writes is in groups of rows that several tasks can read.
    """
    if is_embedded(rows.sparkSession):
        folder = Path(workspace.scratch.child(name).uri.removeprefix("file://"))
        folder.mkdir(parents=True)
        return store_here(rows, folder)
    writer = rows.write.mode("errorifexists").option("parquet.block.size", str(GROUP_BYTES))
    writer.parquet(workspace.scratch.child(name).uri)
    return read_scratch(rows.sparkSession, workspace, name, rows.schema)


def read_scratch(spark: SparkSession, workspace: RunWorkspace, name: str, schema: StructType | str) -> DataFrame:
    """Read rows that ``write_scratch`` wrote under a name."""
    return read_files(spark, [workspace.scratch.child(name).uri.removeprefix("file://")], schema)
