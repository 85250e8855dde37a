"""Tables in files, as engines read them."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from inspect import signature
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import LongType, StringType, StructField, StructType

from spark_deid.core import tables
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine import functions as F
from spark_deid.engine.delta_reader import LogFile, LogSnapshot, read_log
from spark_deid.engine.engines import is_embedded
from spark_deid.engine.resources import parallelism
from spark_deid.engine.shared import SharedValue, share

_PLACE = ("file_path", "file_block_start")
_PLACE_TYPES = (StringType(), LongType())
_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
_READ_ROWS = 1_000


SENT_BYTES = 16 << 20
"""Bytes from which a table reaches the embedded engine as a value of this process: its messages have a limit."""
_SENT: ContextVar[list[SharedValue[pa.Table]] | None] = ContextVar("sent", default=None)


class StoredPart(Protocol):
    """A file of a table's rows, such as ``storage.parts.PartFile``."""

    @property
    def path(self) -> str:
        """Return the local path."""
        ...


class DeltaVersion(NamedTuple):
    """A version of a Delta table, and its rows.

    ``placed`` has the columns file_path and file_block_start, where a row is stored, and the row as ``columns``.
    """

    root: str
    version: int
    rows: DataFrame
    placed: DataFrame


@contextmanager
def sent_tables() -> Iterator[None]:
    """Forget tables that ``frame_of_arrow`` keeps in this process when the block ends."""
    sent: list[SharedValue[pa.Table]] = []
    token = _SENT.set(sent)
    try:
        yield
    finally:
        _SENT.reset(token)
        for each in sent:
            each.destroy()


def frame_of_arrow(spark: SparkSession, table: pa.Table) -> DataFrame:
    """Return the rows of a table as a DataFrame; a large one remains in this process if the engine is there as well."""
    frame: Any = spark.createDataFrame
    if not is_embedded(spark) or table.nbytes <= SENT_BYTES:
        rows: DataFrame = frame(table)
        return rows
    shared, kinds = share(spark, table), frame(table.slice(0, 1)).schema
    if (sent := _SENT.get()) is not None:
        sent.append(shared)
    tasks = parallelism(spark)
    return spark.range(0, tasks, 1, tasks).mapInArrow(partial(_sent_rows, shared=shared, tasks=tasks), kinds)


