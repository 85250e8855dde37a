from __future__ import annotations

from typing import TYPE_CHECKING

from spark_deid.core import tables
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.repeats.settings import Mask
from spark_deid.repeats.spark.comparison import (
    COMPARED,
    compare,
    compare_decisions,
    compare_hidden,
    compare_with_itself,
)
from spark_deid.repeats.spark.search import HIDDEN
from spark_deid.rewriting.spark.operators import DECISIONS, edits_of_decisions, published_of_decisions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TEXT = "Ann saw 日本 and Quux."
EDITS = {
    "a": [Edit(0, 3, "suppress", "[NAME]"), Edit(8, 10, "suppress", "★")],
    "b": [Edit(0, 3, "suppress", "★★★"), Edit(15, 19, "suppress", "★x")],
    "c": [],
}


def rows_of(compared: DataFrame) -> list[list[list[tuple[int, int, int, bool]] | str | None]]:
    assert tuple(compared.columns) == COMPARED
    rows = ([row[name] or [] if name in COMPARED[4:] else row[name] for name in COMPARED] for row in compared.collect())
    return sorted(([*row[:4], sorted(zip(*row[4:], strict=True))] for row in rows), key=lambda row: row[0])


def test_rows_say_what_tables_say(spark: SparkSession) -> None:
    rows: list[tuple[object, ...]] = [
        (i, "p", TEXT, {}, [], found, apply_edits(TEXT, found), 0, 0, 0) for i, found in EDITS.items()
    ]
    decisions = spark.createDataFrame(rows, tables.ddl(DECISIONS))
    joined = compare(decisions, published_of_decisions(decisions), edits_of_decisions(decisions))
    assert rows_of(compare_decisions(decisions)) == rows_of(joined)
    assert [row[4] for row in rows_of(joined)] == [
        [(0, 3, 6, False), (8, 10, 1, True)],
        [(0, 3, 3, True), (15, 19, 2, False)],
        [],
    ]


def test_hidden_runs_are_edits(spark: SparkSession) -> None:
    rows: list[tuple[object, ...]] = [("a", "p", TEXT, [0, 8], [3, 10], "published"), ("b", None, TEXT, [], [], TEXT)]
    hidden = spark.createDataFrame(rows, tables.ddl(HIDDEN))
    assert rows_of(compare_hidden(hidden, mask=Mask.RUN)) == [
        ["a", "p", TEXT, "published", [(0, 3, 1, True), (8, 10, 1, True)]],
        ["b", None, TEXT, TEXT, []],
    ]
    by_character = rows_of(compare_hidden(hidden, mask=Mask.CHARACTER))
    assert by_character[0][4] == [(0, 3, 3, True), (8, 10, 2, True)]


def test_a_text_by_itself_has_no_edits(spark: SparkSession) -> None:
    texts = spark.createDataFrame([("a", TEXT)], "doc_id string, text string")
    assert rows_of(compare_with_itself(texts)) == [["a", None, TEXT, TEXT, []]]
