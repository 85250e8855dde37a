"""Spans to edits, edits to text, and what becomes of spans that a technique does not replace."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.kinds import Technique
from spark_deid.core.span import Finder, Span
from spark_deid.engine.tables import read_parts
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.rewriting.spark.identifiers import key_ids
from spark_deid.rewriting.spark.metadata import with_types
from spark_deid.rewriting.spark.operators import (
    EditingRules,
    decide_edits,
    published_of_decisions,
    read_annotated,
    rewrite,
    store_annotated,
    store_decided,
)
from spark_deid.rewriting.suppress import suppress
from tests.spark.decided import Row, annotated_of, counted, decisions_of, edits_of, place_in, spans_of, stored

DOCUMENTS: tuple[Row, ...] = (
    ("a", "p1", "Ann Lee 😀 wrote to bo@x.org.", {"ward": "3"}),
    ("b", None, "Nothing here.", {}),
    ("c", None, "Cy", {}),
)
SPANS: tuple[Row, ...] = (
    ("a", 0, 3, "NAME", 0.9, "model/round-1", None),
    ("a", 4, 7, "NAME", None, "model/round-2", None),
    ("a", 19, 27, "EMAIL", None, "patterns/email", None),
    ("c", 0, 2, "NAME", None, "gold", None),
)
RULES = PreparedRules({})
EDITED = ("model", "patterns")


def annotated(spark: SparkSession) -> DataFrame:
    """The documents with what was given and what others found before: all spans but those of patterns."""
    given = {doc_id: [s[1:] for s in SPANS if s[0] == doc_id and s[5] != "patterns/email"] for doc_id in "abc"}
    return annotated_of(spark, [(*row, given[str(row[0])]) for row in DOCUMENTS])


def addresses(text: str, *, label: str) -> list[Span]:
    return [Span(text.index("bo@"), len(text) - 1, label, source="patterns/email")] if "@" in text else []


FINDERS: tuple[Finder, ...] = (partial(addresses, label="EMAIL"),)


def echo(document: Document, spans: Sequence[Span]) -> list[Edit]:
    """Put back what was there."""
    return [Edit(span.start, span.end, "echo", document.text[span.start : span.end]) for span in spans]


def fail(document: Document, spans: Sequence[Span]) -> Iterable[Edit]:
    """Raise an error that quotes the document."""
    raise ValueError(document.text)


def overlap(document: Document, spans: Sequence[Span]) -> list[Edit]:
    """Replace everything from the first span to the last, and each span too."""
    whole = Edit(spans[0].start, spans[-1].end, "overlap", "x")
    return [whole, *(Edit(span.start, span.end, "overlap", "y") for span in spans)]


def beyond(document: Document, spans: Sequence[Span]) -> list[Edit]:
    """Replace more than was asked for."""
    return [Edit(span.start, len(document.text) + 1, "beyond", "x") for span in spans]


def silence(document: Document, spans: Sequence[Span]) -> None:
    """Hand everything back."""


def initials(document: Document, spans: Sequence[Span]) -> list[Edit]:
    """Write the first letter of each span, but of those of two letters."""
    return [Edit(s.start, s.end, "initials", document.text[s.start]) for s in spans if s.end - s.start > 2]


def test_spans_of_the_named_detectors_become_edits_and_the_rest_is_counted(spark: SparkSession) -> None:
    decisions = decisions_of(annotated(spark), RULES, EDITED, finders=FINDERS)
    assert decisions.columns == tables.DECISIONS.names
    rows = {row["doc_id"]: row for row in decisions.collect()}
    assert [tuple(e) for e in rows["a"]["edits"]] == [
        (0, 7, "suppress", "[NAME]", "NAME"),
        (19, 27, "suppress", "[EMAIL]", "EMAIL"),
    ]
    assert (rows["a"]["words"], rows["a"]["published_words"]) == (7, 2)
    assert rows["b"]["edits"] == []
    assert rows["c"]["gold_unedited"] == 1
    assert [row["handed_back"] for row in rows.values()] == [[], [], []]
    assert sorted(map(tuple, spans_of(decisions).collect())) == list(SPANS)


def test_texts_are_rewritten_and_other_columns_pass(spark: SparkSession) -> None:
    decisions = decisions_of(annotated(spark), RULES, (*EDITED, "gold"), finders=FINDERS)
    published = {row["doc_id"]: row for row in published_of_decisions(decisions).collect()}
    assert published["a"]["text"] == "[NAME] 😀 wrote to [EMAIL]."
    assert published["a"]["meta"] == {"ward": "3"}
    assert published["a"]["subject_id"] == "p1"
    assert published["b"]["text"] == "Nothing here."
    assert published["c"]["text"] == "[NAME]"


def test_the_edits_table_rewrites_to_the_same(spark: SparkSession) -> None:
    decisions = decisions_of(annotated(spark), RULES, EDITED, finders=FINDERS)
    documents = spark.createDataFrame(list(DOCUMENTS), tables.ddl(tables.DOCUMENTS))
    edits = edits_of(decisions)
    assert edits.columns == tables.EDITS.names
    rewritten = rewrite(documents, edits)
    assert sorted(rewritten.collect()) == sorted(published_of_decisions(decisions).collect())


def test_three_steps_give_what_one_pass_gives(spark: SparkSession) -> None:
    place, editing = place_in(spark), EditingRules(RULES, frozenset(EDITED))
    read = stored(annotated(spark), place)
    assert sorted(read_annotated(spark, read).collect()) == sorted(annotated(spark).collect())
    searched, counted = store_annotated(spark, read, place("found"), DocumentFinders(FINDERS), None)
    found = searched.frame
    assert sorted(read_annotated(spark, searched.parts).collect()) == sorted(found.collect())
    assert found.columns == tables.ANNOTATED.names
    assert sum(sum(labels.values()) for labels in counted.values()) == spans_of(found).count()
    decided = store_annotated(spark, read, place("decided"), DocumentFinders(FINDERS), editing)[0].frame
    assert decided.columns == tables.DECIDED.names
    assert sorted(decide_edits(found, editing).collect()) == sorted(decided.collect())
    at_once = sorted(decisions_of(annotated(spark), RULES, EDITED, finders=FINDERS).collect())
    folders = {name: place(name) for name in ("decisions", "spans", "edits")}
    for frame in (found, decided.repartition(3)):
        written = store_decided(frame, editing, folders)
        decisions = read_parts(spark, (parts["decisions"] for parts in written), tables.DECISIONS)
        assert sorted(decisions.collect()) == at_once
        for name, rows in (("spans", spans_of(decisions)), ("edits", edits_of(decisions))):
            table = read_parts(spark, (parts[name] for parts in written), tables.TABLES[name])
            assert sorted(table.collect(), key=repr) == sorted(rows.collect(), key=repr)
    assert sorted(decided.collect()) == [row[: len(tables.DECIDED.names)] for row in at_once]


def test_the_result_does_not_depend_on_partitions(spark: SparkSession) -> None:
    results = []
    for n in (1, 7):
        decisions = decisions_of(annotated(spark).repartition(n), RULES, EDITED, finders=FINDERS)
        results.append(sorted(decisions.select("doc_id", "published").collect()))
    assert results[0] == results[1]
    text = str(DOCUMENTS[0][2])
    edits = suppress(Document("a", text), [Span(0, 7, "NAME"), Span(19, 27, "EMAIL")])
    assert results[0][0]["published"] == apply_edits(text, edits)


@pytest.mark.parametrize("partitions", [1, 7])
@pytest.mark.parametrize(
    ("technique", "reason"),
    [(echo, "unchanged"), (fail, "raised"), (overlap, "malformed"), (beyond, "malformed"), (silence, "left-out")],
)
def test_what_a_technique_does_not_replace_is_suppressed_and_counted(
    spark: SparkSession, technique: Technique, reason: str, partitions: int
) -> None:
    name = technique.__name__
    rules = PreparedRules({"NAME": PreparedRule(name, technique, placeholder=None)})
    edited = (*EDITED, "gold")
    decisions = decisions_of(annotated(spark).repartition(partitions), rules, edited, finders=FINDERS)
    rows = {row["doc_id"]: row for row in decisions.collect()}
    assert [tuple(e) for e in rows["a"]["edits"]] == [
        (0, 7, "suppress", "[NAME]", "NAME"),
        (19, 27, "suppress", "[EMAIL]", "EMAIL"),
    ]
    assert {doc_id: [tuple(each) for each in row["handed_back"]] for doc_id, row in rows.items()} == {
        "a": [(name, reason, 2)],
        "b": [],
        "c": [(name, reason, 1)],
    }
    assert rows["c"]["published"] == "[NAME]"
    counts = counted(decisions, exempt=())
    assert counts.handed_back == {name: {reason: 3}}
    assert counts.faults == CoverageFaults(documents=3)
    assert counts.edits == {"suppress": {"EMAIL": 1, "NAME": 2}}


@pytest.mark.parametrize("partitions", [1, 7])
def test_what_a_technique_replaces_is_next_to_what_it_leaves(spark: SparkSession, partitions: int) -> None:
    rules = PreparedRules({"NAME": PreparedRule("initials", initials, placeholder=None)})
    edited = (*EDITED, "gold")
    decisions = decisions_of(annotated(spark).repartition(partitions), rules, edited, finders=FINDERS)
    texts = {row["doc_id"]: row["published"] for row in decisions.collect()}
    assert texts == {"a": "A L 😀 wrote to [EMAIL].", "b": "Nothing here.", "c": "[NAME]"}
    counts = counted(decisions, exempt=())
    assert counts.handed_back == {"initials": {"left-out": 1}}
    assert counts.edits == {"initials": {"NAME": 2}, "suppress": {"EMAIL": 1, "NAME": 1}}
    assert counts.faults == CoverageFaults(documents=3)


def test_keyed_ids_repeat_under_one_key_only(spark: SparkSession) -> None:
    documents = spark.createDataFrame(list(DOCUMENTS), tables.ddl(tables.DOCUMENTS))
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


def test_columns_come_back_as_their_types(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [("a", "2024-01-01 10:00:00+00:00", "3"), ("b", None, None)], "doc_id string, seen string, n string"
    )
    typed = with_types(rows, {"seen": "timestamp", "n": "long"})
    assert [field.dataType.simpleString() for field in typed.schema] == ["string", "timestamp", "bigint"]
    found = {row["doc_id"]: (row["seen"] and row["seen"].astimezone(UTC), row["n"]) for row in typed.collect()}
    assert found == {"a": (datetime(2024, 1, 1, 10, tzinfo=UTC), 3), "b": (None, None)}
