"""What is to be read, and its parsed rows; workers open the files."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import unquote
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.core.tables import SPAN_STRUCT
from spark_deid.corpus.columns import CorpusColumns
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.items import RANGE_BYTES, InputItem, InputListing, list_items, with_ranges
from spark_deid.corpus.peek import require_columns
from spark_deid.corpus.reading import CorpusRecord, count_records, describe_unexpected, read_item, read_row
from spark_deid.corpus.records import rows_of
from spark_deid.engine.failures import AnalysisException
from spark_deid.engine.partitions import repartition_by_id
from spark_deid.engine.resources import parallelism
from spark_deid.engine.tables import open_delta
from spark_deid.engine.tasks import run_tasks
from spark_deid.storage.files import absolute_path, is_remote, lead_out
from spark_deid.storage.s3 import NO_S3_SETTINGS, S3Settings, s3_settings
from spark_deid.storage.spark.records import s3_settings_of

PARSED = pa.schema(
    [
        *tables.DOCUMENTS,
        ("spans", pa.list_(SPAN_STRUCT)),
        ("whitespace", pa.int64()),
        ("utf16", pa.int64()),
        ("mended", pa.int64()),
        ("relabelled", pa.int64()),
        ("left_out", pa.int64()),
        ("base64", pa.int64()),
        *tables.REJECTS,
        ("name", pa.string()),
        ("number", pa.int64()),
    ]
)
_ITEM = pa.struct(
    [
        ("path", pa.string()),
        ("name", pa.string()),
        ("size", pa.int64()),
        ("doc_id", pa.string()),
        ("companion", pa.string()),
        ("begin", pa.int64()),
        ("end", pa.int64()),
        ("before", pa.int64()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("records", pa.int64()),
    ]
)
_GROUPS = pa.schema([("group", pa.int32()), ("items", pa.list_(_ITEM))])

_OPENING_BYTES = 16 << 10  # what opening a file costs, in bytes of reading
_SMALLEST_GROUP = 256 << 10
_SMALLEST_SHARE = 2 << 20  # less is read before another worker has started
_BATCH_ROWS = 1_000
_BATCH_CHARACTERS = 4 << 20


@dataclass(frozen=True)
class ParserInput:
    """What is to be read: groups of items of about equal work, or a table, whose parsed rows are in ``frame``.

    ``reading_id`` is this reading's only: Spark keeps rows by the plan that makes them, and would give those of an
    earlier reading, which a session still keeps, for a file that was rewritten since.
    """

    spark: SparkSession
    format: CorpusFormat
    listing: InputListing
    groups: tuple[tuple[InputItem, ...], ...] = ()
    frame: DataFrame | None = None
    s3: S3Settings = NO_S3_SETTINGS
    reading_id: str = field(default_factory=lambda: uuid4().hex)

    def parsed(self) -> DataFrame:
        """Return the parsed rows (columns of PARSED), a row per record; a reject has a ``reason``. Runs no action."""
        if self.frame is not None:
            return self.frame
        rows = [(number, [item._asdict() for item in group]) for number, group in enumerate(self.groups)]
        table = pa.Table.from_batches([to_batch(rows, _GROUPS)], schema=_GROUPS)
        groups = repartition_by_id(self.spark.createDataFrame(table), max(len(rows), 1), "group")
        return groups.mapInArrow(self._parser(), tables.ddl(PARSED))

    def _parser(self) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        return partial(_parse_groups, format=self.format, s3=self.s3, reading_id=self.reading_id)


def open_input(
    spark: SparkSession, path: str, format: CorpusFormat, options: Mapping[str, str], range_bytes: int
) -> ParserInput:
    """List an input. Runs one action where a file of lines is cut into ranges: it counts lines.

    It is cut where it is larger than ``range_bytes``, or than a core's fraction of the input.
    """
    if not format.suffixes:
        return _open_delta(spark, path, format, options)
    s3 = s3_settings_of(spark, path)
    with s3_settings(s3):
        listing = list_items(path, format)
    size = min(range_bytes, _share(spark, listing.items))
    items = _number_records(spark, with_ranges(listing.items, format, size), format, s3)
    return ParserInput(spark, format, listing, _grouped(spark, items), s3=s3)


def _open_delta(spark: SparkSession, path: str, format: CorpusFormat, options: Mapping[str, str]) -> ParserInput:
    """Read a table with Spark; one action counts the rows of its files, so that each row has its number.

    The version is looked up once, so that all actions read the same and it can be recorded.
    """
    place = absolute_path(path)  # the JVM's working directory is where Spark was started
    try:
        asked = _version(options["version"]) if "version" in options else None
        root, version, frame, placed = open_delta(spark, place, asked)
    except AnalysisException as error:
        raise CorpusError(f"{path}: expected a Delta table ({error.getCondition()})") from None
    require_columns(path, format.columns or CorpusColumns(), frame.columns)
    counted = placed.groupBy("file_path", "file_block_start").count().collect()
    before = _rows_before({(row[0], row[1]): row[2] for row in counted})
    read = partial(_read_rows, format=format, root=root, before=before, reading_id=uuid4().hex)
    paths = {row[0] for row in counted}
    _check_links(place, {unquote(each).removeprefix(_above(root)) for each in paths})
    files = len(paths)
    rows = placed.mapInArrow(read, tables.ddl(PARSED))
    return ParserInput(spark, format, InputListing((), 0, {}, files, 0, version), frame=rows)


def _check_links(place: str, names: Iterable[str]) -> None:
    """Check that no link below a table on this machine leads to files elsewhere, which would be published with it."""
    count = 0 if is_remote(place) else lead_out(place, [os.path.join(place, name) for name in names])
    if count:
        raise CorpusError(
            f"{place}: expected a table with its files inside the folder, but {count} links lead out of it. "
            "Copy the targets into the folder"
        )


def _version(option: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", option):
        raise UsageError("version: expected the number of a version of the table, from 0")
    return int(option)


def _rows_before(counts: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Return how many rows of a file come before each of its parts, omitted if they are missing."""
    before: dict[tuple[str, int], int] = {}
    rows: dict[str, int] = {}
    for name, begin in sorted(counts):
        if rows.get(name):
            before[name, begin] = rows[name]
        rows[name] = rows.get(name, 0) + counts[name, begin]
    return before


