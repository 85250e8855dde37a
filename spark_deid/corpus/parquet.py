"""Parquet: ``doc_id, text, subject_id?, spans?``; other columns, those of folder names too, become metadata."""

from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.errors import FormatError
from spark_deid.corpus.columns import OPTIONS
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.records import DEFAULT, configure_records, parse_row, rows_of

_ROWS_A_BATCH = 1_000
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


class RowGroup(NamedTuple):
    """The rows of one row group, or why they can't be read; ``first`` counts from 1 in the file."""

    first: int
    rows: int
    values: Iterator[Mapping[str, object]]
    error: FormatError | None = None


def read_blocks(stream: BinaryIO, name: str) -> Iterator[RowGroup]:
    """Read a file row group by row group; a damaged row group is a separate error.

    Raises FormatError where the file as a whole is damaged.
    """
    try:
        file = pq.ParquetFile(stream)
        sizes = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
    except (pa.ArrowException, OSError, ValueError):
        raise FormatError("unreadable", "expected a whole Parquet file") from None
    if len({*file.schema_arrow.names}) < len(file.schema_arrow.names):
        raise FormatError("malformed", "expected each name of a column once")
    first = 1
    for index, rows in enumerate(sizes):
        yield _block(file, index, first, rows, _partition_values(name))
        first += rows


def read_header(stream: BinaryIO, source: str) -> tuple[str, ...] | None:
    """Return the names of the columns, those of folder names too; None for what is not Parquet file."""
    try:
        return (*_partition_values(source), *pq.read_schema(stream).names)
    except (pa.ArrowException, OSError, ValueError):
        return None


def _block(file: pq.ParquetFile, index: int, first: int, rows: int, partition: Mapping[str, object]) -> RowGroup:
    try:
        table = file.read_row_group(index)
    except (pa.ArrowException, OSError, ValueError):
        return RowGroup(first, rows, iter(()), FormatError("unreadable", "expected a whole row group"))
    batches = table.to_batches(max_chunksize=_ROWS_A_BATCH)
    return RowGroup(first, rows, ({**partition, **row} for batch in batches for row in rows_of(batch)))


def _partition_values(name: str) -> dict[str, object]:
    """Read the columns that Hive-style folder names hold, as in ``year=2020/part-0.parquet``."""
    pairs = (folder.split("=", maxsplit=1) for folder in name.split("/")[:-1] if "=" in folder)
    return {unquote(key): unquote(value) for key, value in pairs if value != _NULL_PARTITION}


FORMAT = CorpusFormat(
    name="parquet",
    suffixes=(".parquet", ".pq"),
    unit=ParserUnit.TABLE,
    parse_row=parse_row,
    options=(*OPTIONS, "content"),
    columns=DEFAULT,
    spark_source="parquet",
    header=read_header,
    configure=configure_records,
)
