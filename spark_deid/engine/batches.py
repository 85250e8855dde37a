"""Batches bounded by rows and bytes, for every engine."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

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
