"""Tables as users have them: which columns can be recoded and stored, and the errors for other columns."""

from collections import Counter
from collections.abc import Iterable

from pyspark.sql import DataFrame
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
from spark_deid.core.errors import UsageError

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
