"""Values of columns that a frame keeps: whether detectors can read them, and the values without everything else."""

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
    AtomicType,
    BinaryType,
    DataType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from spark_deid.core.leaves import is_decodable, leaves_of
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F

_TIMES = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)
_TIMES_OF_PANDAS = (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval)
_MISSING = (type(None), type(pd.NA), type(pd.NaT))
_SCALARS = frozenset({str, bool, int, float, Decimal, UUID, *_TIMES, *_TIMES_OF_PANDAS, *_MISSING})
_UNREADABLE = ("geometry", "geography")
"""Types of Spark that are atomic and have no text."""


def unreadable_in_pandas(column: pd.Series) -> bool:
    """Return whether a column has values that are not read as text: bytes that are not UTF-8, or objects."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return dtype.kind == "O" and not all(map(_is_readable, column))
    if not type(dtype).__module__.startswith("pandas."):
        return True
    if isinstance(dtype, pd.CategoricalDtype):
        return unreadable_in_pandas(pd.Series(column.cat.remove_unused_categories().cat.categories))
    return not all(map(_is_readable, column)) if isinstance(dtype, pd.ArrowDtype) else False


def types_without_text(schema: StructType, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of Spark whose types have no text, such as vectors."""
    return tuple(name for name in names if not all(map(_has_text, _types(schema[name].dataType))))


def unreadable_in_spark(frame: DataFrame, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with values that are not read as text. Runs an action if a column has strings or bytes."""
    looked = [
        name
        for name in names
        if any(isinstance(kind, StringType | BinaryType) for kind in _types(frame.schema[name].dataType))
    ]
    if not looked:
        return ()
    cells = [F.col(quote_name(name)).alias(f"c{place}") for place, name in enumerate(looked)]
    found = frame.select(*cells).mapInArrow(_undecodable, "place int").distinct().collect()
    return tuple(looked[place] for place in sorted(row["place"] for row in found))


def plain_values(column: pd.Series) -> pd.Series:
    """Return the values of a column with its type, numbered from 0, and without everything that no value uses.

    Values below a mask, categories and dictionaries without a row, and attributes of strings are removed.
    """
    column = column.reset_index(drop=True)
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories().cat
        categories = pd.Index(plain_values(pd.Series(used.categories)).array, name=None)
        return pd.Series(pd.Categorical.from_codes(used.codes, categories, ordered=dtype.ordered))
    if isinstance(dtype, pd.ArrowDtype):
        kind = dtype.pyarrow_dtype
        values = pa.array(pa.array(column.array, from_pandas=False).to_pylist(), kind)
        return pd.Series(pd.arrays.ArrowExtensionArray(values))
    if isinstance(dtype, pd.SparseDtype):
        values = column.array
        is_used = values.npoints < len(values)
        return column if is_used else pd.Series(pd.arrays.SparseArray(np.asarray(values)))
    if isinstance(dtype, pd.StringDtype) or pd.api.types.is_object_dtype(dtype):
        return pd.Series([_plain_string(value) for value in column], dtype=dtype)
    if hasattr(dtype, "numpy_dtype"):  # masked
        missing = column.isna()
        return column.fillna(dtype.type(0)).mask(missing)  # type: ignore[arg-type]
    return pd.Series(column.array)


def plain_type(kind: DataType) -> DataType:
    """Return a type of Spark without the metadata of its fields.

    >>> nested = StructType([StructField("sex", StringType(), metadata={"ml_attr": {"vals": ["f", "m"]}})])
    >>> plain_type(ArrayType(nested)) == ArrayType(StructType([StructField("sex", StringType())]))
    True
    """
    if isinstance(kind, StructType):
        return StructType([StructField(each.name, plain_type(each.dataType), each.nullable) for each in kind])
    if isinstance(kind, ArrayType):
        return ArrayType(plain_type(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(plain_type(kind.keyType), plain_type(kind.valueType), kind.valueContainsNull)
    return kind


def _is_readable(value: object, *, is_nested: bool = False) -> bool:
    """Return whether a value of pandas is plain, so that its text shows all of it."""
    if isinstance(value, np.generic | np.ndarray) and not is_nested:
        return _is_readable(value.tolist())
    if isinstance(value, bytes) and not is_nested:
        return is_decodable(pa.array([value]))
    if isinstance(value, str) and not is_nested:
        return True
    inner = partial(_is_readable, is_nested=True)
    if type(value) is dict:
        return all(type(key) is str for key in value) and all(map(inner, value.values()))
    if type(value) in (list, tuple):
        return all(map(inner, value))  # type: ignore[call-overload]
    return type(value) in _SCALARS


def _plain_string(value: object) -> object:
    """Return a string without attributes of a subclass; every other value is unchanged."""
    return str.__str__(value) if isinstance(value, str) else value


def _types(kind: DataType) -> Iterator[DataType]:
    """Yield a type and the types within it."""
    yield kind
    if isinstance(kind, StructType):
        for each in kind:
            yield from _types(each.dataType)
    elif isinstance(kind, ArrayType):
        yield from _types(kind.elementType)
    elif isinstance(kind, MapType):
        yield from _types(kind.keyType)
        yield from _types(kind.valueType)


def _has_text(kind: DataType) -> bool:
    nested = isinstance(kind, StructType | ArrayType | MapType | NullType)
    return nested or (isinstance(kind, AtomicType) and kind.typeName() not in _UNREADABLE)


def _undecodable(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the places of columns that have a leaf which is not text. JSON has nested bytes in base64."""
    found: set[int] = set()
    for batch in incoming:
        for place, column in enumerate(batch.columns):
            leaves = leaves_of("", column)
            if place not in found and not all(
                is_decodable(leaf.values, is_nested=bool(leaf.type.path)) for leaf in leaves
            ):
                found.add(place)
    yield pa.RecordBatch.from_pydict({"place": pa.array(sorted(found), pa.int32())})
