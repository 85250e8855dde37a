"""Kernels over pandas Series as pandas UDFs: a function with its first arguments given, which ships small."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pandas as pd
from pyspark.sql import Column
from pyspark.sql.pandas.functions import pandas_udf

Over = Callable[[Column], Column]


def over_series(kernel: "partial[Any]", returned: type[Any], schema: str) -> Over:
    """Return a function of columns for a kernel that lacks one Series and returns a Series or a DataFrame.

    Spark tells the kind of a pandas UDF by its hints, which a partial function does not have of itself.
    """
    name = list(kernel.func.__annotations__)[len(kernel.args)]
    vars(kernel).update(__annotations__={name: pd.Series, "return": returned})
    return cast(Over, pandas_udf(kernel, schema))  # type: ignore[call-overload]
