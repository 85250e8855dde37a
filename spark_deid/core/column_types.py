"""The types of columns that tables can store: each Arrow type with its name in Spark's DDL and in Delta's schema."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa


class TypeNames(NamedTuple):
    """The name of a type in Spark's DDL, and in the schema of a Delta table."""

    ddl: str
    delta: str


_NAMES = MappingProxyType(
    {
        pa.string(): TypeNames("string", "string"),
        pa.bool_(): TypeNames("boolean", "boolean"),
        pa.int8(): TypeNames("tinyint", "byte"),
        pa.int16(): TypeNames("smallint", "short"),
        pa.int32(): TypeNames("int", "integer"),
        pa.int64(): TypeNames("bigint", "long"),
        pa.float32(): TypeNames("float", "float"),
        pa.float64(): TypeNames("double", "double"),
        pa.date32(): TypeNames("date", "date"),
        pa.binary(): TypeNames("binary", "binary"),
        pa.timestamp("us"): TypeNames("timestamp_ntz", "timestamp_ntz"),
    }
)
_TIMESTAMP = TypeNames("timestamp", "timestamp")


def names_of(kind: pa.DataType) -> TypeNames | None:
    """Return the names of a type whose cells are single values, or None if tables can't store the type.

    >>> names_of(pa.int16()), names_of(pa.decimal128(12, 2)), names_of(pa.duration("us"))
    (TypeNames(ddl='smallint', delta='short'), TypeNames(ddl='decimal(12,2)', delta='decimal(12,2)'), None)
    """
    if pa.types.is_decimal128(kind):
        return TypeNames(*[f"decimal({kind.precision},{kind.scale})"] * 2)
    if pa.types.is_timestamp(kind) and kind.unit == "us" and kind.tz is not None:
        return _TIMESTAMP
    return _NAMES.get(kind)


def atomic_types(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types of single values that a type contains.

    >>> [str(each) for each in atomic_types(pa.map_(pa.string(), pa.list_(pa.struct([("at", pa.date32())]))))]
    ['string', 'date32[day]']
    """
    if pa.types.is_map(kind):
        yield from (*atomic_types(kind.key_type), *atomic_types(kind.item_type))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from atomic_types(field.type)
    elif pa.types.is_list(kind):
        yield from atomic_types(kind.value_type)
    else:
        yield kind
