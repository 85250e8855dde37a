"""Operators: which columns that stay as they are name persons, or tell what is recoded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DateType, IntegralType, StringType, TimestampNTZType, TimestampType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.identifying import LOOKED_AT, found_in, names_persons
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
from spark_deid.storage.parts import PartFile
from spark_deid.storage.spark.tasks import run_partitions, run_tasks

_TELLING = (StringType, IntegralType, DateType, TimestampType, TimestampNTZType)


def columns_that_name(table: DataFrame, person: str | None, names: Sequence[str]) -> Mapping[str, str]:
    """Return why columns name persons, of those that do: different for nearly everybody, or what detectors know.

    One job counts; one more looks through texts, of each column some thousand different values.
    """
    told = dict(_nearly_unique(table, person, names))
    texts = [name for name in names if name not in told and _type(table, name) is StringType]
    return {**told, **_found(table, texts)}


def _type(table: DataFrame, name: str) -> type[DataType]:
    return type(table.schema[name].dataType)


def _nearly_unique(table: DataFrame, person: str | None, names: Sequence[str]) -> Mapping[str, str]:
    """Count, exactly where an estimate is near the border."""
    telling = [name for name in names if issubclass(_type(table, name), _TELLING)]
    near = _counted(table, person, telling, F.approx_count_distinct)
    counted = _counted(
        table, person, [name for name in telling if 2 * near[name][0] >= near[name][1]], F.count_distinct
    )
    return {
        name: f"{values} different values of {persons} persons"
        for name, (values, persons) in counted.items()
        if names_persons(values, persons)
    }


def _counted(
    table: DataFrame, person: str | None, names: Sequence[str], distinct: Callable[[Column], Column]
) -> Mapping[str, tuple[int, int]]:
    """Count, by column, its values and the persons that have any."""
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
    if not names:
        return {}
    chosen = table.select(*(column(name).alias(f"c{at}") for at, name in enumerate(names)))
    parts = run_partitions(chosen, partial(_distinct, number=len(names)))
    told = {}
    for at, name in enumerate(names):
        values = sorted({value for part in parts for value in part[at]}, key=_spread)[:LOOKED_AT]
        label = found_in(values) if len(values) >= 1 else None
        if label is not None:
            told[name] = f"its values are {label}"
    return told


def _distinct(batches: Iterator[pa.RecordBatch], *, number: int) -> list[list[str]]:
    """Return some different values of each column of a partition, alike for all partitionings."""
    known: list[set[str]] = [set() for _ in range(number)]
    for batch in batches:
        for at, values in enumerate(known):
            values.update(pc.unique(batch.column(at)).drop_null().to_pylist())
            if len(values) > 4 * LOOKED_AT:
                known[at] = set(sorted(values, key=_spread)[:LOOKED_AT])
    return [sorted(values, key=_spread)[:LOOKED_AT] for values in known]


def _spread(value: str) -> tuple[int, str]:
    """Order values so that the first ones are no neighbours."""
    return crc32(value.encode("utf-8", "surrogatepass")), value


def columns_that_tell(
    pairs: DataFrame | Sequence[tuple[PartFile, PartFile]],
    spark: SparkSession,
    claim: PrivacyClaim,
    names: Sequence[str],
    rows: int,
) -> TellingColumns:
    """Return which kept columns of ``names`` tell what is recoded; by one job some thousand of ``rows`` rows come here.

    ``pairs`` are files of the result, each with that of its rows before and after, in the same order, or rows that have
    the originals in columns named as ``original_of`` says.
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
    """Return the column that has the original values of a quasi-identifier beside what is published of it."""
    return f"{name} (before)"


def _chosen_rows(rows: DataFrame, claim: PrivacyClaim, names: Sequence[str], every: int) -> pa.Table:
    labels = F.to_json(F.struct(*(column(name) for name in claim.quasi)), {"ignoreNullFields": "false"})
    person = F.lit(None) if claim.person is None else column(claim.person)
    chosen = rows.select(
        labels.alias(CLASS),
        person.cast("string").alias(PERSON),
        *(column(original_of(name)).alias(original_column(at)) for at, name in enumerate(claim.quasi)),
        *(column(name).cast("string").alias(kept_column(at)) for at, name in enumerate(names)),
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


def _as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values as text; what has none, such as a list, tells nothing."""
    try:
        return values.cast(pa.string())
    except pa.ArrowNotImplementedError:
        return pa.chunked_array([pa.nulls(len(values), pa.string())])
