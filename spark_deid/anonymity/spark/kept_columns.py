"""Operators: find kept columns that identify people, or disclose a recoded column."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import ArrayType, MapType, StructType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.identifying import LOOKED_AT, found_in, label_of, names_persons
from spark_deid.anonymity.kept_pairs import (
    CLASS,
    MOST_ROWS,
    PERSON,
    TellingColumns,
    kept_column,
    original_column,
    telling_columns,
)
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.leaves import LeafType, field_names, is_nested, leaf_texts, leaf_types, leaves_of
from spark_deid.core.tables import ddl
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import map_rows, run_partitions, run_tasks
from spark_deid.storage.parts import PartFile
from spark_deid.storage.spark.records import arrow_type

_LEAF, _VALUE = "leaf", "value"
_NAMED_CELLS = pa.schema([(_LEAF, pa.int32()), (_VALUE, pa.string()), (PERSON, pa.string())])


class LeafValues(NamedTuple):
    """Some different texts of a leaf in one partition, and whether some of its bytes are not text."""

    texts: list[str]
    is_unreadable: bool = False


def columns_that_name(table: DataFrame, person: str | None, names: Sequence[str]) -> Mapping[str, str]:
    """Return the columns that identify people, each with the reason.

    A column identifies people if a leaf of its cells (``core.leaves``) is different for nearly everyone, if detectors
    know its values or its names, or if it has bytes that are not text. One job counts, and columns of nested types need
    two more. A last job reads some thousand different values of each leaf.
    """
    named = _named_by_names(table, names)
    atomic = [name for name in names if not _is_nested(table, name)]
    named |= _nearly_unique(table, person, [name for name in atomic if name not in named])
    named |= _nested_unique(table, person, [name for name in names if name not in named and name not in atomic])
    return {**named, **_found(table, [name for name in names if name not in named])}


def _is_nested(table: DataFrame, name: str) -> bool:
    return isinstance(table.schema[name].dataType, ArrayType | MapType | StructType)


def _leaf_types(table: DataFrame, name: str) -> list[LeafType]:
    return [*leaf_types(name, _arrow_type(table, name))]


def _arrow_type(table: DataFrame, name: str) -> pa.DataType:
    return arrow_type(table.schema[name].dataType)


def _named_by_names(table: DataFrame, names: Sequence[str]) -> dict[str, str]:
    """Return columns whose names, or names of fields, detectors know."""
    label = found_in(names)
    found = {name: f"its name is {label}" for name in names if label is not None and label_of(name) == label}
    for name in names:
        label = found_in([*field_names(_arrow_type(table, name))])
        if label is not None:
            found.setdefault(name, f"names of its fields are {label}")
    return found


def _nearly_unique(table: DataFrame, person: str | None, names: Sequence[str]) -> Mapping[str, str]:
    """Count, exactly where an estimate is near the border."""
    near = _counted(table, person, names, F.approx_count_distinct)
    counted = _counted(table, person, [name for name in names if 2 * near[name][0] >= near[name][1]], F.count_distinct)
    return {
        name: f"{values} different values of {people} people"
        for name, (values, people) in counted.items()
        if names_persons(values, people)
    }


def _nested_unique(table: DataFrame, person: str | None, names: Sequence[str]) -> Mapping[str, str]:
    """Count the values of leaves of nested columns, and in lists the people with a value that no one else has."""
    leaves = [leaf for name in names for leaf in _leaf_types(table, name)]
    owners = [name for name in names for _ in _leaf_types(table, name)]
    if not leaves:
        return {}
    whose = F.monotonically_increasing_id() if person is None else column(person)
    cells = [column(name).alias(f"c{at}") for at, name in enumerate(names)]
    chosen = table.select(*cells, whose.cast("string").alias(PERSON))
    pairs = map_rows(chosen, _leaf_pairs, ddl(_NAMED_CELLS)).distinct()
    values = pairs.groupBy(_LEAF, _VALUE).agg(F.count(F.lit(1)).alias("holders"), F.min(PERSON).alias("holder"))
    single = F.count_distinct(F.when(F.col("holders") == 1, F.col("holder")))
    counted = values.groupBy(_LEAF).agg(F.count(F.lit(1)).alias("values"), single.alias("single"))
    people = pairs.groupBy(_LEAF).agg(F.count_distinct(PERSON).alias("persons"))
    found: dict[str, str] = {}
    for at, values_of, entry, holders in counted.join(people, on=_LEAF, how="inner").sort(_LEAF).collect():
        leaf = leaves[at]
        if names_persons(entry if leaf.is_repeated else values_of, holders):
            unique = f"{entry} of {holders} people have a unique value of {leaf.path}"
            different = f"{leaf.path} has {values_of} different values of {holders} people"
            found.setdefault(owners[at], unique if leaf.is_repeated else different)
    return found


def _leaf_pairs(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the leaf, the value and the person of each value of nested columns."""
    for batch in batches:
        people, at = batch.column(batch.num_columns - 1), 0
        for cells in batch.columns[:-1]:
            for leaf in leaves_of("", cells):
                texts = _hashed_bytes(leaf.values)
                numbers = pa.array(np.full(len(texts), at, np.int32))
                rows = pa.RecordBatch.from_arrays(
                    [numbers, texts, people.take(pa.array(leaf.rows))], schema=_NAMED_CELLS
                )
                yield rows.filter(pc.is_valid(texts))
                at += 1


