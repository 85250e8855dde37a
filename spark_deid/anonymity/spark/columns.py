"""Columns of tables as attributes: their distinct values, and the codes of these row by row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import ArrayType

from spark_deid.anonymity.attribute import CodedAttribute, as_comparable, attribute_of, sensitive_attribute_of
from spark_deid.anonymity.column_type import NO_TYPES, ColumnTypes, kind_of_column
from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.anonymity.multivalued import flatten_column
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_partitions
from spark_deid.ontology.hierarchy import ValueHierarchy

MOST_BYTES = 2**30
"""The most that the distinct values of all columns may take on the driver."""


def column(name: str) -> Column:
    """Return a column by its name, with any characters.

    Args:
        name: The name.

    Returns:
        The column.
    """
    return F.col(quote_name(name))


def attributes_of(
    tables: Sequence[DataFrame],
    names: Sequence[str],
    hierarchies: Mapping[str, ValueHierarchy],
    types: ColumnTypes = NO_TYPES,
) -> tuple[CodedAttribute, ...]:
    """Return columns as attributes, with all values that they have in some tables; a Spark job a table.

    Values of one column that are of several types are compared as text. Raises SparkDeidError where values are too many
    for the driver, are no numbers, dates or text, or where a hierarchy lacks some.
    """
    values = distinct_values(tables, names)
    return tuple(attribute_of(name, values[name], hierarchies.get(name), kind_of_column(types, name)) for name in names)


def sensitive_attributes(
    table: DataFrame, names: Sequence[str], hierarchies: Mapping[str, ValueHierarchy], distance: SensitiveDistance
) -> tuple[CodedAttribute, ...]:
    """Return sensitive columns as attributes, coded as a distance needs them; one Spark job.

    A hierarchy counts where the distance may be hierarchical.
    """
    values = distinct_values([table], names)
    used = hierarchies if distance in (SensitiveDistance.AUTO, SensitiveDistance.HIERARCHICAL) else {}
    return tuple(sensitive_attribute_of(name, values[name], used.get(name)) for name in names)


def has_lists(table: DataFrame, name: str) -> bool:
    """Tell whether a column has lists."""
    return isinstance(table.schema[name].dataType, ArrayType)


def distinct_values(tables: Sequence[DataFrame], names: Sequence[str]) -> dict[str, pa.Array]:
    """Return the distinct values of columns, missing ones left out, over all tables; a Spark job a table."""
    found: list[list[pa.Array]] = []
    for table in tables if names else ():
        chosen = table.select(*(column(name) for name in names))
        found += run_partitions(chosen, partial(_distinct, number=len(names)))
    return {name: _joined(name, [part[at] for part in found if part]) for at, name in enumerate(names)}


def _distinct(batches: Iterator[pa.RecordBatch], *, number: int) -> list[pa.Array]:
    """Return the distinct values of each column of a partition; nothing where it has no rows."""
    known: list[pa.Array | None] = [None] * number
    for batch in batches:
        for at in range(number):
            values, _ = flatten_column(batch.column(at))
            known[at] = _together([each for each in (known[at], as_comparable(values)) if each is not None])
        _check_size(each for each in known if each is not None)
    return [each for each in known if each is not None]


def _joined(name: str, parts: Sequence[pa.Array]) -> pa.Array:
    if not parts:
        return pa.array([], pa.string())
    if len({part.type for part in parts}) > 1:
        parts = [part.cast(pa.string()) for part in parts]
    joined = _together(parts)
    _check_size([joined])
    return joined


def _together(parts: Sequence[pa.Array]) -> pa.Array:
    return pc.unique(pa.concat_arrays([part.cast(parts[0].type) for part in parts])).drop_null()


def _check_size(values: Iterable[pa.Array]) -> None:
    size = sum(each.nbytes for each in values)
    if size > MOST_BYTES:
        most = f"{MOST_BYTES >> 20} MiB"
        raise SparkDeidError(
            f"the distinct values of the columns need more than {most}. Round the values of some columns, or "
            "remove columns"
        )
