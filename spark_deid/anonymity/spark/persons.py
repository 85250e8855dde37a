"""Persons of a table under keyed hashes, and how many of them classes have."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from spark_deid.anonymity.claim import Claim
from spark_deid.anonymity.spark.chunks import PERSON
from spark_deid.anonymity.spark.classes import class_sizes, rows_of
from spark_deid.core.hashing import keyed_hash


def hash_persons(table: DataFrame, column: str, key: bytes) -> DataFrame:
    """Replace the persons of a column by hashes that depend on a key; a missing one stays missing."""
    quoted = {name: F.col(f"`{name.replace('`', '``')}`") for name in table.columns}
    named = table.select(
        *(quoted[name].cast("string").alias(name) if name == column else quoted[name] for name in quoted)
    )
    fields = [StructField(each.name, StringType()) if each.name == column else each for each in named.schema]
    return named.mapInArrow(partial(_hashed, place=named.columns.index(column), key=key), StructType(fields))


def sizes_of(table: DataFrame, claim: Claim) -> Counter[int]:
    """Count the classes of a table by their persons (rows, where nobody says whose they are); one Spark job."""
    sizes = class_sizes(rows_of(table, claim), by_person=claim.person is not None)
    return Counter(dict(sizes.groupBy("persons").count().toArrow().to_pandas().itertuples(index=False, name=None)))


def _hashed(batches: Iterator[pa.RecordBatch], *, place: int, key: bytes) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names = batch.column(place).dictionary_encode()
        hashes = pa.array([keyed_hash(key, PERSON, name) for name in names.dictionary.to_pylist()], pa.string())
        columns = list(batch.columns)
        columns[place] = pc.take(hashes, names.indices)
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
