"""Schemas of DataFrames as Arrow schemas, in UTC under every version of Spark."""

from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, StructField, StructType

_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
"""Since Spark 4.2 the caller names the time zone of an Arrow schema. Before, it is always UTC."""


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return a schema as workers get its rows."""
    return to_arrow_schema(schema, **_UTC)


def arrow_type(kind: DataType) -> pa.DataType:
    """Return a type as workers get its cells."""
    return arrow_schema(StructType([StructField("cells", kind)])).field(0).type
