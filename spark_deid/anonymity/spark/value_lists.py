"""Tables whose sensitive columns hold lists: a row a person, with all values that the person has."""

from dataclasses import replace
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.columns import column

_AT = "at"


class UnfoldedTable(NamedTuple):
    """A table with one sensitive value of each attribute a row, and its claim, which names a column of persons."""

    table: DataFrame
    claim: PrivacyClaim


def unfold_lists(table: DataFrame, claim: PrivacyClaim) -> UnfoldedTable:
    """Give each value of a list a row of its own; where nobody names persons, a row of the table is one.

    Tables without lists in sensitive columns stay as they are. Lists beside each other need not be of one length:
    the last value of a shorter one, and the missing value of an empty one, are repeated, which says nothing new of
    the person.
    """
    kinds = {field.name: field.dataType for field in table.schema}
    lists = [name for name in claim.sensitive if isinstance(kinds.get(name), ArrayType)]
    if not lists:
        return UnfoldedTable(table, claim)
    person = claim.person
    if person is None:
        person = _unused_name(table.columns)
        table = table.withColumn(person, F.monotonically_increasing_id())
    longest = F.greatest(F.lit(1), *map(_length, lists))
    at = _unused_name(table.columns)
    numbered = table.select("*", F.explode(F.sequence(F.lit(1), longest)).alias(at))
    cells = [_value(name, at).alias(name) if name in lists else column(name) for name in table.columns]
    return UnfoldedTable(numbered.select(*cells), replace(claim, person=person))


def _length(name: str) -> Column:
    return F.greatest(F.size(F.coalesce(column(name), F.array())), F.lit(1))


def _value(name: str, at: str) -> Column:
    return F.try_element_at(column(name), F.least(column(at), _length(name)))


def _unused_name(names: list[str]) -> str:
    taken = {name.casefold() for name in names}
    return next(name for number in range(len(taken) + 1) if (name := f"{_AT}_{number}") not in taken)
