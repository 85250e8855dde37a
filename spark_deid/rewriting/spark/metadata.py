"""Operators: metadata as it is published, and what detectors find in metadata that is kept."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.span import Finder
from spark_deid.engine.tasks import run_tasks
from spark_deid.rewriting.metadata import (
    SHIFT,
    SUBJECT,
    TYPES,
    Way,
    Ways,
    is_kept,
    labels_in_value,
    let_out,
    typed_column,
)
from spark_deid.storage.parts import PartFile, read_groups

_REMEMBERED = 1 << 16  # values

FoundInColumns = Mapping[str, Mapping[str, int]]
"""How many documents have a value in which detectors find something, by column and label."""


def let_metadata_out(documents: DataFrame, ways: Ways, finders: Sequence[Finder], key: bytes) -> DataFrame:
    """Change the metadata of documents (columns of DOCUMENTS) that ways key or search; all else passes."""
    changed = {name: way for name, way in ways.items() if way != SHIFT and not is_kept(way)}
    if not changed:
        return documents
    change = partial(_change_batches, ways=changed, finders=tuple(finders), key=key)
    return documents.select(*tables.DOCUMENTS.names).mapInArrow(change, tables.ddl(tables.DOCUMENTS))


def count_found(
    spark: SparkSession,
    parts: Sequence[PartFile],
    names: Sequence[str],
    finders: Sequence[Finder],
    *,
    harmless: Callable[[str], bool],
) -> FoundInColumns:
    """Count the documents in whose metadata of these names finders find something; parts have ``meta``.

    Values that are ``harmless`` (a function of a module) are not checked. Runs one action,
    where there is anything to search for.
    """
    if not names or not finders:
        return {}
    count = partial(_count, names=tuple(names), finders=tuple(finders), harmless=harmless)
    counted: Counter[tuple[str, str]] = Counter()
    for each in run_tasks(spark, count, parts):
        counted += each
    record: dict[str, dict[str, int]] = {}
    for (name, label), number in sorted(counted.items()):
        record.setdefault(name, {})[label] = number
    return record


def _change_batches(
    incoming: Iterator[pa.RecordBatch], *, ways: Mapping[str, Way], finders: tuple[Finder, ...], key: bytes
) -> Iterator[pa.RecordBatch]:
    change = lru_cache(maxsize=_REMEMBERED)(partial(_let_out, ways=ways, finders=finders, key=key))
    for batch in incoming:
        metas = [
            {name: change(name, value) if name in ways else value for name, value in meta or ()}
            for meta in batch.column("meta").to_pylist()
        ]
        column = pa.array([list(meta.items()) for meta in metas], tables.DOCUMENTS.field("meta").type)
        batch = batch.set_column(batch.schema.get_field_index("meta"), "meta", column)
        if SUBJECT in ways:
            subjects = [None if one is None else change(SUBJECT, one) for one in batch.column(SUBJECT).to_pylist()]
            batch = batch.set_column(batch.schema.get_field_index(SUBJECT), SUBJECT, pa.array(subjects, pa.string()))
        yield batch


def _let_out(name: str, value: str, *, ways: Mapping[str, Way], finders: tuple[Finder, ...], key: bytes) -> str:
    return let_out(name, value, ways[name], key=key, finders=finders)


def _count(
    part: PartFile, *, names: tuple[str, ...], finders: tuple[Finder, ...], harmless: Callable[[str], bool]
) -> Counter[tuple[str, str]]:
    labels = lru_cache(maxsize=_REMEMBERED)(partial(labels_in_value, finders=finders, harmless=harmless))
    counted: Counter[tuple[str, str]] = Counter()
    for batch in read_groups(part.path, ["meta"]):
        for meta in batch.column("meta").to_pylist():
            values = dict(meta or ())
            counted.update((name, label) for name in names if name in values for label in labels(values[name]))
    return counted


# Operators: columns of strings as what they were in a table, and whether they can be.


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