def _number_records(
    spark: SparkSession, items: Sequence[InputItem], format: CorpusFormat, s3: S3Settings
) -> tuple[InputItem, ...]:
    """Count the records of ranges, so that each knows the number of its first record."""
    ranges = [item for item in items if item.end >= 0]
    if not ranges:
        return tuple(items)
    counted = run_tasks(spark, partial(_count_group, format=format, s3=s3), _grouped(spark, ranges))
    lines = {(name, begin): number for group in counted for name, begin, number in group}
    numbered: list[InputItem] = []
    before = 0
    for item in items:
        before = before if item.begin else 0
        numbered.append(item._replace(before=before))
        before += lines.get((item.name, item.begin), 0)
    return tuple(numbered)


def _share(spark: SparkSession, items: Iterable[InputItem]) -> int:
    """Return what each core would read of an input, in bytes."""
    work = sum(max(item.size, 0) for item in items)
    return max(_SMALLEST_SHARE, work // parallelism(spark) + 1)


def _grouped(spark: SparkSession, items: Sequence[InputItem]) -> tuple[tuple[InputItem, ...], ...]:
    """Put items into groups of about equal work, in order."""
    work = sum(item.size + _OPENING_BYTES for item in items)
    most = min(RANGE_BYTES, max(_SMALLEST_GROUP, work // parallelism(spark) + 1))
    return tuple(_groups(items, most))


def _groups(items: Iterable[InputItem], most: int) -> Iterator[tuple[InputItem, ...]]:
    group: list[InputItem] = []
    work = 0
    for item in items:
        if group and work + item.size + _OPENING_BYTES > most:
            yield tuple(group)
            group, work = [], 0
        group.append(item)
        work += item.size + _OPENING_BYTES
    if group:
        yield tuple(group)


def parse_items(items: Iterable[InputItem], *, format: CorpusFormat, s3: S3Settings) -> Iterator[pa.RecordBatch]:
    """Parse items into batches (columns of PARSED)."""
    with s3_settings(s3):
        yield from parsed_batches(record for item in items for record in read_item(item, format))


def _parse_groups(
    incoming: Iterable[pa.RecordBatch], *, format: CorpusFormat, s3: S3Settings, reading_id: str
) -> Iterator[pa.RecordBatch]:
    groups = (group for batch in incoming for group in batch.column("items").to_pylist())
    return parse_items((InputItem(**item) for group in groups for item in group), format=format, s3=s3)


def _count_group(items: Sequence[InputItem], *, format: CorpusFormat, s3: S3Settings) -> list[tuple[str, int, int]]:
    with s3_settings(s3):
        return [(item.name, item.begin, _records_in(item, format)) for item in items]


def _records_in(item: InputItem, format: CorpusFormat) -> int:
    """Count records; 0 for a file that can't be read, which the reading proper rejects."""
    try:
        return count_records(item, format)
    except OSError:
        return 0


def _read_rows(
    incoming: Iterator[pa.RecordBatch],
    *,
    format: CorpusFormat,
    root: str,
    before: Mapping[tuple[str, int], int],
    reading_id: str,
) -> Iterator[pa.RecordBatch]:
    return parsed_batches(_records_of(incoming, format, root, before))


def _records_of(
    incoming: Iterable[pa.RecordBatch], format: CorpusFormat, root: str, before: Mapping[tuple[str, int], int]
) -> Iterator[CorpusRecord]:
    """Number the rows of every part of a file in the order in which Spark reads them.

    A file is named by its path below the table's root: names only repeat where a table is partitioned.
    """
    above = _above(root)
    last = dict(before)
    for batch in incoming:
        rows = _rows_of(batch.column("columns"), format)
        places = zip(batch.column("file_path").to_pylist(), batch.column("file_block_start").to_pylist(), strict=True)
        for place, row in zip(places, rows, strict=True):
            last[place] = last.get(place, 0) + 1
            yield from read_row(unquote(place[0]).removeprefix(above), last[place], row, format)


def _above(root: str) -> str:
    """Return how the paths of a table's files begin."""
    return f"{root.rstrip('/')}/"


def _rows_of(columns: pa.StructArray, format: CorpusFormat) -> Sequence[Mapping[str, object] | FormatError]:
    try:
        names = [field.name for field in columns.type]
        return list(rows_of(pa.RecordBatch.from_arrays(columns.flatten(), names=names)))
    except Exception as error:
        return [describe_unexpected(format, error)] * len(columns)


def parsed_batches(records: Iterable[CorpusRecord]) -> Iterator[pa.RecordBatch]:
    """Gather records into batches that are small in rows and in characters."""
    rows: list[tuple[object, ...]] = []
    characters = 0
    for record in records:
        rows.append(_row(record))
        characters += len(record.outcome.text) if isinstance(record.outcome, Document) else 0
        if len(rows) >= _BATCH_ROWS or characters >= _BATCH_CHARACTERS:
            yield to_batch(rows, PARSED)
            rows, characters = [], 0
    if rows:
        yield to_batch(rows, PARSED)


def _row(record: CorpusRecord) -> tuple[object, ...]:
    outcome = record.outcome
    place = (record.name, record.number)
    if isinstance(outcome, RejectedInput):
        return (None, None, None, None, None, 0, 0, 0, 0, 0, 0, *outcome, *place)
    read = (outcome.doc_id, outcome.subject_id, outcome.text, list(outcome.meta.items()), outcome.spans)
    converted = (record.whitespace, record.utf16, record.mended, record.relabelled, record.left_out, record.base64)
    return (*read, *converted, record.source, None, None, None, *place)