def _hashed_bytes(values: pa.Array) -> pa.Array:
    """Return values as text, with bytes in hexadecimal digits: they are compared, not read."""
    if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        return pa.array([None if each is None else each.hex() for each in values.to_pylist()], pa.string())
    return leaf_texts(values)


def _counted(
    table: DataFrame, person: str | None, names: Sequence[str], distinct: Callable[[Column], Column]
) -> Mapping[str, tuple[int, int]]:
    """Count, by column, its values and the people that have any."""
    if not names:
        return {}
    counts: list[Column] = []
    for at, name in enumerate(names):
        here = F.when(column(name).isNotNull(), F.lit(1) if person is None else column(person))
        counts.append(distinct(column(name)).alias(f"values {at}"))
        counts.append((F.count(here) if person is None else distinct(here)).alias(f"persons {at}"))
    found = table.agg(*counts).first()
    assert found is not None
    return {name: (found[f"values {at}"], found[f"persons {at}"]) for at, name in enumerate(names)}


def _found(table: DataFrame, names: Sequence[str]) -> Mapping[str, str]:
    """Return columns with a leaf whose values detectors know, or whose bytes are not text."""
    leaves = [(name, leaf) for name in names for leaf in _leaf_types(table, name)]
    if not leaves:
        return {}
    chosen = table.select(*(column(name).alias(f"c{at}") for at, name in enumerate(names)))
    parts = [part for part in run_partitions(chosen, _distinct) if part]
    found: dict[str, str] = {}
    for at, (name, leaf) in enumerate(leaves):
        where = "its values" if leaf.path == name else f"values of {leaf.path}"
        if any(part[at].is_unreadable for part in parts):
            found.setdefault(name, f"{where} are bytes that are not UTF-8 and that detectors cannot read")
        values = sorted({value for part in parts for value in part[at].texts}, key=_spread)[:LOOKED_AT]
        label = found_in(values) if values else None
        if label is not None:
            found.setdefault(name, f"{where} are {label}")
    return found


def _distinct(batches: Iterator[pa.RecordBatch]) -> list[LeafValues]:
    """Return some different texts of each leaf of a partition, which do not depend on the partitioning."""
    known: list[set[str]] = []
    unreadable: set[int] = set()
    for batch in batches:
        leaves = [leaf for cells in batch.columns for leaf in leaves_of("", cells)]
        known = known or [set() for _ in leaves]
        for at, leaf in enumerate(leaves):
            if pa.types.is_temporal(leaf.type.kind) or pa.types.is_boolean(leaf.type.kind):
                continue
            values = pc.unique(leaf.values).drop_null()
            texts = leaf_texts(values).drop_null()
            unreadable.update([at] if len(texts) < len(values) else [])
            known[at].update(texts.to_pylist())
            if len(known[at]) > 4 * LOOKED_AT:
                known[at] = set(sorted(known[at], key=_spread)[:LOOKED_AT])
    return [LeafValues(sorted(values, key=_spread)[:LOOKED_AT], at in unreadable) for at, values in enumerate(known)]


