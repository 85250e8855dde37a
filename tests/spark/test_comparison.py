from functools import partial

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.edit import MASK, LabelledEdit, apply_edits
from spark_deid.repeats.spark.compared_texts import (
    COMPARED,
    EditColumns,
    compare_decisions,
    compare_with_itself,
    pair_documents,
)
from spark_deid.rewriting.mask import KIND, mask
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.rewriting.spark.operators import published_of_decisions
from tests.spark.decided import Row, annotated_of, decisions_of, edits_of

TEXT = "Ann saw 日本 and Quux."
EDITS = {
    "a": [LabelledEdit(0, 3, "suppress", "[NAME]", "NAME"), LabelledEdit(8, 10, "mask", "★", "RARE")],
    "b": [LabelledEdit(0, 3, "mask", "★★★", "RARE"), LabelledEdit(15, 19, "other", "★x", "NAME")],
    "c": [],
}


def rows_of(compared: DataFrame) -> list[list[object]]:
    assert tuple(compared.columns) == COMPARED
    lists = EditColumns._fields
    rows = ([row[name] or [] if name in lists else row[name] for name in COMPARED] for row in compared.collect())
    return sorted(([*row[:4], sorted(zip(*row[4:], strict=True))] for row in rows), key=lambda row: str(row[0]))


def test_rows_state_what_tables_state(spark: SparkSession) -> None:
    rows: list[Row] = [
        (i, "p", TEXT, {}, [], [tuple(edit) for edit in found], [], apply_edits(TEXT, found), 0, 0, 0)
        for i, found in EDITS.items()
    ]
    decisions = spark.createDataFrame(rows, tables.ddl(tables.DECISIONS))
    joined = pair_documents(decisions, published_of_decisions(decisions), edits_of(decisions))
    assert rows_of(compare_decisions(decisions)) == rows_of(joined)
    assert [row[4] for row in rows_of(joined)] == [
        [(0, 3, 6, False), (8, 10, 1, True)],
        [(0, 3, 3, True), (15, 19, 2, False)],
        [],
    ]


def test_hidden_runs_are_edits(spark: SparkSession) -> None:
    rare = [(start, end, "RARE", None, "repeats", None) for start, end in ((0, 3), (8, 10))]
    annotated = annotated_of(spark, [("a", "p", TEXT, {}, rare), ("b", None, TEXT, {}, [])])

    def compared(per: str) -> list[list[object]]:
        rules = PreparedRules({"RARE": PreparedRule(MASK, partial(mask, per=per), KIND.placeholder)})
        return rows_of(compare_decisions(decisions_of(annotated, rules, ["repeats"])))

    assert compared("run") == [
        ["a", "p", TEXT, "★ saw ★ and Quux.", [(0, 3, 1, True), (8, 10, 1, True)]],
        ["b", None, TEXT, TEXT, []],
    ]
    assert compared("character")[0][3:] == ["★★★ saw ★★ and Quux.", [(0, 3, 3, True), (8, 10, 2, True)]]


def test_a_text_by_itself_has_no_edits(spark: SparkSession) -> None:
    texts = spark.createDataFrame([("a", TEXT)], "doc_id string, text string")
    assert rows_of(compare_with_itself(texts)) == [["a", None, TEXT, TEXT, []]]
