"""Rows to the partitions that a column names, on every version of Spark."""

from functools import lru_cache
from itertools import count

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_WORD = 0xFFFFFFFF
_SEED = 42


def repartition_by_id(rows: DataFrame, partitions: int, ids: str | Column) -> DataFrame:
    """Bring each row to the partition whose number, from 0, an integer column holds.

    Spark does so itself since 4.1. Before, rows are told by the hash of a number that is chosen for each partition, so
    that Spark's own partitioning by hashes brings them there.
    """
    if hasattr(DataFrame, "repartitionById"):
        return rows.repartitionById(partitions, ids)
    return repartition_by_keys(rows, partitions, ids)


def repartition_by_keys(rows: DataFrame, partitions: int, ids: str | Column) -> DataFrame:
    """Do the same by a number for each partition whose hash leads there."""
    numbers = F.array(*map(F.lit, keys_of(partitions)))
    return rows.repartition(partitions, F.get(numbers, F.col(ids) if isinstance(ids, str) else ids))


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
