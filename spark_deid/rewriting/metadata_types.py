"""Values of metadata, which are strings once they are read, as what they were in a table."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime

import pyarrow as pa

TYPES: Mapping[str, pa.DataType] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
"""The types that come back, by Delta's names; values of others stay strings."""


def name_of(kind: pa.DataType) -> str | None:
    """Return Delta's name of a type of Arrow, None where its values stay strings.

    Moments without a zone are taken for UTC; unsigned integers for the next larger signed type.

    >>> name_of(pa.timestamp("ns")), name_of(pa.uint8()), name_of(pa.string())
    ('timestamp', 'short', None)
    """
    if pa.types.is_timestamp(kind):
        return "timestamp"
    larger = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    return next((name for name, each in TYPES.items() if each == larger.get(kind, kind)), None)


def typed_column(values: list[str | None], name: str) -> pa.Array:
    """Return values of a type by Delta's name; raises ValueError for a value that is of another."""
    read = [None if value is None else _read(value, name) for value in values]
    try:
        return pa.array(read, TYPES[name])
    except (pa.ArrowException, TypeError, OverflowError):
        raise ValueError(f"expected values of type {name}") from None


def _read(value: str, name: str) -> object:
    if name == "date":
        return date.fromisoformat(value)
    if name == "timestamp":
        moment = datetime.fromisoformat(value)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    read: object = json.loads(value)
    kinds = (bool,) if name == "boolean" else (int, float) if name in ("float", "double") else (int,)
    if not isinstance(read, kinds) or (isinstance(read, bool) and name != "boolean"):
        raise ValueError(f"expected values of type {name}")
    return read
