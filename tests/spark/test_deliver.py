"""What is counted of decisions before a release, and what is refused."""

from collections.abc import Iterable, Sequence

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.errors import GateRefused
from spark_deid.core.span import Span
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.gate import require
from spark_deid.guarantees.spark import count_decisions
from spark_deid.pipeline.checking import checking_of
from spark_deid.pipeline.recounting import expected_of
from spark_deid.rewriting.suppress import placeholder, suppress
from tests.spark.decided import (
    Row,
    annotated_of,
    carried_out,
    counted,
    counted_against,
    coverage_of,
    plan_of,
    workspace_of,
)

TEXT = "Ann came."
SPANS: tuple[Row, ...] = (
    (0, 3, "NAME", None, "gold", None),
    (0, 3, "NAME", None, "patterns/name", None),
    (4, 8, "NAME", 0.9, "model/round-1", None),
)
FROM_NOWHERE = (4, 8, "VERB", 0.5, "oracle/x", None)
DETECTORS = ("gold", "patterns", "model")


def all_but(*edited: str) -> tuple[str, ...]:
    return tuple(name for name in DETECTORS if name not in edited)


def decided(
    doc_id: str, edits: Iterable[LabelledEdit], published: str | None = None, spans: Sequence[Row] = SPANS
) -> Row:
    rows = [tuple(edit) for edit in edits]
    text = apply_edits(TEXT, edits) if published is None else published
    return (doc_id, None, TEXT, {}, list(spans), rows, [], text, 2, 0, 0)


def rows_of(spark: SparkSession, *rows: Row) -> DataFrame:
    return spark.createDataFrame(list(rows), tables.ddl(tables.DECISIONS))


def suppressed(start: int, end: int, label: str) -> tuple[LabelledEdit, ...]:
    edits = suppress(Document("a", TEXT), [Span(start, end, label)])
    return tuple(LabelledEdit(*edit, label) for edit in edits)


NAME, VERB = suppressed(0, 3, "NAME"), suppressed(4, 8, "VERB")


def test_only_what_is_edited_is_scored(spark: SparkSession) -> None:
    decisions = rows_of(spark, decided("a", NAME))

    def precision_and_recall(*edited: str) -> list[float]:
        scores = counted(decisions, exempt=all_but(*edited), scored=True).scores
        assert scores is not None
        return [scores.micro("strict")[name] for name in ("precision", "recall")]

    assert precision_and_recall("patterns") == [1, 1]
    assert precision_and_recall("model") == [0, 0]
    assert precision_and_recall("patterns", "model") == [0.5, 1]
    assert counted(decisions, exempt=all_but("patterns")).scores is None
    assert counted(decisions, exempt=all_but("patterns"), scored=True).in_clear == {}
    bare = rows_of(spark, decided("a", VERB), decided("b", NAME), decided("c", suppressed(0, 2, "NAME")))
    left = counted(bare, exempt=all_but("patterns"), scored=True)
    assert (left.in_clear, left.untouched) == ({"NAME": 2}, {"NAME": 1})


def test_faults_of_decisions_are_counted(spark: SparkSession) -> None:
    good, bare, altered = decided("a", NAME), decided("b", VERB), decided("c", NAME, "Ann came!")
    exempt = all_but("patterns")
    assert counted(rows_of(spark, good), exempt=exempt).faults == CoverageFaults(documents=1)
    assert counted(rows_of(spark, good, bare), exempt=exempt).faults == CoverageFaults(documents=2, uncovered=3)
    assert counted(rows_of(spark, altered), exempt=exempt).faults == CoverageFaults(documents=1, altered=1)


def test_spans_and_edits_are_counted_by_who_made_them(spark: SparkSession) -> None:
    counts = counted(rows_of(spark, decided("a", NAME), decided("b", VERB)).repartition(2), exempt=DETECTORS)
    assert counts.spans == {name: {"NAME": 2} for name in ("gold", "model/round-1", "patterns/name")}
    assert counts.edits == {"suppress": {"NAME": 1, "VERB": 1}}
    assert counts.handed_back == {}
    assert counts.agreed


@pytest.mark.parametrize(
    ("table", "row", "faults"),
    [
        ("edits", ("a", 4, 8, "suppress", "[NAME]"), CoverageFaults(documents=1, altered=1)),
        ("spans", ("a", 4, 6, "NAME", None, "patterns/other", None), CoverageFaults(documents=1, uncovered=2)),
        ("spans", ("a", 4, 6, "NAME", None, "oracle/x", None), CoverageFaults(documents=1, uncovered=2)),
        ("documents", ("b", None, "Bo.", {}), CoverageFaults(documents=2, lost=1)),
    ],
)
def test_tables_that_state_more_than_decisions_are_what_counts(
    spark: SparkSession, table: str, row: Row, faults: CoverageFaults
) -> None:
    decisions = rows_of(spark, decided("a", NAME))
    more = spark.createDataFrame([row], tables.ddl(tables.TABLES[table]))
    kept: DataFrame = getattr(workspace_of(decisions), table)
    counts = counted_against(workspace_of(decisions, **{table: kept.unionAll(more)}), exempt=all_but("patterns"))
    assert counts.faults == faults
    assert not counts.agreed


