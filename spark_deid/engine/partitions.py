"""Rows to the partitions that a column names, and numbers of tasks, on every engine."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import count
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession

from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F
from spark_deid.engine.engines import is_classic, is_embedded
from spark_deid.engine.tasks import map_rows

_BATCH_ROWS, _BATCH_BYTES = 1_000, 16 << 20
ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_WORD = 0xFFFFFFFF
_SEED = 42


def repartition_by_id(rows: DataFrame, partitions: int, ids: str | Column) -> DataFrame:
    """Move each row to the partition whose number, from 0, an integer column contains.

    Spark has this since 4.1. For earlier versions, each partition has a number whose hash leads there.
    """
    if hasattr(DataFrame, "repartitionById"):
        return rows.repartitionById(partitions, ids)
    return repartition_by_keys(rows, partitions, ids)


def repartition_by_keys(rows: DataFrame, partitions: int, ids: str | Column) -> DataFrame:
    """Do the same by a number for each partition whose hash leads there."""
    numbers = F.array(*map(F.lit, keys_of(partitions)))
    return rows.repartition(partitions, F.get(numbers, F.col(ids) if isinstance(ids, str) else ids))


def sort_partitions(rows: DataFrame, *names: str) -> DataFrame:
    """Sort the rows of each partition by columns; functions that read partitions next get the rows in this order.

    The embedded engine omits a sort if its operators do not need the order, so a function of this process sorts.
    """
    if not is_embedded(rows.sparkSession):
        return rows.sortWithinPartitions(*(F.col(quote_name(name)) for name in names))
    places = tuple(rows.columns.index(name) for name in names)
    return map_rows(rows, partial(_sorted_rows, places=places), rows.schema)


def _sorted_rows(incoming: Iterator[pa.RecordBatch], *, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
    batches = [batch for batch in incoming if batch.num_rows]
    if not batches:
        return
    table = pa.Table.from_batches(batches)
    keys: dict[str, pa.ChunkedArray] = {}
    for number, place in enumerate(places):  # Spark has nulls first
        keys |= {f"n{number}": pc.is_valid(table.column(place)), f"k{number}": table.column(place)}
    order = pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])
    size = max(1, min(_BATCH_ROWS, _BATCH_BYTES * table.num_rows // max(table.nbytes, 1)))
    for start in range(0, table.num_rows, size):
        yield from table.take(order.slice(start, size)).combine_chunks().to_batches()


def map_numbered(
    rows: DataFrame, partitions: int, ids: str, function: ArrowFunction, schema: str, *, order: Sequence[str] = ()
) -> DataFrame:
    """Call a function for the rows of each number, from 0, that an integer column holds; rows come in an order.

    Each call has the rows of one number only.
    """
    if is_embedded(rows.sparkSession):
        return apply_to_groups(rows, ids, partial(_of_group, function=function, order=tuple(order)), schema)
    moved = repartition_by_id(rows, partitions, ids)
    return (moved.sortWithinPartitions(*order) if order else moved).mapInArrow(function, schema)


def apply_to_groups(rows: DataFrame, key: str, function: Callable[[pa.Table], pa.Table], schema: str) -> DataFrame:
    """Call a function for the rows of each value of a column."""
    if is_classic(rows.sparkSession):
        return rows.groupBy(key).applyInArrow(function, schema)
    # PySpark's Connect fails on hints of types that it can't evaluate, so this function has no hints.
    return rows.groupBy(key).applyInArrow(lambda table: function(table), schema)


def _of_group(table: pa.Table, *, function: ArrowFunction, order: Sequence[str]) -> pa.Table:
    batches = iter(table.combine_chunks().to_batches())
    places = [table.column_names.index(name) for name in order]
    return pa.Table.from_batches(function(_sorted_rows(batches, places=places) if order else batches))


def task_numbers(spark: SparkSession) -> Callable[[], int]:
    """Return a function that each task of a job calls once for its number, from 0."""
    return partial(_next_number, uuid4().hex) if is_embedded(spark) else _number_of_task


def _number_of_task() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


_COUNTS: defaultdict[str, "count[int]"] = defaultdict(count)


def _next_number(job: str) -> int:
    return next(_COUNTS[job])


@lru_cache(maxsize=8)
def keys_of(partitions: int) -> tuple[int, ...]:
    """Return for each partition the least number whose hash, modulo their number, is that of the partition."""
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(spark_hash(number) % partitions, number)
        if len(found) == partitions:
            return tuple(found[each] for each in range(partitions))
    raise AssertionError("there is no last number")


def spark_hash(number: int) -> int:
    """Return Spark's hash of an integer of 32 bits: MurmurHash3 (Appleby) of its four bytes, with the seed 42.

    >>> spark_hash(0), spark_hash(1)
    (933211791, -559580957)
    """
    mixed = _SEED ^ (_rotated(number * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD)
    mixed = (_rotated(mixed, 13) * 5 + 0xE6546B64) & _WORD
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotated(word: int, places: int) -> int:
    return (word << places | word >> 32 - places) & _WORD