def _sent_rows(
    incoming: Iterator[pa.RecordBatch], *, shared: SharedValue[pa.Table], tasks: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a task: a range of the table."""
    table = shared.value
    share_of_task = -(-table.num_rows // tasks)
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            yield from bounded_batches(table.slice(place * share_of_task, share_of_task).to_batches())


def reader_of_plain_paths(spark: SparkSession) -> DataFrameReader:
    """Return a reader to which brackets, braces and stars of paths are letters, not patterns that others may match."""
    return spark.read.option("__globPaths__", "false")


def read_parts(spark: SparkSession, parts: Iterable[StoredPart], schema: pa.Schema) -> DataFrame:
    """Return the rows of a table's parts; no other file of its folder is read."""
    paths = [part.path for part in parts]
    if not paths:
        return spark.createDataFrame([], tables.ddl(schema))
    if is_embedded(spark):
        return _read_here(spark, paths, schema)
    whole = reader_of_plain_paths(spark).option("ignoreCorruptFiles", "false").option("ignoreMissingFiles", "false")
    return whole.schema(tables.ddl(schema)).parquet(*(f"file://{path}" for path in paths))


def _read_here(spark: SparkSession, paths: Sequence[str], schema: pa.Schema) -> DataFrame:
    """Read parts by functions of this process: the embedded engine takes a missing file for an empty table."""
    if missing := [path for path in paths if not Path(path).is_file()]:
        raise SparkDeidError(f"{missing[0]}: this part of a table is missing")
    return _of_files(spark, paths, schema, tables.ddl(schema))


def _of_files(
    spark: SparkSession,
    paths: Sequence[str],
    schema: pa.Schema | None,
    kinds: StructType | str,
    names: Sequence[str] | None = None,
) -> DataFrame:
    tasks = min(len(paths), parallelism(spark))
    groups = tuple(tuple(paths[start::tasks]) for start in range(tasks))
    rows = spark.range(0, tasks, 1, tasks)
    return rows.mapInArrow(partial(_part_rows, groups=groups, schema=schema, names=names), kinds)


def store_here(rows: DataFrame, folder: Path) -> DataFrame:
    """Write rows to files of a folder by functions of this process, and return them as they are read from there.

    For the embedded engine, whose own writer takes marks in paths for patterns.
    """
    names = tuple(rows.columns)
    plain = rows.toDF(*(f"c{place}" for place in range(len(names))))
    written = plain.mapInArrow(partial(_write_rows, folder=str(folder)), "path string").collect()
    paths = [row["path"] for row in written]
    spark = rows.sparkSession
    if not paths:
        return spark.createDataFrame([], rows.schema)
    return _of_files(spark, paths, None, plain.schema).toDF(*names)


def _write_rows(incoming: Iterator[pa.RecordBatch], *, folder: str) -> Iterator[pa.RecordBatch]:
    rows = filter(attrgetter("num_rows"), incoming)
    first = next(rows, None)
    if first is None:
        return
    path = str(Path(folder) / f"{uuid4().hex}.parquet")
    with pq.ParquetWriter(path, first.schema, write_statistics=False) as writer:
        for batch in chain([first], rows):
            writer.write_batch(batch)
    yield pa.RecordBatch.from_pydict({"path": [path]})


def _part_rows(
    incoming: Iterator[pa.RecordBatch],
    *,
    groups: Sequence[Sequence[str]],
    schema: pa.Schema | None,
    names: Sequence[str] | None,
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            for path in groups[place]:
                yield from _file_rows(path, schema, names)


def _file_rows(path: str, schema: pa.Schema | None, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield a file's rows in batches of at most 1,000 rows and about 16 MB."""
    with pq.ParquetFile(path) as file:
        for group in file.iter_batches(batch_size=_READ_ROWS, columns=names if schema is None else schema.names):
            rows = pa.Table.from_batches([group])
            rows = rows.select(names or rows.column_names) if schema is None else rows.select(schema.names).cast(schema)
            yield from bounded_batches(rows.to_batches())


def is_delta_table(spark: SparkSession, place: str) -> bool:
    """Return whether a folder that the session reaches is a Delta table."""
    if is_embedded(spark):
        raise UsageError(f"{place}: the embedded engine reads local folders; set engine: spark")
    from delta.tables import DeltaTable

    return bool(DeltaTable.isDeltaTable(spark, place))


def read_delta(spark: SparkSession, place: str) -> DataFrame:
    """Return the rows of the last version of a Delta table; ``place`` is a local path, or a URI."""
    if is_embedded(spark):
        return _delta_rows(spark, read_log(Path(place.removeprefix("file://"))))
    return spark.read.format("delta").load(place)


def open_delta(spark: SparkSession, place: str, version: int | None) -> DeltaVersion:
    """Open a version of a Delta table, the last one by default. Raises an error of the engine if there is no table."""
    if is_embedded(spark):
        log = read_log(Path(place), version)
        rows, root = _delta_rows(spark, log), Path(place).resolve().as_uri()
        row = StructType([StructField("columns", rows.schema)])
        kinds = StructType([*(StructField(name, kind) for name, kind in zip(_PLACE, _PLACE_TYPES, strict=True)), *row])
        return DeltaVersion(root, log.version, rows, _log_rows(spark, log, rows.schema, kinds, root))
    from delta.tables import DeltaTable

    table = DeltaTable.forPath(spark, place)
    location = table.detail().collect()[0]["location"]
    number = table.history(1).collect()[0]["version"] if version is None else version
    frame = spark.read.format("delta").option("versionAsOf", number).load(place)
    where = [F.col(f"_metadata.{field}").alias(field) for field in _PLACE]
    columns = F.struct(*(F.col(f"`{name}`") for name in frame.columns)).alias("columns")
    return DeltaVersion(location, number, frame, frame.select(*where, columns))


def _delta_rows(spark: SparkSession, log: LogSnapshot) -> DataFrame:
    kinds = StructType.fromJson(json.loads(log.schema))
    return _log_rows(spark, log, kinds, kinds) if log.files else spark.createDataFrame([], kinds)


def _log_rows(
    spark: SparkSession, log: LogSnapshot, kinds: StructType, returned: StructType, root: str = ""
) -> DataFrame:
    """Read the files of a version by functions of this process; with a ``root``, rows know their places."""
    if not log.files:
        return spark.createDataFrame([], returned)
    tasks = min(len(log.files), parallelism(spark))
    groups = tuple(log.files[start::tasks] for start in range(tasks))
    read = partial(_file_groups, groups=groups, schema=to_arrow_schema(kinds, **_UTC), root=root)
    return spark.range(0, tasks, 1, tasks).mapInArrow(read, returned)


def _file_groups(
    incoming: Iterator[pa.RecordBatch], *, groups: Sequence[Sequence[LogFile]], schema: pa.Schema, root: str
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            for file in groups[place]:
                yield from _log_file_rows(file, schema, root)


def _log_file_rows(file: LogFile, schema: pa.Schema, root: str) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file by the table's schema: columns that the file lacks are its partition's, or null."""
    with pq.ParquetFile(file.path) as stored:
        there = [name for name in schema.names if name in stored.schema_arrow.names]
        for batch in stored.iter_batches(batch_size=_READ_ROWS, columns=there):
            columns = [_column_of(file, batch, field) for field in schema]
            rows = pa.RecordBatch.from_arrays(columns, schema=schema)
            for each in bounded_batches([rows]):
                yield _placed(each, file, root) if root else each


def _column_of(file: LogFile, batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    if field.name in batch.schema.names:
        return batch.column(field.name).cast(field.type)
    value = file.partition.get(field.name)
    return pa.array([value], pa.string()).cast(field.type).take(pa.array([0] * batch.num_rows, pa.int64()))


def _placed(rows: pa.RecordBatch, file: LogFile, root: str) -> pa.RecordBatch:
    path = f"{root}/{quote(file.path.resolve().relative_to(Path(unquote(root.removeprefix('file://')))).as_posix())}"
    columns = [pa.array([path] * rows.num_rows), pa.array([0] * rows.num_rows, pa.int64()), rows.to_struct_array()]
    return pa.RecordBatch.from_arrays(columns, names=[*_PLACE, "columns"])


def read_files(spark: SparkSession, paths: Sequence[str], kinds: StructType | str) -> DataFrame:
    """Return the rows of local Parquet files, by the names and types of columns; a folder means its files.

    Raises SparkDeidError if a path does not exist.
    """
    if is_embedded(spark):
        if missing := [path for path in paths if not os.path.exists(path)]:
            raise SparkDeidError(f"{missing[0]}: this file of a table is missing")
        files = [file for path in paths for file in _files_at(Path(path))]
        empty = spark.createDataFrame([], kinds)
        return _of_files(spark, files, None, empty.schema, tuple(empty.columns)) if files else empty
    return reader_of_plain_paths(spark).schema(kinds).parquet(*(f"file://{path}" for path in paths))


def types_in(spark: SparkSession, path: str) -> StructType:
    """Return the types of the columns of a local Parquet file, as an engine reads them."""
    if not is_embedded(spark):
        return reader_of_plain_paths(spark).parquet(f"file://{path}").schema
    return from_arrow_schema(pq.read_schema(path), prefer_timestamp_ntz=True)


def _files_at(place: Path) -> list[str]:
    return sorted(map(str, place.glob("*.parquet"))) if place.is_dir() else [str(place)]


def union_all(first: DataFrame, second: DataFrame) -> DataFrame:
    """Return the rows of two tables with the same columns in the same order."""
    return first.unionAll(second)


def union_by_name(first: DataFrame, second: DataFrame) -> DataFrame:
    """Return the rows of two tables with the same columns."""
    return first.unionByName(second)


# Batches bounded by rows and bytes, for every engine.


BATCH_ROWS = 1_000
BATCH_BYTES = 16 << 20


def bounded_batches(
    batches: Iterable[pa.RecordBatch], *, rows: int = BATCH_ROWS, size: int = BATCH_BYTES
) -> Iterator[pa.RecordBatch]:
    """Cut batches into slices of limited rows and bytes; a slice of one row may be larger. No row is copied.

    Args:
        batches: Batches in their order.
        rows: Maximum number of rows per slice.
        size: Maximum number of bytes per slice.

    >>> batch = pa.RecordBatch.from_pydict({"text": ["a" * 90, "b" * 90, "c"]})
    >>> [each.num_rows for each in bounded_batches([batch], size=120)]
    [1, 2]
    """
    for batch in batches:
        if batch.num_rows == 0:
            yield batch
        for start in range(0, batch.num_rows, rows):
            yield from _halves(batch.slice(start, rows), size)


def _halves(batch: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    """Halve a batch until each part fits."""
    if batch.num_rows <= 1 or batch.nbytes <= size:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _halves(batch.slice(0, middle), size)
    yield from _halves(batch.slice(middle), size)
