"""Rows of columnar tables as named values."""

from collections.abc import Iterator, Mapping
from typing import Final

import pyarrow as pa

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.columns import CorpusColumns
from spark_deid.corpus.records import DEFAULT, document_of

_UNDECODABLE: Final = object()  # a nested string that is not UTF-8; others are bytes
_NO_VALUE: Final = object()  # what Arrow holds and Python has no value for, as a day of the year 30000


def rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    """Yield the rows of a batch; a value that Python can't hold comes as a mark, so that its row can be rejected."""
    names = batch.schema.names
    columns = [_values(column) for column in batch.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def parse_row(row: Mapping[str, object], source: str, default_id: str, *, columns: CorpusColumns = DEFAULT) -> Document:
    """Read a row: id, text, subject and ``spans`` by name, other columns as metadata. Raises FormatError."""
    check_values(row)
    return document_of(row, default_id, columns)


def check_values(row: Mapping[str, object]) -> None:
    """Raise FormatError for values of ``rows_of`` that Python can't hold, or nested strings that are not UTF-8."""
    for name, value in row.items():
        if value is _NO_VALUE:
            raise FormatError("malformed", f"column {name}: expected a value that Python can hold")
        if value is _UNDECODABLE:
            raise FormatError("invalid-utf8", f"column {name}: expected UTF-8")


def _values(column: pa.Array) -> list[object]:
    try:
        values: list[object] = column.to_pylist()
    except Exception:  # of many types, OverflowError and those of time zones among them
        return [_value(cell) for cell in column]
    return values


def _value(cell: pa.Scalar) -> object:
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return cell.as_buffer().to_pybytes() if hasattr(cell, "as_buffer") else _UNDECODABLE
    except Exception:
        return _NO_VALUE
