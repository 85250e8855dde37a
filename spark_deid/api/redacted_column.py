"""A function of strings as one of columns of Spark."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from spark_deid.engine.functions import pandas_udf

ColumnFunction = Callable[..., Any]


def column_function(redact: Callable[[list[str | None]], list[str | None]]) -> ColumnFunction:
    """Return a function of columns of strings that does with their values what another does with a list of them."""

    def redact_batch(texts: pd.Series) -> pd.Series:
        return pd.Series(redact(texts.tolist()), index=texts.index, dtype=object)

    made: ColumnFunction = pandas_udf(redact_batch, "string")
    return made
