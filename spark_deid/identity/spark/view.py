"""Operators: the identifier view, a row a person and attribute, from mentions and a table of the same persons."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import DecimalType, DoubleType, FloatType

from spark_deid.anonymity.spark.columns import column
from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.column_names import columns_text
from spark_deid.core.errors import CorpusError
from spark_deid.engine import functions as F
from spark_deid.identity.settings import IdentitySettings, RolesSettings, TableSettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.storage.spark.records import read_records
from spark_deid.text.persons import plain_person
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale

VALUES = ("person", "attribute", "value")


def view_of(
    mentions: DataFrame, structured: DataFrame | None, identity: IdentitySettings, staying: Collection[str] = ()
) -> DataFrame:
    """Return what is known of persons (columns of VALUES): one value of an attribute, all values of a sensitive one.

    Of several values the table's wins, then a whole date, then the one that most documents tell, then the one with most
    mentions, then the least. Of sensitive attributes that are ``staying`` in the texts values of the table are not
    counted, since nothing shows them.
    """
    result = mentions.where(F.col("value").isNotNull()).groupBy(*VALUES)
    counted = result.agg(F.count_distinct("doc_id").alias("documents"), F.count(F.lit(1)).alias("mentions"))
    counted = counted.withColumn("given", F.lit(0))
    if structured is not None:
        known = structured.where(~F.col("attribute").isin(*staying)) if staying else structured
        counted = counted.unionByName(
            known.withColumns({name: F.lit(1) for name in ("documents", "mentions", "given")})
        )
    is_sensitive = F.col("attribute").isin(*identity.roles.sensitive)
    single = counted.where(~is_sensitive).groupBy(PERSON, "attribute").agg(F.min(_order(identity)).alias("first"))
    several = counted.where(is_sensitive).select(*VALUES).distinct()
    return single.select(PERSON, "attribute", F.col("first.value").alias("value")).unionByName(several)


def _order(identity: IdentitySettings) -> Column:
    dates = [name for name in {*identity.attributes.values()} if identity.kind(name) == "date"]
    partial = F.col("attribute").isin(*dates) & (F.length("value") != len("2001-06-22"))
    partial = F.coalesce(partial | F.col("value").startswith("-"), F.lit(False))
    return F.struct(
        (-F.col("given")).alias("given"),
        partial.alias("partial"),
        (-F.col("documents")).alias("documents"),
        (-F.col("mentions")).alias("mentions"),
        "value",
    )


def known_of_table(spark: SparkSession, identity: IdentitySettings, persons: DataFrame) -> DataFrame | None:
    """Return the values of the plan's table for persons that have documents (columns of VALUES); None without a table.

    Raises CorpusError where the table can't be read or lacks its columns.
    """
    table: TableSettings | None = identity.table
    if table is None:
        return None
    if identity.link == "document":
        raise CorpusError("identity.table: its key is a subject: it needs link: subject or splink")
    return structured_values(spark, table, identity).join(persons.select(PERSON), on=PERSON, how="left_semi")


# Operator: the identifier view as a table that is released beside the texts: in the same classes, a row a person.


def view_table(view: DataFrame, roles: RolesSettings) -> DataFrame:
    """Return what persons show of quasi-identifiers, and lists of their sensitive values (columns of the attributes).

    ``view`` has columns of IDENTIFIERS. Nothing names a person: rows are in the order of what they say.
    """
    shown = [F.max(_of(name, "generalized")).alias(name) for name in roles.quasi]
    held = [F.sort_array(F.collect_set(_of(name, "value"))).alias(name) for name in roles.sensitive]
    names = (*roles.quasi, *roles.sensitive)
    return view.groupBy("subject_id").agg(*shown, *held).select(*map(column, names)).orderBy(*map(column, names))


def _of(attribute: str, part: str) -> Column:
    return F.when(F.col("attribute") == attribute, F.col(part))


# Operator: values of persons from a table that the user has.


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
