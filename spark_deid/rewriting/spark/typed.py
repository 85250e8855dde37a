"""Operators: columns of strings as what they were in a table, and whether they can be."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.engine.tasks import run_tasks
from spark_deid.rewriting.metadata_types import TYPES, typed_column
from spark_deid.storage.parts import PartFile, read_groups

_SPARK = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}


def with_types(rows: DataFrame, types: Mapping[str, str]) -> DataFrame:
    """Return rows whose named columns, strings, are of the types that are named; all else passes."""
    if not types:
        return rows
    kinds = {field.name: field.dataType.simpleString() for field in rows.schema}
    kinds |= {name: _SPARK.get(kind, kind) for name, kind in types.items()}
    return rows.mapInArrow(partial(_typed, types=dict(types)), ", ".join(f"`{n}` {kind}" for n, kind in kinds.items()))


def find_untyped(spark: SparkSession, parts: Sequence[PartFile], types: Mapping[str, str]) -> frozenset[str]:
    """Return which metadata, by name, has values of other types; parts have ``meta``. Runs an action."""
    if not types:
        return frozenset()
    return frozenset().union(*run_tasks(spark, partial(_untyped, types=dict(types)), parts))


def _typed(incoming: Iterator[pa.RecordBatch], *, types: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for name, kind in types.items():
            column = typed_column(batch.column(name).to_pylist(), kind)
            batch = batch.set_column(batch.schema.get_field_index(name), pa.field(name, TYPES[kind]), column)
        yield batch


def _untyped(part: PartFile, *, types: Mapping[str, str]) -> set[str]:
    wrong: set[str] = set()
    for batch in read_groups(part.path, ["meta"]):
        metas = [dict(meta or ()) for meta in batch.column("meta").to_pylist()]
        for name, kind in types.items():
            try:
                typed_column([meta.get(name) for meta in metas], kind)
            except ValueError:
                wrong.add(name)
    return wrong
