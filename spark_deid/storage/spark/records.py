"""Tables of records as files have them: Delta, Parquet, CSV with a header, and JSON lines."""

import os
from collections.abc import Callable, Sequence
from functools import partial, reduce
from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import DataType, StringType, StructField, StructType

from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F
from spark_deid.engine.failures import ENGINE_ERRORS, AnalysisException
from spark_deid.engine.hadoop import s3_properties
from spark_deid.engine.tables import frame_of_arrow, is_delta_table, read_delta, reader_of_plain_paths, union_by_name
from spark_deid.storage.files import absolute_path, is_remote, local_path
from spark_deid.storage.records import (
    CsvFile,
    check_records,
    columns_of_files,
    examine_csv,
    header_of,
    is_csv,
    is_delta,
    is_json,
)
from spark_deid.storage.s3 import NO_S3_SETTINGS, S3Settings, is_s3
from spark_deid.storage.table_files import (
    FileColumns,
    MissingColumns,
    all_names,
    check_columns_of_files,
    common_types,
    groups_of,
)


def read_records(
    spark: SparkSession,
    place: str,
    *,
    dialect: CsvDialect = RFC_4180,
    columns: Sequence[str] = (),
    missing: MissingColumns = MissingColumns.REFUSE,
) -> DataFrame:
    """Read a table: a Delta folder, Parquet, ``.csv`` or ``.jsonl``, packed (``.gz``) or not, or a folder of these.

    Cells of CSV are text, empty ones are missing. Rows that are torn fail the action that reads them, whichever columns
    it needs. Local files of CSV are read once before. Raises UsageError if one is not UTF-8, has no header whose names
    differ or quotes that do not fit, and for a place without a table; CorpusError for a table that Spark can't open.

    The local files of CSV and Parquet are matched by the names of their columns, and types of Parquet are widened
    without loss. Each file must have the ``columns``, unless ``missing`` ones are null: otherwise CorpusError names it.
    """
    path = place if is_remote(place) else f"file://{absolute_path(place)}"
    check_records(place, dialect=dialect)
    try:
        if _is_delta(spark, place):
            return _of_delta(spark, place, path)
        if is_json(place):
            return _reader(spark, place).option("mode", "FAILFAST").json(path)
        read = partial(_of_csv, spark, place, dialect) if is_csv(place) else partial(_of_parquet, spark, place)
        if is_remote(place):
            return read((), path)
        files = columns_of_files(place, dialect=dialect)
        check_columns_of_files(files, columns, missing)
        return _matched(read, files)
    except AnalysisException:
        raise CorpusError(f"{place}: expected a table that Spark can read") from None


def _reader(spark: SparkSession, place: str) -> DataFrameReader:
    """Return a reader to which the path of what is there is no pattern, and any other path may be one."""
    return reader_of_plain_paths(spark) if os.path.exists(local_path(place)) else spark.read


def _files_reader(spark: SparkSession, place: str) -> DataFrameReader:
    """Return a reader of the files of a place, which knows columns from names of its folders such as ``year=2020``."""
    folder = absolute_path(place)
    if is_remote(place) or not os.path.isdir(folder):
        return _reader(spark, place)
    return reader_of_plain_paths(spark).option("basePath", f"file://{folder}")


def _matched(read: Callable[[Sequence[FileColumns]], DataFrame], files: Sequence[FileColumns]) -> DataFrame:
    """Return the rows of all files under the names of their columns. ``read`` reads files of equal columns."""
    groups = groups_of(files)
    frames = [read(group) for group in groups]
    if len(frames) == 1:
        return frames[0]
    found = [_with_types(group[0], frame) for group, frame in zip(groups, frames, strict=True)]
    kinds = {name: from_arrow_type(kind) for name, kind in common_types(found).items()}
    selected = []
    for frame, each in zip(frames, found, strict=True):
        there = {name.lower(): F.col(quote_name(name)) for name in each.names}
        cells = [(there.get(name.lower(), F.lit(None)), name) for name in all_names(found)]
        selected.append(frame.select(*(cell.cast(kinds[name.lower()]).alias(name) for cell, name in cells)))
    return reduce(union_by_name, selected)


