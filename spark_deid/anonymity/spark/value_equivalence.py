"""Sensitive values that look alike, counted as one by the recount; algorithms have a way of their own."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.engine import functions as F

_NUMBER = re.compile(r"(?P<sign>-?)(?P<whole>0|[1-9][0-9]*)(?:\.(?P<part>[0-9]+))?(?:e(?P<power>[+-]?[0-9]{1,2}))?")
_MISSING = frozenset({"", "na"})
_MOST_DIGITS = 38


def with_values_alike(rows: DataFrame, claim: PrivacyClaim) -> DataFrame:
    """Give sensitive texts (columns ``sensitive_0`` and so on) one look; those of hierarchies stay as these have them.

    Columns of text get the type of their values if all of these are plain numbers or ISO dates. Runs a job for each
    column of text.
    """
    for at, name in enumerate(claim.sensitive):
        column = f"sensitive_{at}"
        if name not in claim.hierarchies and isinstance(rows.schema[column].dataType, StringType):
            rows = _with_look(rows, column)
    return rows


def equivalent_value(text: str) -> str:
    """Return how a value looks to who does not mind how it is written.

    >>> equivalent_value("Flu "), equivalent_value("HEART\\tATTACK"), equivalent_value("1.10")
    ('flu', 'heart attack', '1.1')
    """
    shown = (letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    look = " ".join("".join(shown).casefold().split())
    number = _NUMBER.fullmatch(look)
    return look if number is None else _number_text(number)


def _number_text(number: re.Match[str]) -> str:
    """Write a number without a power and without zeros at its ends."""
    power = int(number["power"] or 0)
    whole, part = number["whole"], number["part"] or ""
    digits, point = whole + part, len(whole) + power
    digits, point = "0" * max(-point, 0) + digits + "0" * max(point - len(digits), 0), max(point, 0)
    shown = digits[:point].lstrip("0") or "0"
    after = digits[point:].rstrip("0")
    text = f"{shown}.{after}" if after else shown
    return text if text == "0" else number["sign"] + text


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
    shapes = texts.mapInArrow(partial(_looks, column=column), f"{column} string, look string, {_SHAPE}")
    found = shapes.agg(
        F.count(column),
        F.count_distinct("look"),
        *(F.min(name) for name in ("is_number", "is_date")),
        *(F.max(name) for name in ("whole", "part")),
        F.count_if(F.col("is_number").isNull()),
    ).first()
    assert found is not None
    values, looks, is_number, is_date, whole, part, missing = found
    kind = None
    if is_number and whole + part <= _MOST_DIGITS:
        kind = f"decimal({whole + part},{part})"
    elif is_number or (is_date and not missing):
        kind = "double" if is_number else "date"
    if values == looks and kind is None:
        return rows
    replaced = partial(_replaced, column=column, are_numbers=bool(is_number))
    looked = rows.mapInArrow(replaced, rows.schema)
    return looked if kind is None else looked.withColumn(column, F.col(column).cast(kind))


_SHAPE = "is_number boolean, is_date boolean, whole int, part int"


def _looks(batches: Iterator[pa.RecordBatch], *, column: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        texts = batch.column(0).to_pylist()
        looks = [equivalent_value(text) for text in texts]
        numbers = [None if look in _MISSING else _NUMBER.fullmatch(look) is not None for look in looks]
        sides = [
            look.lstrip("-").partition(".") if is_number else ("", "", "")
            for look, is_number in zip(looks, numbers, strict=True)
        ]
        yield pa.RecordBatch.from_pydict(
            {
                column: texts,
                "look": looks,
                "is_number": pa.array(numbers, pa.bool_()),
                "is_date": pa.array([_is_date(text) for text in texts], pa.bool_()),
                "whole": pa.array([len(side[0]) for side in sides], pa.int32()),
                "part": pa.array([len(side[2]) for side in sides], pa.int32()),
            }
        )


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _replaced(batches: Iterator[pa.RecordBatch], *, column: str, are_numbers: bool) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        cells = batch.column(column).dictionary_encode()
        looks = [None if text is None else equivalent_value(text) for text in cells.dictionary.to_pylist()]
        if are_numbers:
            looks = [None if look in _MISSING else look for look in looks]
        texts = pa.array(looks, pa.string()).take(cells.indices)
        place = batch.schema.get_field_index(column)
        yield batch.set_column(place, column, texts)