def _spread(value: str) -> tuple[int, str]:
    """Order values so that neighbours are separated."""
    return crc32(value.encode("utf-8", "surrogatepass")), value


def disclosing_columns(
    pairs: DataFrame | Sequence[tuple[PartFile, PartFile]],
    spark: SparkSession,
    claim: PrivacyClaim,
    names: Sequence[str],
    rows: int,
) -> TellingColumns:
    """Return which kept columns of ``names`` disclose a recoded column, by one job that collects some thousand rows.

    ``rows`` is their number. ``pairs`` are files of the result, each with that of its rows before and after, in the
    same order, or rows that have the originals in columns named by ``original_of``.
    """
    every = max(rows // (MOST_ROWS // 2), 1)
    if isinstance(pairs, DataFrame):
        tables = [_chosen_rows(pairs, claim, names, every)]
    else:
        chosen = partial(_chosen_of_files, claim=claim, names=tuple(names), every=every)
        tables = run_tasks(spark, chosen, tuple(pairs))
    found = pa.concat_tables(tables) if tables else None
    if found is None or not found.num_rows:
        return TellingColumns({}, {})
    return telling_columns(found.slice(0, MOST_ROWS), claim.quasi, names)


def original_of(name: str) -> str:
    """Return the name of the column with the original values of a quasi-identifier.

    Args:
        name: The quasi-identifier.

    Returns:
        The name of the column next to the published values.
    """
    return f"{name} (before)"


def _chosen_rows(rows: DataFrame, claim: PrivacyClaim, names: Sequence[str], every: int) -> pa.Table:
    labels = F.to_json(F.struct(*(column(name) for name in claim.quasi)), {"ignoreNullFields": "false"})
    person = F.lit(None) if claim.person is None else column(claim.person)
    chosen = rows.select(
        labels.alias(CLASS),
        person.cast("string").alias(PERSON),
        *(column(original_of(name)).alias(original_column(at)) for at, name in enumerate(claim.quasi)),
        *(_text_cell(rows, name).alias(kept_column(at)) for at, name in enumerate(names)),
    )
    return chosen.where(F.pmod(F.xxhash64(CLASS), F.lit(every)) == 0).limit(MOST_ROWS).toArrow()


def _chosen_of_files(
    pair: tuple[PartFile, PartFile], *, claim: PrivacyClaim, names: tuple[str, ...], every: int
) -> pa.Table:
    """Return the rows of some classes of a file, with their originals."""
    published, compared = pair
    person = [] if claim.person is None else [claim.person]
    wanted_columns = [*claim.quasi, *person, *names]
    # Arrow takes a dot in a name for a field of a column.
    has_dots = any("." in name for name in wanted_columns)
    after = pq.read_table(published.path, columns=None if has_dots else wanted_columns)
    originals = pq.read_table(compared.path).select(range(0, 2 * len(claim.quasi), 2))
    shown = [pc.fill_null(after.column(name), "\0") for name in claim.quasi]
    labels = pc.binary_join_element_wise(*shown, "\1").combine_chunks().dictionary_encode()
    wanted = pa.array([crc32(label.encode()) % every == 0 for label in labels.dictionary.to_pylist()], pa.bool_())
    columns = {
        CLASS: labels.cast(pa.string()),
        PERSON: after.column(claim.person) if claim.person is not None else pa.nulls(after.num_rows, pa.string()),
        **{original_column(at): originals.column(at) for at in range(len(claim.quasi))},
        **{kept_column(at): _as_text(after.column(name)) for at, name in enumerate(names)},
    }
    return pa.table(columns).filter(wanted.take(labels.indices)).slice(0, MOST_ROWS)


def _text_cell(rows: DataFrame, name: str) -> Column:
    """Return cells as text, and as JSON if they contain several values."""
    return F.to_json(column(name)) if _is_nested(rows, name) else column(name).cast("string")


def _as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells as text, and as JSON if they contain several values."""
    if is_nested(values.type):
        read = values.to_pylist(maps_as_pydicts="lossy")
        cells = (None if cell is None else json.dumps(cell, default=str) for cell in read)
        return pa.chunked_array([pa.array(cells, pa.string())])
    return pa.chunked_array([leaf_texts(chunk) for chunk in values.chunks], pa.string())
