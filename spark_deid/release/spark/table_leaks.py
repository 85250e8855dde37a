"""Operators of the leak scan of tables: the values that recoding hides, counted in columns that are kept."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from spark_deid.core.leaves import field_names, leaf_texts, leaves_of, plain_texts
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_partitions, run_tasks
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
from spark_deid.rewriting.metadata import in_plain_digits
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups

NAMES_OF_COLUMNS = "names of columns"
_SHORTEST = 3
"""The minimum length of a text that can be a long number, such as 9E6, in bytes."""
_MAY_BE_NUMBER = r"[0-9][.eE]|^[+-]?0[0-9]"


def store_removed_values(table: DataFrame, names: Sequence[str], folder: str) -> RemovedText:
    """Write the values of columns as text, numbers in plain digits too, if they are long enough for the leak scan.

    The label of a value is its column. Runs one action.
    """
    cells = [F.col(quote_name(name)).cast("string").alias(f"c{at}") for at, name in enumerate(names)]
    LocalFolder(Path(folder)).make()
    parts = run_partitions(table.select(*cells), partial(_store, names=tuple(names), folder=folder))
    return RemovedText(table.sparkSession, tuple(part for part in parts if part.rows))


def count_residuals_in_columns(removed: RemovedText, files: Sequence[PartFile], names: Sequence[str]) -> ResidualCounts:
    """Count the removed values in columns of a written table, by the column that they were removed from.

    All leaves of cells and the names of columns and their fields are searched, as ``find_residuals`` searches kept
    columns of documents. Numbers are compared by value. Runs one action, or no action if there are no columns.
    """
    if not (removed.parts and names):
        return {}
    hits: dict[str, list[Int64s]] = {}
    for each in run_tasks(removed.spark, partial(_residuals, removed=removed.parts, names=tuple(names)), files):
        for label, numbers in each.items():
            hits.setdefault(label, []).append(numbers)
    counted = {label: len(np.unique(np.concatenate(numbers))) for label, numbers in sorted(hits.items())}
    return {COLUMNS: counted} if counted else {}


def names_in(schema: pa.Schema) -> str:
    """Return the names of the columns of a schema, and of their fields, a line for each."""
    return "\n".join(name for field in schema for name in (field.name, *field_names(field.type)))


def _store(batches: Iterator[pa.RecordBatch], *, names: tuple[str, ...], folder: str) -> PartFile:
    with PartsWriter({"removed": folder}, {"removed": REMOVED}) as writer:
        writer.write({"removed": distinct_rows(_pieces(batches, names), REMOVED)})
        return writer.close()["removed"]


def _pieces(batches: Iterator[pa.RecordBatch], names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for name, cells in zip(names, batch.columns, strict=True):
            written = pc.unique(cells).drop_null()
            values = pc.unique(pa.chunked_array([written, plain_texts(written)]))
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
    """Return the distinct texts of a part's columns and of their names, in lowercase."""
    found: dict[str, None] = {}
    # Arrow takes a dot in a name for a field of a column.
    chosen = None if any("." in name for name in names) else list(names)
    for batch in read_groups(part.path, chosen):
        for name in names:
            column = batch.column(name)
            found.update(dict.fromkeys((name, *field_names(column.type))))
            for leaf in leaves_of(name, column):
                found.update(dict.fromkeys(_searched_texts(leaf.values)))
    return [text.lower() for text in found]


def _searched_texts(values: pa.Array) -> Iterator[str]:
    """Yield the distinct texts of a leaf that can contain a removed value, and numbers in plain digits."""
    if pa.types.is_boolean(values.type):
        return
    if not _is_text(values.type):
        values = _readable_texts(values)
    texts = pc.unique(values).drop_null()
    texts = texts.filter(pc.greater_equal(pc.binary_length(texts), _SHORTEST))
    yield from texts.to_pylist()
    numbers = texts.filter(pc.match_substring_regex(texts, _MAY_BE_NUMBER))
    yield from (plain for text in numbers.to_pylist() if (plain := in_plain_digits(text)) is not None)
    yield from plain_texts(numbers).to_pylist()


def _readable_texts(values: pa.Array) -> pa.Array:
    """Return values as text. The bytes that are not UTF-8 are read as far as they are ASCII."""
    texts = leaf_texts(values)
    if texts.null_count == values.null_count:
        return texts
    decoded = (None if each is None else each.decode("utf-8", "replace") for each in values.to_pylist())
    return pa.array(decoded, pa.string())


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
