"""Operators: a frame that a user has to the tables of a reading; each row once, as a document or as a reject."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import AtomicType, DataType, IntegralType, StringType, UserDefinedType

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.corpus.frame import FrameColumns, nothing_readable, records_of
from spark_deid.corpus.items import InputListing
from spark_deid.corpus.reading import CorpusRecord
from spark_deid.corpus.records import rows_of
from spark_deid.corpus.spark.parse import PARSED, parsed_batches
from spark_deid.corpus.spark.read import CorpusReading, as_it_is, tables_of
from spark_deid.engine import functions as F
from spark_deid.engine.tables import frame_of_arrow

_NUMBER = "number"


def read_frame(
    frame: DataFrame, columns: FrameColumns, *, stage: Callable[[DataFrame], DataFrame] = as_it_is
) -> CorpusReading:
    """Read the rows of a DataFrame; ``stage`` may materialize them, as in ``read_corpus``. Runs an action.

    Raises UsageError for columns that are not there or not of a type that can be read, CorpusError where no row is
    readable.
    """
    columns.check(frame.columns)
    chosen = _chosen(frame, columns)
    parsed = chosen.mapInArrow(
        partial(_parse_batches, metadata=columns.carried, reads_any=columns.reads_any), tables.ddl(PARSED)
    )
    return _read(stage(parsed))


def check_frame(frame: DataFrame, columns: FrameColumns) -> None:
    """Raise UsageError for columns that a DataFrame lacks, or whose type can't be read."""
    columns.check(frame.columns)
    _chosen(frame, columns)


def first_of_frame(frame: DataFrame, columns: FrameColumns, count: int) -> tuple[tuple[Document, ...], bool]:
    """Return the documents among the first rows of a DataFrame, and whether it has no further rows; runs an action."""
    rows = [row.asDict(recursive=True) for row in _chosen(frame, columns).take(count + 1)]
    parsed = records_of(_named_rows(rows[:count], columns.carried), reads_any=columns.reads_any)
    outcomes = [record.outcome for record in parsed]
    return tuple(each for each in outcomes if isinstance(each, Document)), len(rows) <= count


def read_records(
    spark: SparkSession, records: Iterator[CorpusRecord], *, stage: Callable[[DataFrame], DataFrame] = as_it_is
) -> CorpusReading:
    """Read records that the driver holds, as ``read_frame`` reads rows."""
    table = pa.Table.from_batches(parsed_batches(records), schema=PARSED)
    return _read(stage(frame_of_arrow(spark, table)))


def _read(parsed: DataFrame) -> CorpusReading:
    reading = tables_of(parsed, InputListing((), 0, {}, 0, 0))
    if not reading.inventory.documents:
        raise nothing_readable(reading.inventory.rejects)
    return reading


def _chosen(frame: DataFrame, columns: FrameColumns) -> DataFrame:
    """Select the columns that are read, under names of our own: by their places, since names may hold anything."""
    places = {name: place for place, name in enumerate(frame.columns)}
    types = [field.dataType for field in frame.schema.fields]
    renamed = frame.toDF(*(f"c{place}" for place in places.values()))
    wrong = [
        f"{role}: expected column {name!r} to hold {_EXPECTED[role]}, it holds {types[places[name]].simpleString()}"
        for role, name in columns.roles.items()
        if role in _EXPECTED and not _fits(role, types[places[name]])
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    roles = [
        (F.col(f"c{places[name]}") if role == "spans" else F.col(f"c{places[name]}").cast("string")).alias(role)
        for role, name in columns.roles.items()
    ]
    carried = [
        _written(F.col(f"c{places[name]}"), types[places[name]]).alias(f"meta{number}")
        for number, name in enumerate(columns.carried)
    ]
    return renamed.select(*roles, *carried, F.monotonically_increasing_id().alias(_NUMBER))


_EXPECTED = {"text": "strings", "doc_id": "strings or integers", "subject_id": "strings or integers"}


def _fits(role: str, kind: DataType) -> bool:
    return isinstance(kind, StringType) or (role != "text" and isinstance(kind, IntegralType))


def _written(column: Column, kind: DataType) -> Column:
    return column.cast("string") if isinstance(kind, AtomicType | UserDefinedType) else F.to_json(column)


def _parse_batches(
    incoming: Iterator[pa.RecordBatch], *, metadata: tuple[str, ...], reads_any: bool
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        yield from parsed_batches(records_of(_rows(batch, metadata), reads_any=reads_any))


def _rows(batch: pa.RecordBatch, metadata: tuple[str, ...]) -> Iterator[tuple[str, int, dict[str, object]]]:
    yield from _named_rows(rows_of(batch), metadata)


def _named_rows(
    rows: Iterable[Mapping[str, object]], metadata: tuple[str, ...]
) -> Iterator[tuple[str, int, dict[str, object]]]:
    for given in rows:
        row = dict(given)
        number = row.pop(_NUMBER)
        meta = {name: row.pop(f"meta{place}") for place, name in enumerate(metadata)}
        assert isinstance(number, int)
        yield "", number, {**row, "meta": meta}