def _with_types(first: FileColumns, frame: DataFrame) -> FileColumns:
    """Return the columns of files and of the names of their folders, with the types that Spark reads."""
    empty = {name for name, kind in zip(first.names, first.types or (), strict=False) if pa.types.is_null(kind)}
    kinds = [pa.null() if field.name in empty else arrow_type(field.dataType) for field in frame.schema]
    return FileColumns(first.file, tuple(frame.columns), tuple(kinds))


def _of_parquet(spark: SparkSession, place: str, group: Sequence[FileColumns], path: str = "") -> DataFrame:
    reader = _files_reader(spark, place)
    return reader.parquet(*([path] if path else [f"file://{each.file.absolute()}" for each in group]))


def _of_csv(
    spark: SparkSession, place: str, dialect: CsvDialect, group: Sequence[FileColumns], path: str = ""
) -> DataFrame:
    """Read files of one header, or a remote place, of which Spark refuses files with another header."""
    # A reader keeps its schema, so each group has a new one.
    reader = _files_reader(spark, place).option("mode", "FAILFAST")
    files = [examine_csv(each.file, dialect=dialect) for each in group]
    if path:
        return _by_spark(reader.option("enforceSchema", False), (), dialect, path)
    plain = [file for file in files if not file.has_sep]
    if len(plain) < len(files):
        tables = [_of_rows(spark, file) for file in files if file.has_sep]
        return reduce(union_by_name, tables + ([_by_spark(reader, plain, dialect)] if plain else []))
    return _by_spark(reader, files, dialect)


def _by_spark(reader: DataFrameReader, files: Sequence[CsvFile], dialect: CsvDialect, path: str = "") -> DataFrame:
    """Read files of CSV by Spark; without the pruning of columns, which would hide rows of other widths."""
    reader = reader.option("header", True).option("sep", dialect.delimiter).option("columnPruning", False)
    reader = reader.option("quote", dialect.quote).option("escape", dialect.escape)
    paths = path or [f"file://{file.path.absolute()}" for file in files]
    if not any(file.has_breaks for file in files):
        return reader.csv(paths)
    # If cells have line breaks, Spark searches for a header by the path as a pattern.
    columns = [StructField(name, StringType()) for name in header_of(files[0].path, dialect)]
    return reader.option("multiLine", True).schema(StructType(columns)).csv(paths)


def _of_rows(spark: SparkSession, file: CsvFile) -> DataFrame:
    """Read a file whose first line names the delimiter in this process: Spark would take the line for a header.

    Excel reads such files, and at most a million rows of them.
    """
    rows = file.rows()
    header = next(rows)
    cells: list[list[str | None]] = [[] for _ in header]
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise UsageError(f"{file.path}: expected {len(header)} cells in row {number}, got {len(row)}")
        for column, cell in zip(cells, row, strict=True):
            column.append(cell or None)
    table = pa.table({name: pa.array(column, pa.string()) for name, column in zip(header, cells, strict=True)})
    return frame_of_arrow(spark, table)


def _of_delta(spark: SparkSession, place: str, path: str) -> DataFrame:
    try:
        return read_delta(spark, path)
    except ENGINE_ERRORS:
        if is_remote(place):
            raise
        raise CorpusError(f"{place}: expected a whole table of Delta, whose log Spark can read") from None


def _is_delta(spark: SparkSession, place: str) -> bool:
    if not is_remote(place):
        return is_delta(place)
    return is_delta_table(spark, place)


# Settings of S3 in a session, for files that its driver and its workers open by pyarrow.


def s3_settings_of(spark: SparkSession, path: str) -> S3Settings:
    """Return Hadoop's settings ``fs.s3a.*`` of a session for a path of S3, and none for another.

    Keys that Hadoop keeps in stores of credentials (``hadoop.security.credential.provider.path``) are read as well.
    """
    if not is_s3(path):
        return NO_S3_SETTINGS
    bucket = path.partition("://")[2].partition("/")[0]
    return S3Settings(tuple(sorted(s3_properties(spark, bucket).items())))


# Schemas of DataFrames as Arrow schemas, in UTC under every version of Spark.


_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
"""Since Spark 4.2 the caller names the time zone of an Arrow schema. Before, it is always UTC."""


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return a schema as workers get its rows."""
    return to_arrow_schema(schema, **_UTC)


def arrow_type(kind: DataType) -> pa.DataType:
    """Return a type as workers get its cells."""
    return arrow_schema(StructType([StructField("cells", kind)])).field(0).type
