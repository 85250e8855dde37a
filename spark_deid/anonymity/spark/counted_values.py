"""Sensitive columns as algorithms count them: spellings of a value as one, and of each person one value for l."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import PLAIN_NUMBER
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spelling import MISSING_WORDS, one_spelling, without_missing_words
from spark_deid.core.errors import GateRefused
from spark_deid.engine.tasks import map_rows

_SPELLED, _OF_NUMBERS, _ONE_EACH = " in one spelling", " as numbers", " of which each person has one"
_VALUE = "value"


class CountedTable(NamedTuple):
    """A table with further columns, ``added``, and the claim that counts these in place of sensitive ones."""

    table: DataFrame
    claim: PrivacyClaim
    added: tuple[str, ...] = ()


def counted_by_person(table: DataFrame, claim: PrivacyClaim) -> CountedTable:
    """Add what algorithms count of sensitive columns, where that is not the columns as they are.

    Where l persons are to be given l values, one each, and some hold several, a column says of each person one of
    them: a class with l of these has such persons. Runs a job for each column of text, and one for persons. Raises
    GateRefused where a model does not count persons of several values and there are some.
    """
    if ModelNeeds.SENSITIVE not in claim.models.needs:
        return CountedTable(table, claim)
    counted = [_in_one_spelling(table, name, claim) for name in claim.sensitive]
    for name, own in zip(claim.sensitive, counted, strict=True):
        if own != name:
            table = _with_spelling(table, name, own, are_numbers=own.endswith(_OF_NUMBERS))
    added = tuple(own for own in counted if own not in claim.sensitive)
    several = _several(table, claim, counted)
    _check_single(claim, several)
    matched = any(demand.kind.matches_persons for demand in claim.models.demands)
    once = [own for own, people in zip(counted, several, strict=True) if people and matched]
    if once:
        table = table.withColumns({f"{name}{_ONE_EACH}": _one_each(claim.person or "", name) for name in once})
    ones = tuple(f"{name}{_ONE_EACH}" for name in once)
    return CountedTable(table, _counting(claim, (*counted, *ones)), (*added, *ones))


def _counting(claim: PrivacyClaim, sensitive: Sequence[str]) -> PrivacyClaim:
    return claim if tuple(sensitive) == claim.sensitive else replace(claim, sensitive=tuple(sensitive))


def _in_one_spelling(table: DataFrame, name: str, claim: PrivacyClaim) -> str:
    """Return the column that counts in place of a sensitive one: itself, unless a value has several spellings."""
    if name in claim.hierarchies or not isinstance(table.schema[name].dataType, StringType):
        return name
    distinct = table.select(column(name).alias(_VALUE)).distinct().dropna()
    spelled = _with_spelling(distinct, _VALUE, "spelled")
    is_missing = F.col("spelled").isin(*MISSING_WORDS)
    is_number = F.col("spelled").rlike(PLAIN_NUMBER)
    values, spellings, missing, numbers = spelled.agg(
        F.count(_VALUE), F.count_distinct("spelled"), F.count_if(is_missing), F.count_if(is_number)
    ).collect()[0]
    if missing and numbers and missing + numbers == values:
        return f"{name}{_OF_NUMBERS}"
    return name if values == spellings else f"{name}{_SPELLED}"


def _with_spelling(table: DataFrame, name: str, own: str, *, are_numbers: bool = False) -> DataFrame:
    schema = StructType([*table.schema, StructField(own, StringType())])
    return map_rows(table, partial(_spelled, place=table.columns.index(name), are_numbers=are_numbers), schema)


def _spelled(batches: Iterator[pa.RecordBatch], *, place: int, are_numbers: bool) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        cells = batch.column(place).dictionary_encode()
        values = one_spelling(cells.dictionary)
        own = (without_missing_words(values) if are_numbers else values).take(cells.indices)
        yield pa.RecordBatch.from_arrays([*batch.columns, own], names=[*batch.schema.names, f"of {place}"])


def _several(table: DataFrame, claim: PrivacyClaim, counted: Sequence[str]) -> list[int]:
    """Count, by sensitive column, the persons that hold several values, where a model asks for it."""
    asks = any(demand.kind.matches_persons or demand.kind.single_valued for demand in claim.models.demands)
    if claim.person is None or not asks:
        return [0] * len(counted)
    held = [F.count_distinct(F.struct(column(name))).alias(f"n{at}") for at, name in enumerate(counted)]
    people = table.groupBy(column(claim.person)).agg(*held)
    found = people.agg(*(F.sum((F.col(f"n{at}") > 1).cast("int")) for at in range(len(counted)))).first()
    return [0 if found is None or number is None else int(number) for number in found or [None] * len(counted)]


def _check_single(claim: PrivacyClaim, several: Sequence[int]) -> None:
    names = [demand.name for demand in claim.models.demands if demand.kind.single_valued]
    for name, people in zip(claim.sensitive, several, strict=True):
        if names and people:
            raise GateRefused(
                f"{names[0]}: {people} people have several values of {name}. Use --model frequency-l, which "
                "counts people, or keep one value per person"
            )


def _one_each(person: str, name: str) -> Column:
    """Return one of the values that a row's person holds: the least by hash, so that no value is preferred."""
    each = F.struct(F.xxhash64(column(name)), column(name).alias(_VALUE))
    return F.min(each).over(Window.partitionBy(column(person))).getField(_VALUE)
