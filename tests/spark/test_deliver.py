from dataclasses import replace

import pytest
from spark_deid.plan.corpus import Corpus
from spark_deid.plan.recount import recount
from spark_deid.release.spark.content import agree, measure

from spark_deid.core import tables
from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import Faults
from spark_deid.rewriting.spark.operators import DECISIONS, edits_of_decisions, spans_of_decisions
from spark_deid.rewriting.suppress import suppress

TEXT = "Ann came."
SPANS = [
    (0, 3, "NAME", None, "gold", None),
    (0, 3, "NAME", None, "pattern:name", None),
    (4, 8, "NAME", 0.9, "round-1", None),
]


def decided(doc_id, edits, published=None):
    text = apply_edits(TEXT, edits) if published is None else published
    return (doc_id, None, TEXT, {}, SPANS, [tuple(edit) for edit in edits], text, 2, 0, 0)


def rows_of(spark, *rows):
    return spark.createDataFrame(list(rows), tables.ddl(DECISIONS))


def counted(decisions, *, sources, scored=False, **changed):
    """Recount decisions against the tables that a workspace should have, some of them changed."""
    corpus = replace(
        Corpus.empty(decisions.sparkSession),
        documents=decisions.select(*tables.DOCUMENTS.names),
        spans=spans_of_decisions(decisions),
        edits=edits_of_decisions(decisions),
    )
    corpus = replace(corpus, **changed)
    return recount(decisions, corpus, measure(corpus.documents), sources=sources, scored=scored)


NAME, VERB = (suppress(TEXT, [Span(start, end, "NAME")]) for start, end in ((0, 3), (4, 8)))


def test_only_what_is_edited_is_scored(spark):
    decisions = rows_of(spark, decided("a", NAME))

    def precision_and_recall(*sources):
        scores = counted(decisions, sources=sources, scored=True)[1]
        return scores and [scores.micro("strict")[name] for name in ("precision", "recall")]

    assert precision_and_recall("patterns") == [1, 1]
    assert precision_and_recall("model") == [0, 0]
    assert precision_and_recall("patterns", "model") == [0.5, 1]
    assert counted(decisions, sources=["patterns"])[1] is None


def test_faults_of_decisions_are_counted(spark):
    good, bare, altered = decided("a", NAME), decided("b", VERB), decided("c", NAME, "Ann came!")
    assert counted(rows_of(spark, good), sources=["patterns"])[0] == Faults(documents=1)
    assert counted(rows_of(spark, good, bare), sources=["patterns"])[0] == Faults(documents=2, uncovered=3)
    assert counted(rows_of(spark, altered), sources=["patterns"])[0] == Faults(documents=1, altered=1)


@pytest.mark.parametrize(
    ("table", "row", "faults"),
    [
        ("edits", ("a", 4, 8, "suppress", "[NAME]"), Faults(documents=1, altered=1)),
        ("spans", ("a", 4, 6, "NAME", None, "pattern:other", None), Faults(documents=1, uncovered=2)),
        ("documents", ("b", None, "Bo.", {}), Faults(documents=2, lost=1)),
    ],
)
def test_tables_that_say_more_than_decisions_are_what_counts(spark, table, row, faults):
    decisions = rows_of(spark, decided("a", NAME))
    more = spark.createDataFrame([row], tables.ddl(tables.TABLES[table]))
    frames = {
        "edits": edits_of_decisions(decisions),
        "spans": spans_of_decisions(decisions),
        "documents": decisions.select(*tables.DOCUMENTS.names),
    }
    assert counted(decisions, sources=["patterns"], **{table: frames[table].unionAll(more)})[0] == faults


def test_tables_agree_where_their_rows_are_the_same(spark):
    one = spark.createDataFrame([("a", None), ("b", "c"), ("b", "c")], "x string, y string")
    moved = spark.createDataFrame([(None, "a"), ("b", "c"), ("b", "c")], "x string, y string")
    assert agree({"t": one}, {"t": one.orderBy("x").repartition(3)})
    assert not agree({"t": one}, {"t": one.distinct()})
    assert not agree({"t": one}, {"t": moved})
    assert not agree({"t": one}, {"u": one})
    assert agree({"t": one.limit(0)}, {"t": one.limit(0)})
    assert not agree({"t": one.limit(0)}, {"t": one})
