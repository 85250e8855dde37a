"""Rows in and out of Arrow batches, for the functions that run on workers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, repeat
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.span import Span

# Many named tuples at once.


Row = TypeVar("Row", bound=tuple[Any, ...])


def rows_of(row: type[Row], *columns: Iterable[Any]) -> list[Row]:
    """Return named tuples of columns, one a field; a class's own constructor takes three times as long.

    A column may be endless where another one is not. Fields without a column do not get their defaults.

    >>> from spark_deid.core.edit import Edit
    >>> rows_of(Edit, [5], [8], ["suppress"], ["[NAME]"])
    [Edit(start=5, end=8, technique='suppress', replacement='[NAME]')]
    """
    return list(map(tuple.__new__, repeat(row), zip(*columns, strict=False)))


ROWS_A_BATCH = 10_000
Named = TypeVar("Named", Span, Edit, LabelledEdit)


def tuples_of(cells: pa.ListArray) -> Iterator[list[tuple[Any, ...]]]:
    """Yield each cell of a column of lists of structs as tuples; column by column, as dictionaries cost much more.

    A cell that is null is an empty list.
    """
    return _cut(list(zip(*_columns(cells), strict=True)), cells)


def named_of(cells: pa.ListArray, row: type[Named]) -> Iterator[list[Named]]:
    """Yield each cell as ``tuples_of`` does, as named tuples whose fields are the struct's, in order.

    Raises ValueError where there are not as many.

    >>> from spark_deid.core.tables import SPAN_STRUCT
    >>> list(named_of(lists_of([[(0, 3, "NAME", None, "gold", None)], []], SPAN_STRUCT), Span))[0][0].label
    'NAME'
    """
    columns = _columns(cells)
    if len(columns) != len(row._fields):
        raise ValueError(f"expected a struct of {len(row._fields)} fields, got {len(columns)}")
    return _cut(rows_of(row, *columns), cells)


def _columns(cells: pa.ListArray) -> list[list[Any]]:
    return [values.to_pylist() for values in cells.flatten().flatten()]


def _cut(rows: list[Row], cells: pa.ListArray) -> Iterator[list[Row]]:
    position = 0
    for length in pc.fill_null(pc.list_value_length(cells), 0).to_pylist():
        yield rows[position : position + length]
        position += length


def lists_of(cells: Iterable[Sequence[tuple[Any, ...]]], struct: pa.StructType) -> pa.ListArray:
    """Return cells of tuples as a column of lists of structs, column by column: the inverse of ``tuples_of``."""
    given = list(cells)
    offsets = pa.array(accumulate(map(len, given), initial=0), type=pa.int32())
    columns = list(zip(*chain.from_iterable(given), strict=True)) or [()] * struct.num_fields
    fields = [struct.field(i) for i in range(struct.num_fields)]
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, fields, strict=True)]
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(arrays, fields=fields))


def spans_in(cells: pa.ListArray) -> Iterator[list[Span]]:
    """Yield the spans of each cell of a column of lists of span structs."""
    return named_of(cells, Span)


def spans_of(cell: Iterable[Mapping[str, object]] | None) -> tuple[Span, ...]:
    """Read an array of span structs."""
    return tuple(Span(**row) for row in cell or ())  # type: ignore[arg-type]


def edits_of(cell: Iterable[Mapping[str, object]] | None) -> tuple[Edit, ...]:
    """Read an array of edit structs."""
    return tuple(Edit(**row) for row in cell or ())  # type: ignore[arg-type]


def gather_batches(rows: Iterable[Sequence[object]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Gather rows into Arrow batches of at most ROWS_A_BATCH rows."""
    gathered: list[Sequence[object]] = []
    for row in rows:
        gathered.append(row)
        if len(gathered) == ROWS_A_BATCH:
            yield to_batch(gathered, schema)
            gathered = []
    if gathered:
        yield to_batch(gathered, schema)


def to_batch(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.RecordBatch:
    """Turn rows into one Arrow batch, columns in the schema's order."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
