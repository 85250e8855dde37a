"""Operator: metadata that is let out as it is and holds dates, beside which dates that moved tell by how many days."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.engine import functions as F
from spark_deid.surrogates.kept_dates import CONSTANT_PERCENTAGE, count_dates
from spark_deid.surrogates.template_slots import LEAST_PEOPLE

_COUNTED = pa.schema([("name", pa.string()), ("given", pa.int64()), ("dates", pa.int64())])


def columns_of_dates(documents: DataFrame, names: Mapping[str, float]) -> tuple[str, ...]:
    """Return the metadata of which a larger share than is named has whole dates; one job where there are names."""
    if not names:
        return ()
    counted = documents.select("meta").mapInArrow(partial(count_batches, names=tuple(names)), tables.ddl(_COUNTED))
    sums = counted.groupBy("name").agg(F.sum("given").alias("given"), F.sum("dates").alias("dates")).collect()
    found = {row["name"] for row in sums if row["dates"] > names[row["name"]] * row["given"]}
    return tuple(name for name in names if name in found)


def constant_columns(documents: DataFrame, names: Collection[str]) -> tuple[str, ...]:
    """Return the metadata in which many people, and most of them, have one value; one job if there are names."""
    if not names:
        return ()
    person = F.coalesce(F.concat(F.lit("subject "), "subject_id"), F.concat(F.lit("document "), "doc_id"))
    values = documents.select(person.alias("person"), F.explode("meta").alias("name", "value"))
    rows = values.where(F.col("name").isin(*names)).distinct()
    people = rows.groupBy("name").agg(F.count_distinct("person").alias("all"))
    same = rows.groupBy("name", "value").agg(F.count("*").alias("same")).where(F.col("same") >= LEAST_PEOPLE)
    found = same.join(people, on="name").where(F.col("same") * 100 >= F.col("all") * CONSTANT_PERCENTAGE)
    disclosing = {row["name"] for row in found.select("name").distinct().collect()}
    return tuple(name for name in names if name in disclosing)


def count_batches(incoming: Iterator[pa.RecordBatch], *, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield how many values of each of these names batches of metadata have, and how many are whole dates."""
    for batch in incoming:
        given, dates = count_dates((dict(meta or ()) for meta in batch.column("meta").to_pylist()), names)
        rows = [{"name": name, "given": number, "dates": dates[name]} for name, number in given.items()]
        yield pa.RecordBatch.from_pylist(rows, schema=_COUNTED)
