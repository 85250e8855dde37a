"""Rows in and out of Arrow batches, for the functions that run on workers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from spark_deid.core.edit import Edit
from spark_deid.core.span import Span

SPAN_STRUCT = pa.struct(
    [
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("label", pa.string()),
        ("score", pa.float64()),
        ("source", pa.string()),
        ("annotation_id", pa.string()),
    ]
)
EDIT_STRUCT = pa.struct(
    [("start", pa.int32()), ("end", pa.int32()), ("technique", pa.string()), ("replacement", pa.string())]
)

ROWS_A_BATCH = 10_000


def spans_of(cell: Iterable[Mapping[str, object]] | None) -> tuple[Span, ...]:
    """Read an array of span structs."""
    return tuple(Span(**row) for row in cell or ())  # type: ignore[arg-type]


def edits_of(cell: Iterable[Mapping[str, object]] | None) -> tuple[Edit, ...]:
    """Read an array of edit structs."""
    return tuple(Edit(**row) for row in cell or ())  # type: ignore[arg-type]


def batches(rows: Iterable[Sequence[object]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
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
