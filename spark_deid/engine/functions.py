"""Functions of columns, and windows, of the engine whose session is in use.

Import this module as operators import ``pyspark.sql.functions``: ``from spark_deid.engine import functions as F``.
PySpark chooses by a setting of the process instead, which two sessions of one process can't both have.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spark_deid.engine.engines import parse_type, uses_connect

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql import Window as Window
    from pyspark.sql.functions import *  # noqa: F403
    from pyspark.sql.types import DataType
else:

    def __getattr__(name: str) -> Any:
        """Return the function of this name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module(_module("functions")), name)

    class _Windows:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(_module("window")).Window, name)

    Window = _Windows()


def pandas_udf(function: Callable[..., Any], kind: "DataType | str") -> "Callable[..., Column]":
    """Return a function of columns from a function of series, for the engine in use."""
    from pyspark.util import PythonEvalType

    created: Any = import_module("pyspark.sql.connect.udf" if uses_connect() else "pyspark.sql.udf")
    returned = parse_type(kind) if isinstance(kind, str) and uses_connect() else kind
    result: Callable[..., Column] = created._create_udf(function, returned, PythonEvalType.SQL_SCALAR_PANDAS_UDF)
    return result


def _module(name: str) -> str:
    return f"pyspark.sql.connect.{name}" if uses_connect() else f"pyspark.sql.{name}"
