"""Frequency sets of tables: counted where the rows are, added up by Spark, and collected once."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.anonymity.coding import CodedTable
from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.gathering import (
    MultiClassRows,
    PartTally,
    SingleClassPersons,
    SpreadValues,
    ValueCounts,
    gather_frequencies,
    tally_combinations,
)
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.errors import CorpusError, SparkDeidError
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions, task_numbers
from spark_deid.engine.tasks import run_partitions

MOST_ROWS = 10**7
"""The most rows of a frequency set that are collected, below 1 GiB: combinations, and those with their values."""

SETTLED, VALUED, SPREAD, SPREAD_VALUE, PRESENT = range(5)
_ROWS = 2**20
_Columns = tuple[Int64s, bytes, Int64s, Int64s, Int64s, Int64s]
_NOBODY = np.empty(0, np.int64)
_COLUMNS = "kind int, codes binary, person long, value long, persons long, rows long"
_FIELDS = ("kind", "codes", "person", "value", "persons", "rows")


def rows_of(table: DataFrame, coded: CodedTable, person: str | None) -> DataFrame:
    """Return the columns that are coded, and then the person as text, all rows of a person in one partition."""
    names = [each.name for each in (*coded.quasi, *coded.sensitive)]
    chosen = [column(name).alias(f"column_{at}") for at, name in enumerate(names)]
    if person is None:
        return table.select(*chosen)
    with_person = table.select(*chosen, column(person).cast("string").alias("person"))
    return sort_partitions(with_person.repartition("person"), "person")


def frequency_set(
    table: DataFrame, coded: CodedTable, person: str | None, population: DataFrame | None
) -> FrequencySet:
    """Count a table by combination of codes, and a population, a person a row; one Spark job.

    Raises CorpusError where rows name no person, SparkDeidError where there are too many combinations to collect.
    """
    number = task_numbers(table.sparkSession)
    tally = partial(_tallied, coded=coded, kind=SETTLED, number=number)
    counted = rows_of(table, coded, person).mapInArrow(tally, _COLUMNS)
    if population is not None:
        quasi = CodedTable(coded.quasi)
        people = rows_of(population, quasi, None)
        counted = counted.unionByName(people.mapInArrow(partial(tally, coded=quasi, kind=PRESENT), _COLUMNS))
    added = counted.groupBy("kind", "codes", "person", "value").agg(_total("persons"), _total("rows"))
    parts = run_partitions(added.select(*_FIELDS), _read)
    if sum(len(part[0]) for part in parts) > MOST_ROWS:
        raise _too_many()
    if not any(len(part[0]) for part in parts):
        raise CorpusError("the table has no rows")
    entry, present = _split(_joined(parts), len(coded.quasi))
    return gather_frequencies([entry], [present])


def _tallied(
    batches: Iterator[pa.RecordBatch], *, coded: CodedTable, kind: int, number: Callable[[], int]
) -> Iterator[pa.RecordBatch]:
    """Count a partition; where people have several rows, all of it at once."""
    first = number() << 40
    for chunk in _chunks(batches, 2**62 if coded.by_person else _ROWS):
        result = tally_combinations(coded.part(chunk))
        first += len(result.spread.person)
        yield _tally_batch(result, kind, first - len(result.spread.person))


def _chunks(batches: Iterator[pa.RecordBatch], most: int) -> Iterator[pa.Table]:
    gathered: list[pa.RecordBatch] = []
    for batch in batches:
        gathered.append(batch)
        if sum(each.num_rows for each in gathered) >= most:
            yield pa.Table.from_batches(gathered)
            gathered = []
    if any(each.num_rows for each in gathered):
        yield pa.Table.from_batches(gathered)


class _Block(NamedTuple):
    """Rows of one kind; what a kind does not count remains empty."""

    kind: int
    codes: Int32s
    person: Int64s = _NOBODY
    value: Int64s = _NOBODY
    persons: Int64s = _NOBODY
    rows: Int64s = _NOBODY

    @property
    def numbers(self) -> list[Int64s]:
        """Return the columns of numbers, zeros where a kind has none."""
        none = np.zeros(len(self.codes), np.int64)
        return [each if each.size else none for each in (self.person, self.value, self.persons, self.rows)]


def _tally_batch(tally: PartTally, kind: int, first: int) -> pa.RecordBatch:
    """Write what was counted one below the other; people of several combinations are numbered from ``first``."""
    settled, valued, spread, values = tally
    there = settled.persons > 0
    nowhere = np.zeros((values.person.size, settled.codes.shape[1]), np.int32)
    blocks = (
        _Block(kind, settled.codes[there], persons=settled.persons[there], rows=settled.rows[there]),
        _Block(VALUED, valued.codes, value=valued.values, persons=valued.counts),
        _Block(SPREAD, spread.codes, person=spread.person + first, rows=spread.rows),
        _Block(SPREAD_VALUE, nowhere, person=values.person + first, value=values.values),
    )
    kinds = np.repeat([each.kind for each in blocks], [len(each.codes) for each in blocks]).astype(np.int32)
    numbers = (np.concatenate(each) for each in zip(*(block.numbers for block in blocks), strict=True))
    codes = np.concatenate([each.codes for each in blocks])
    return pa.RecordBatch.from_arrays([pa.array(kinds), pack_rows(codes), *map(pa.array, numbers)], names=_FIELDS)


def pack_rows(codes: Int32s) -> pa.Array:
    """Return rows of codes as bytes, of one length."""
    number, width = codes.shape
    bounds = np.arange(number + 1, dtype=np.int32) * (4 * width)
    data = np.ascontiguousarray(codes)
    return pa.Array.from_buffers(pa.binary(), number, [None, pa.py_buffer(bounds), pa.py_buffer(data)])


def _read(batches: Iterator[pa.RecordBatch]) -> _Columns:
    """Return the columns of a partition: numbers as arrays, codes as bytes."""
    chunks = [batch for batch in batches if batch.num_rows]
    if sum(batch.num_rows for batch in chunks) > MOST_ROWS:
        raise _too_many()
    if not chunks:
        return _NOBODY, b"", _NOBODY, _NOBODY, _NOBODY, _NOBODY
    numbers = [np.concatenate([batch.column(at).to_numpy() for batch in chunks]) for at in (0, 2, 3, 4, 5)]
    codes = b"".join(b"".join(batch.column(1).to_pylist()) for batch in chunks)
    kind, person, value, people, counted = numbers
    return kind, codes, person, value, people, counted


def _joined(parts: Sequence[_Columns]) -> tuple[Int64s, bytes, list[Int64s]]:
    kind, codes, *numbers = zip(*parts, strict=True)
    return np.concatenate(kind), b"".join(codes), [np.concatenate(each) for each in numbers]


def _split(rows: tuple[Int64s, bytes, list[Int64s]], width: int) -> tuple[PartTally, SingleClassPersons]:
    kind, packed, (person, value, people, counted) = rows
    codes = np.frombuffer(packed, np.int32).reshape(-1, width)
    settled, valued, spread, spread_value, present = (kind == each for each in range(PRESENT + 1))
    known, numbers = np.unique(person[spread], return_inverse=True)
    tallied = PartTally(
        SingleClassPersons(codes[settled], people[settled], counted[settled]),
        ValueCounts(codes[valued], value[valued], people[valued]),
        MultiClassRows(numbers, codes[spread], counted[spread]),
        SpreadValues(np.searchsorted(known, person[spread_value]), value[spread_value]),
    )
    return tallied, SingleClassPersons(codes[present], people[present], counted[present])


def _total(name: str) -> Column:
    return F.sum(name).alias(name)


def _too_many() -> SparkDeidError:
    most = f"{MOST_ROWS} combinations of quasi-identifiers"
    return SparkDeidError(f"more than {most}. Round some columns, or remove one")