def test_a_span_of_a_source_that_no_one_knows_must_be_edited(spark: SparkSession) -> None:
    spans = [SPANS[1], FROM_NOWHERE]
    assert counted(rows_of(spark, decided("a", NAME, spans=spans)), exempt=("gold",)).faults.uncovered == 4
    covered = rows_of(spark, decided("a", (*NAME, *VERB), spans=spans))
    assert counted(covered, exempt=("gold",)).faults == CoverageFaults(documents=1)
    exempted = rows_of(spark, decided("a", NAME, spans=spans))
    assert counted(exempted, exempt=("gold", "oracle")).faults == CoverageFaults(documents=1)


@pytest.mark.parametrize("partitions", [1, 7])
def test_a_plan_that_leaves_a_span_of_an_unknown_source_is_refused(spark: SparkSession, partitions: int) -> None:
    settings = plan_of({"patterns": {"kinds": ["email"]}})
    rows: list[Row] = [("a", None, TEXT, {}, [SPANS[1], FROM_NOWHERE]), ("b", None, "Bo.", {}, [])]
    corpus = carried_out(settings, annotated_of(spark, rows).repartition(partitions))
    assert sorted(tuple(row)[1:3] for row in corpus.edits.collect()) == [(0, 3)]
    checking = checking_of(settings, scored=False)
    assert checking.exempt == ("gold",)
    counts = counted_against(corpus, exempt=checking.exempt, placeholders=checking.placeholders)
    assert counts.faults == CoverageFaults(documents=2, uncovered=4)
    coverage = coverage_of(settings, corpus, counts)
    assert not coverage.assessment.satisfied
    assert coverage.reasons == ("4 characters of spans to be edited are outside every edit",)
    with pytest.raises(GateRefused, match="4 characters of spans to be edited are outside every edit"):
        require([coverage], expected=expected_of(settings))


@pytest.mark.parametrize(
    ("edits", "published", "faults", "reasons"),
    [
        (
            [LabelledEdit(0, 3, "echo", "Ann", "NAME")],
            TEXT,
            CoverageFaults(documents=1, unchanged=1),
            ("1 edits insert the original text",),
        ),
        (
            [LabelledEdit(0, 3, "echo", "Bo", "NAME"), LabelledEdit(2, 8, "echo", "went", "NAME")],
            "Bowent.",
            CoverageFaults(documents=1, overlapping=1, altered=1),
            (
                "1 edits overlap, are empty or exceed their text",
                "1 documents differ from the original outside their edits",
            ),
        ),
        (
            [LabelledEdit(0, 3, "suppress", "[NAME]", "NAME"), LabelledEdit(4, 99, "echo", "", "NAME")],
            "[NAME] ",
            CoverageFaults(documents=1, overlapping=1),
            ("1 edits overlap, are empty or exceed their text",),
        ),
    ],
)
def test_bad_edits_are_refused_wherever_they_come_from(
    spark: SparkSession, edits: list[LabelledEdit], published: str, faults: CoverageFaults, reasons: tuple[str, ...]
) -> None:
    settings = plan_of({"patterns": {"kinds": ["email"]}})
    corpus = workspace_of(rows_of(spark, decided("a", edits, published)))
    counts = counted_against(corpus, exempt=all_but("patterns"))
    assert counts.agreed
    assert counts.faults == faults
    coverage = coverage_of(settings, corpus, counts)
    assert coverage.reasons == reasons
    with pytest.raises(GateRefused, match=reasons[0]):
        require([coverage], expected=expected_of(settings))
    more = spark.createDataFrame([("b", None, "Bo.", {})], tables.ddl(tables.DOCUMENTS))
    joined = counted_against(
        workspace_of(corpus.decisions, documents=corpus.documents.unionAll(more)), exempt=all_but("patterns")
    )
    assert not joined.agreed
    assert joined.faults == faults._replace(documents=2, lost=1)


def test_a_listed_placeholder_that_the_input_has_already_is_no_fault(spark: SparkSession) -> None:
    row: Row = ("a", None, "[NAME] came.", {}, [(0, 6, "NAME", None, "model", None)])
    edits = [(0, 6, "suppress", "[NAME]", "NAME")]
    decisions = rows_of(spark, (*row, edits, [], "[NAME] came.", 2, 1, 0))
    assert counted(decisions, exempt=("gold",)).faults == CoverageFaults(documents=1, unchanged=1)
    corpus, listed = workspace_of(decisions), CheckSettings(("gold",), {"suppress": placeholder}, listed=("[NAME]",))
    assert count_decisions(corpus, listed).faults == CoverageFaults(documents=1)
