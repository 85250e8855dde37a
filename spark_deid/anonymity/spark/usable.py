"""Tables as users have them: which columns can be recoded and stored, and the errors for other columns."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.core.errors import UsageError
from spark_deid.engine import functions as F
from spark_deid.storage.spark.records import read_records
from spark_deid.storage.table_files import MissingColumns

_WITHOUT_ORDER = (ArrayType, MapType, StructType, BinaryType)
_INTEGERS = (ByteType, ShortType, IntegerType, LongType)
_STORED = (
    *(*_INTEGERS, FloatType, DoubleType, DecimalType, StringType, BooleanType),
    *(BinaryType, DateType, TimestampType, TimestampNTZType),
)
"""Spark's types of single values in ``core.column_types``."""


def check_names(names: Iterable[str]) -> None:
    """Raise UsageError for columns whose names Spark can't distinguish: they differ only in case."""
    result = tuple(names)
    counted = Counter(name.casefold() for name in result)
    equal = [name for name in result if counted[name.casefold()] > 1]
    if equal:
        raise UsageError(f"{', '.join(equal)}: expected column names that differ in more than case. Rename some")


def make_usable(table: DataFrame, claim: PrivacyClaim, keep: Iterable[str] = ()) -> DataFrame:
    """Return a table whose columns without any value are text.

    Raises:
        UsageError: A column of the claim has no order, or a table can't store a column of the claim or of ``keep``.
    """
    check_names(table.columns)
    kinds = {field.name: field.dataType for field in table.schema}
    wrong = [
        f"{name}: expected numbers, dates or text, got the type {kinds[name].simpleString()}"
        for name in claim.columns
        if name in kinds and isinstance(kinds[name], _WITHOUT_ORDER)
    ]
    wrong += [
        f"{name}: a Delta table cannot store the type {kinds[name].simpleString()}. Cast the column"
        for name in dict.fromkeys((*claim.columns, *keep))
        if name in kinds and not (isinstance(kinds[name], NullType) or is_stored(kinds[name]))
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    empty = [name for name, kind in kinds.items() if isinstance(kind, NullType)]
    if not empty:
        return table
    return table.select(
        *(column(name).cast("string").alias(name) if name in empty else column(name) for name in table.columns)
    )


def is_stored(kind: DataType) -> bool:
    """Return whether tables can store a type of Spark."""
    if isinstance(kind, ArrayType):
        return is_stored(kind.elementType)
    if isinstance(kind, MapType):
        return is_stored(kind.keyType) and is_stored(kind.valueType)
    if isinstance(kind, StructType):
        return all(is_stored(field.dataType) for field in kind)
    return type(kind) in _STORED


# Tables of people as files have them: Delta, Parquet, or CSV with a header.


def read_table(
    spark: SparkSession,
    place: str,
    *,
    dialect: CsvDialect = RFC_4180,
    columns: Sequence[str] = (),
    missing: MissingColumns = MissingColumns.REFUSE,
) -> DataFrame:
    """Read a table as ``storage.spark.records`` does. Cells of CSV are text, exactly as they are written.

    Raises:
        UsageError: The place is not a table.
        CorpusError: Spark can't read the table, or a file lacks one of the ``columns``.
    """
    table = read_records(spark, place, dialect=dialect, columns=columns, missing=missing)
    check_names(table.columns)
    return table


# Tables whose sensitive columns hold lists: a row a person, with all values that the person has.


_AT = "at"


class UnfoldedTable(NamedTuple):
    """A table with one sensitive value of each attribute a row, and its claim, which names a column of persons."""

    table: DataFrame
    claim: PrivacyClaim


def unfold_lists(table: DataFrame, claim: PrivacyClaim) -> UnfoldedTable:
    """Give each value of a list a row of its own; where nobody names persons, a row of the table is one.

    Tables without lists in sensitive columns stay as they are. Lists beside each other need not be of one length:
    the last value of a shorter one, and the missing value of an empty one, are repeated, which says nothing new of
    the person.
    """
    kinds = {field.name: field.dataType for field in table.schema}
    lists = [name for name in claim.sensitive if isinstance(kinds.get(name), ArrayType)]
    if not lists:
        return UnfoldedTable(table, claim)
    person = claim.person
    if person is None:
        person = _unused_name(table.columns)
        table = table.withColumn(person, F.monotonically_increasing_id())
    longest = F.greatest(F.lit(1), *map(_length, lists))
    at = _unused_name(table.columns)
    numbered = table.select("*", F.explode(F.sequence(F.lit(1), longest)).alias(at))
    cells = [_value(name, at).alias(name) if name in lists else column(name) for name in table.columns]
    return UnfoldedTable(numbered.select(*cells), replace(claim, person=person))


def _length(name: str) -> Column:
    return F.greatest(F.size(F.coalesce(column(name), F.array())), F.lit(1))


def _value(name: str, at: str) -> Column:
    return F.try_element_at(column(name), F.least(column(at), _length(name)))


def _unused_name(names: list[str]) -> str:
    taken = {name.casefold() for name in names}
    return next(name for number in range(len(taken) + 1) if (name := f"{_AT}_{number}") not in taken)
