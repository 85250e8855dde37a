from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core import tables
from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.rewriting.spark.identifiers import key_ids
from spark_deid.rewriting.spark.operators import (
    edits_of_decisions,
    published_of_decisions,
    rewrite,
    sanitize,
    spans_of_decisions,
)
from spark_deid.rewriting.suppress import suppress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPANS_DDL = "array<struct<start:int,end:int,label:string,score:double,source:string,annotation_id:string>>"
DOCUMENTS = [
    ("a", "p1", "Ann Lee 😀 wrote to bo@x.org.", {"ward": "3"}),
    ("b", None, "Nothing here.", {}),
    ("c", None, "Cy", {}),
]
SPANS = [
    ("a", 0, 3, "NAME", 0.9, "round-1", None),
    ("a", 4, 7, "NAME", None, "round-2", None),
    ("a", 19, 27, "EMAIL", None, "pattern:email", None),
    ("c", 0, 2, "NAME", None, "gold", None),
]


ANNOTATED = f"{tables.ddl(tables.DOCUMENTS)}, spans {SPANS_DDL}"


def annotated(spark: SparkSession) -> DataFrame:
    """The documents with what was given and what others found before: all spans but those of patterns."""
    given = {doc_id: [s[1:] for s in SPANS if s[0] == doc_id and s[5] != "pattern:email"] for doc_id in "abc"}
    return spark.createDataFrame([(*row, given[row[0]]) for row in DOCUMENTS], ANNOTATED)


def addresses(text: str, *, label: str) -> list[Span]:
    return [Span(text.index("bo@"), len(text) - 1, label, source="pattern:email")] if "@" in text else []


FINDERS = (partial(addresses, label="EMAIL"),)


def test_spans_of_the_named_sources_become_edits_and_the_rest_is_counted(spark: SparkSession) -> None:
    decisions = sanitize(annotated(spark), FINDERS, sources=["model", "patterns"])
    rows = {row["doc_id"]: row for row in decisions.collect()}
    assert [tuple(e) for e in rows["a"]["edits"]] == [(0, 7, "suppress", "[NAME]"), (19, 27, "suppress", "[EMAIL]")]
    assert (rows["a"]["words"], rows["a"]["published_words"]) == (7, 2)
    assert rows["b"]["edits"] == []
    assert rows["c"]["gold_unedited"] == 1
    assert sorted(map(tuple, spans_of_decisions(decisions).collect())) == SPANS


def test_texts_are_rewritten_and_other_columns_pass(spark: SparkSession) -> None:
    decisions = sanitize(annotated(spark), FINDERS, sources=["model", "patterns", "gold"])
    published = {row["doc_id"]: row for row in published_of_decisions(decisions).collect()}
    assert published["a"]["text"] == "[NAME] 😀 wrote to [EMAIL]."
    assert published["a"]["meta"] == {"ward": "3"}
    assert published["a"]["subject_id"] == "p1"
    assert published["b"]["text"] == "Nothing here."
    assert published["c"]["text"] == "[NAME]"


def test_the_edits_table_rewrites_to_the_same(spark: SparkSession) -> None:
    decisions = sanitize(annotated(spark), FINDERS, sources=["model", "patterns"])
    documents = spark.createDataFrame(DOCUMENTS, tables.ddl(tables.DOCUMENTS))
    rewritten = rewrite(documents, edits_of_decisions(decisions))
    assert sorted(rewritten.collect()) == sorted(published_of_decisions(decisions).collect())


def test_the_result_does_not_depend_on_partitions(spark: SparkSession) -> None:
    results = []
    for n in (1, 7):
        decisions = sanitize(annotated(spark).repartition(n), FINDERS, sources=["model", "patterns"])
        results.append(sorted(decisions.select("doc_id", "published").collect()))
    assert results[0] == results[1]
    text = DOCUMENTS[0][2]
    assert results[0][0]["published"] == apply_edits(text, suppress(text, [Span(0, 7, "NAME"), Span(19, 27, "EMAIL")]))


def test_keyed_ids_repeat_under_one_key_only(spark: SparkSession) -> None:
    documents = spark.createDataFrame(DOCUMENTS, tables.ddl(tables.DOCUMENTS))
    one, same, other = (
        [(row["doc_id"], row["subject_id"]) for row in key_ids(documents, key=key).orderBy("text").collect()]
        for key in (b"k" * 32, b"k" * 32, b"o" * 32)
    )
    assert one == same
    assert not {row[0] for row in one} & {row[0] for row in other}
    assert sum(row[1] is None for row in one) == 2


def test_keyed_ids_do_not_keep_the_order_of_the_originals(spark: SparkSession) -> None:
    documents = spark.createDataFrame(
        [(f"{number:03}", str(number)) for number in range(100)], "doc_id string, text string"
    )
    keyed = key_ids(documents.coalesce(1), key=b"k" * 32)
    for partition in keyed.rdd.glom().collect():
        ids, originals = [row["doc_id"] for row in partition], [int(row["text"]) for row in partition]
        assert ids == sorted(ids)
        assert originals != sorted(originals)
    assert sorted(keyed.collect()) == sorted(key_ids(documents.repartition(7), key=b"k" * 32).collect())
