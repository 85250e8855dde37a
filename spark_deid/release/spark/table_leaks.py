"""Operators of the leak scan of tables: values that recoding hides, and whether columns that stay tell them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.tables import quote_name
from spark_deid.numerics.arrays import Int64s
from spark_deid.release.metadata_leaks import LEAST
from spark_deid.release.spark.leaks import (
    COLUMNS,
    REMOVED,
    RemovedText,
    ResidualCounts,
    distinct_rows,
    hits_by_label,
    targets_of,
)
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups
from spark_deid.storage.spark.tasks import run_partitions, run_tasks


def store_removed_values(table: DataFrame, names: Sequence[str], folder: str) -> RemovedText:
    """Write the values of columns as they are, of so many characters and more as the leak scan looks for.

    The label of a value is its column. Runs one action.
    """
    cells = [F.col(quote_name(name)).cast("string").alias(f"c{at}") for at, name in enumerate(names)]
    LocalFolder(Path(folder)).make()
    parts = run_partitions(table.select(*cells), partial(_store, names=tuple(names), folder=folder))
    return RemovedText(table.sparkSession, tuple(part for part in parts if part.rows))


def count_residuals_in_columns(removed: RemovedText, files: Sequence[PartFile], names: Sequence[str]) -> ResidualCounts:
    """Count the removed values that stand in columns of a written table, by the column that they were removed from.

    They count as ``count_residuals`` counts them in kept columns of documents. Runs one action, none where no column
    may tell.
    """
    if not (removed.parts and names):
        return {}
    hits: dict[str, list[Int64s]] = {}
    for each in run_tasks(removed.spark, partial(_residuals, removed=removed.parts, names=tuple(names)), files):
        for label, numbers in each.items():
            hits.setdefault(label, []).append(numbers)
    counted = {label: len(np.unique(np.concatenate(numbers))) for label, numbers in sorted(hits.items())}
    return {COLUMNS: counted} if counted else {}


def _store(batches: Iterator[pa.RecordBatch], *, names: tuple[str, ...], folder: str) -> PartFile:
    with PartsWriter({"removed": folder}, {"removed": REMOVED}) as writer:
        writer.write({"removed": distinct_rows(_pieces(batches, names), REMOVED)})
        return writer.close()["removed"]


def _pieces(batches: Iterator[pa.RecordBatch], names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for name, cells in zip(names, batch.columns, strict=True):
            values = pc.unique(cells).drop_null()
            long = values.filter(pc.greater_equal(pc.utf8_length(values), LEAST))
            yield pa.RecordBatch.from_arrays([long, pa.array([name] * len(long), pa.string())], schema=REMOVED)


def _residuals(part: PartFile, *, removed: tuple[PartFile, ...], names: tuple[str, ...]) -> Mapping[str, Int64s]:
    texts = _texts_of(part, names)
    if not texts:
        return {}
    targets = targets_of(removed, names=True)
    hits = targets.needles.nothing()
    targets.needles.search(texts, hits)
    return hits_by_label(targets, hits)


def _texts_of(part: PartFile, names: tuple[str, ...]) -> list[str]:
    """Return the distinct texts of a part's columns, in small letters; numbers and dates are not looked through."""
    found: dict[str, None] = {}
    # Arrow takes a dot in a name for a field of a column.
    chosen = None if any("." in name for name in names) else list(names)
    for batch in read_groups(part.path, chosen):
        for cells in map(batch.column, names):
            cells = cells.flatten() if pa.types.is_list(cells.type) else cells
            if pa.types.is_string(cells.type):
                found.update(dict.fromkeys(pc.unique(cells).drop_null().to_pylist()))
    return [text.lower() for text in found]
