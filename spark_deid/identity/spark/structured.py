"""Operator: values of persons from a table that the user has."""

from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType, DoubleType, FloatType

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.column_names import columns_text
from spark_deid.core.errors import CorpusError
from spark_deid.identity.settings import IdentitySettings, TableSettings
from spark_deid.storage.spark.records import read_records
from spark_deid.text.persons import plain_person
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale

_VALUES = pa.schema([("person", pa.string()), ("attribute", pa.string()), ("value", pa.string())])


def structured_values(spark: SparkSession, table: TableSettings, identity: IdentitySettings) -> DataFrame:
    """Return the values of a table's attributes (columns person, attribute, value), read as those of mentions are.

    Attributes without a column are passed over. Raises CorpusError where the table can't be read, or lacks its key or a
    column that the plan names.
    """
    frame = read_records(spark, table.path, columns=(table.key, *table.columns.values()))
    absent = sorted({table.key, *table.columns.values()} - {*frame.columns})
    if absent:
        raise CorpusError(f"{table.path}: expected the columns {', '.join(absent)}; {columns_text(frame.columns)}")
    attributes = {name: table.columns.get(name, name) for name in dict.fromkeys(identity.attributes.values())}
    there = {name: column for name, column in attributes.items() if column in frame.columns}
    rows = frame.select(
        person_of(frame, table.key).alias("person"), *(F.col(c).cast("string").alias(a) for a, c in there.items())
    )
    read = partial(_value_batches, kinds={name: identity.kind(name) for name in there}, locale=identity.place)
    return rows.where(F.col("person").isNotNull()).mapInArrow(read, tables.ddl(_VALUES))


def person_of(frame: DataFrame, key: str) -> Column:
    """Return ids of persons as documents have them: whole numbers in digits, whatever type the column has."""
    column = F.col(key)
    if not isinstance(frame.schema[key].dataType, DoubleType | FloatType | DecimalType):
        return column.cast("string")
    whole = F.when(column == F.floor(column), F.floor(column).cast("string")).otherwise(column.cast("string"))
    return F.when(~F.isnan(column.cast("double")), whole)


def _value_batches(
    incoming: Iterator[pa.RecordBatch], *, kinds: Mapping[str, str], locale: ValueLocale
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        people = list(map(plain_person, batch.column("person").to_pylist()))
        for name, kind in kinds.items():
            surfaces = batch.column(name).to_pylist()
            read = (
                (p, name, read_value(kind, s, locale)) for p, s in zip(people, surfaces, strict=True) if s is not None
            )
            yield from gather_batches((row for row in read if row[2] is not None), _VALUES)
