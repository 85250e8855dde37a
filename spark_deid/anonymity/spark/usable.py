"""Tables as others have them: which columns can be recoded, and what is said of those that can't."""

from collections import Counter
from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql.types import ArrayType, BinaryType, MapType, NullType, StructType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.errors import UsageError

_WITHOUT_ORDER = (ArrayType, MapType, StructType, BinaryType)


def check_names(names: Iterable[str]) -> None:
    """Raise UsageError for columns that Spark can't tell apart: names that are equal but for their case."""
    told = tuple(names)
    counted = Counter(name.casefold() for name in told)
    alike = [name for name in told if counted[name.casefold()] > 1]
    if alike:
        raise UsageError(f"{', '.join(alike)}: expected columns whose names differ in more than case; rename some")


def make_usable(table: DataFrame, claim: PrivacyClaim) -> DataFrame:
    """Return a table whose columns without any value are text; raises UsageError for columns that have no order."""
    check_names(table.columns)
    kinds = {field.name: field.dataType for field in table.schema}
    wrong = [
        f"{name}: expected numbers, dates or text, its type is {kinds[name].simpleString()}"
        for name in claim.columns
        if name in kinds and isinstance(kinds[name], _WITHOUT_ORDER)
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    empty = [name for name, kind in kinds.items() if isinstance(kind, NullType)]
    if not empty:
        return table
    return table.select(
        *(column(name).cast("string").alias(name) if name in empty else column(name) for name in table.columns)
    )
