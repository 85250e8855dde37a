"""Sensitive values that look alike, counted as one by the recount; algorithms have a way of their own."""

import unicodedata
from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim


def with_values_alike(rows: DataFrame, claim: PrivacyClaim) -> DataFrame:
    """Give sensitive texts (columns ``sensitive_0`` and so on) one look; those of hierarchies stay as these have them.

    Runs a job for each column of text.
    """
    for at, name in enumerate(claim.sensitive):
        column = f"sensitive_{at}"
        if name not in claim.hierarchies and isinstance(rows.schema[column].dataType, StringType):
            rows = _with_look(rows, column)
    return rows


def equivalent_value(text: str) -> str:
    """Return how a value looks to who does not mind how it is written.

    >>> equivalent_value("Flu "), equivalent_value("HEART\\tATTACK")
    ('flu', 'heart attack')
    """
    shown = (letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return " ".join("".join(shown).casefold().split())


def with_same_looks(rows: DataFrame, one: str, other: str, name: str) -> DataFrame:
    """Tell, in a further column, whether two columns of lists of texts hold the same values by their look."""
    schema = StructType([*rows.schema, StructField(name, BooleanType())])
    return rows.mapInArrow(partial(_compared, one=one, other=other, name=name), schema)


def _compared(batches: Iterator[pa.RecordBatch], *, one: str, other: str, name: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        sides = [[_looks_in(cell) for cell in batch.column(side).to_pylist()] for side in (one, other)]
        same = pa.array([a == b for a, b in zip(*sides, strict=True)], pa.bool_())
        yield pa.RecordBatch.from_arrays([*batch.columns, same], names=[*batch.schema.names, name])


def _looks_in(texts: list[str | None] | None) -> set[str | None] | None:
    return None if texts is None else {None if text is None else equivalent_value(text) for text in texts}


def _with_look(rows: DataFrame, column: str) -> DataFrame:
    texts = rows.select(column).distinct().dropna()
    looked = texts.mapInArrow(partial(_looks, column=column), f"{column} string, look string")
    found = looked.agg(F.count(column), F.count_distinct("look")).first()
    if found is None or found[0] == found[1]:
        return rows
    return rows.mapInArrow(partial(_replaced, column=column), rows.schema)


def _looks(batches: Iterator[pa.RecordBatch], *, column: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        texts = batch.column(0).to_pylist()
        yield pa.RecordBatch.from_pydict({column: texts, "look": [equivalent_value(text) for text in texts]})


def _replaced(batches: Iterator[pa.RecordBatch], *, column: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        cells = batch.column(column).dictionary_encode()
        looks = [None if text is None else equivalent_value(text) for text in cells.dictionary.to_pylist()]
        texts = pa.array(looks, pa.string()).take(cells.indices)
        place = batch.schema.get_field_index(column)
        yield batch.set_column(place, column, texts)
