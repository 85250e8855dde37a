"""People of a table by ids as they look and under keyed hashes, and how many of them classes have."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.chunks import PERSON
from spark_deid.anonymity.spark.classes import class_sizes, rows_of
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.hashing import keyed_hash
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import map_rows
from spark_deid.text.persons import PLAIN, plain_person


def hash_persons(table: DataFrame, person: str, key: bytes) -> DataFrame:
    """Replace the people of a column by hashes that depend on a key; a missing one remains missing."""
    named = _with_text(table, person)
    fields = [StructField(each.name, StringType()) if each.name == person else each for each in named.schema]
    return map_rows(named, partial(_hashed, place=named.columns.index(person), key=key), StructType(fields))


class PersonTable(NamedTuple):
    """A table in which ids of people that look the same are equal, and how many further spellings its ids had."""

    table: DataFrame
    respelled: int = 0


def equate_ids(table: DataFrame, person: str | None) -> PersonTable:
    """Make ids of people equal that look the same (``text.persons``), so that none counts as two.

    An id of which nothing is seen is missing. Ids that are not text, and an absent column, remain as they are. Runs a
    Spark job over the column, and a second one where ids are not as they look.
    """
    if person not in table.columns or not isinstance(table.schema[person].dataType, StringType):
        return PersonTable(table)
    ids = table.select(column(person).cast("string").alias(PERSON))
    found = ids.agg(F.max(~F.col(PERSON).rlike(PLAIN))).first()
    if found is None or not found[0]:
        return PersonTable(table)
    plain = _plain_ids(ids.distinct().dropna(), PERSON)
    counted = plain.agg(F.count(PERSON), F.count_distinct(PERSON)).first()
    return PersonTable(_plain_ids(table, person), 0 if counted is None else counted[0] - counted[1])


def spelling_warning(respelled: int, person: str | None) -> str:
    """Return the warnings about ids that look the same."""
    return (
        f"{person}: {respelled} spellings of ids differ from another id only in whitespace, invisible "
        "characters, accents or full-width letters. Each counts as the same person"
    )


def sizes_of(table: DataFrame, claim: PrivacyClaim) -> Counter[int]:
    """Count the classes of a table by their number of people, or rows without a person column. Runs one Spark job.

    Args:
        table: The table.
        claim: Its columns.

    Returns:
        The number of classes by size.
    """
    sizes = class_sizes(rows_of(table, claim), by_person=claim.person is not None)
    return Counter(dict(sizes.groupBy("persons").count().toArrow().to_pandas().itertuples(index=False, name=None)))


def _plain_ids(table: DataFrame, person: str) -> DataFrame:
    place = table.columns.index(person)
    fields = [StructField(each.name, StringType()) if each.name == person else each for each in table.schema]
    return map_rows(_with_text(table, person), partial(_plain, place=place), StructType(fields))


def _with_text(table: DataFrame, person: str) -> DataFrame:
    """Return a table whose people are named by text."""
    cells = {name: column(name) for name in table.columns}
    return table.select(*(cell.cast("string").alias(name) if name == person else cell for name, cell in cells.items()))


def _plain(batches: Iterator[pa.RecordBatch], *, place: int) -> Iterator[pa.RecordBatch]:
    yield from _renamed(batches, place, plain_person)


def _renamed(
    batches: Iterator[pa.RecordBatch], place: int, name: Callable[[str], str | None]
) -> Iterator[pa.RecordBatch]:
    """Yield batches with other names in a column, of each distinct one once; an empty one is missing."""
    for batch in batches:
        names = batch.column(place).dictionary_encode()
        written = [name(each) or None for each in names.dictionary.to_pylist()]
        columns = list(batch.columns)
        columns[place] = pc.take(pa.array(written, pa.string()), names.indices)
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _hashed(batches: Iterator[pa.RecordBatch], *, place: int, key: bytes) -> Iterator[pa.RecordBatch]:
    yield from _renamed(batches, place, partial(keyed_hash, key, PERSON))
