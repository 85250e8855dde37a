"""Association rules as Spark jobs: the rules of the plain kernel, whatever the partitions, and as part of a plan."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.detection.context.rules import CorrelationSettings, context_spans, terms_by_label
from spark_deid.detection.context.rules import find_rules as find_by_hand
from spark_deid.detection.context.spark import find_rules, words_by_document
from tests.spark.decided import Row, annotated_of, carried_out, plan_of

WANTED = (
    CorrelationSettings("NAME", min_support=2, min_confidence=0.5, min_lift=1.5, max_words=2),
    CorrelationSettings("TOWN", min_support=2, min_confidence=0.2, min_lift=1.2),
)
NAMES, TOWNS, TITLES = ("Ann", "Bob", "Cid", "Dot"), ("Rome", "Bonn"), ("nobel laureate", "chess master", "", "")


def document(number: int) -> Document:
    name, town, title = NAMES[number % 4], TOWNS[number % 2], TITLES[number % 4]
    text = f"The {title} {name} of {town} came to us."
    spans = [Span(text.index(name), text.index(name) + 3, "NAME", source="gold")]
    spans.append(Span(text.index(town), text.index(town) + 4, "TOWN", source="gold"))
    return Document(f"d{number}", text, spans=(*spans, Span(0, 3, "NAME", source="other")))


DOCUMENTS = [document(number) for number in range(12)]
IDENTIFIERS = [each._replace(spans=each.spans[:2]) for each in DOCUMENTS]


def annotated(spark: SparkSession, partitions: int) -> DataFrame:
    rows: list[Row] = [(each.doc_id, None, each.text, {}, [tuple(span) for span in each.spans]) for each in DOCUMENTS]
    return annotated_of(spark, rows).repartition(partitions)


def rules_of(spark: SparkSession, partitions: int) -> list[Row]:
    found = annotated(spark, partitions)
    rules = find_rules(words_by_document(found, WANTED, detectors=("gold",)), found, WANTED)
    assert rules.columns == tables.ASSOCIATIONS.names
    return sorted(tuple(row) for row in rules.collect())


def test_rules_are_those_of_the_kernel_on_1_and_7_partitions(spark: SparkSession) -> None:
    expected = [(*rule, rule.confidence, rule.lift) for rule in find_by_hand(IDENTIFIERS, WANTED)]
    assert ("NAME", "nobel laureate", "ann") in {rule[:3] for rule in expected}
    assert rules_of(spark, 1) == rules_of(spark, 7) == expected


@pytest.mark.parametrize("partitions", [pytest.param(1, marks=pytest.mark.thorough), 7])
def test_a_plan_marks_and_edits_terms_of_edited_identifiers(spark: SparkSession, partitions: int) -> None:
    kept = {}

    def materialize(name: str, rows: DataFrame) -> DataFrame:
        kept[name] = rows
        return rows

    settings = plan_of({"context": {each.label: asked(each) for each in WANTED}, "sources": ["gold", "context"]})
    corpus = carried_out(settings, annotated(spark, partitions), materialize=materialize)
    assert set(kept) == {"words", "associations", "terms"}
    assert corpus.associations.count() == len(find_by_hand(IDENTIFIERS, WANTED))
    terms = terms_by_label(find_by_hand(IDENTIFIERS, WANTED))
    for row in corpus.annotated.collect():
        document = next(each for each in IDENTIFIERS if each.doc_id == row.doc_id)
        assert tuple(Span(*s) for s in row.spans[3:]) == context_spans(row.text, document.spans, terms)
        assert any("nobel" in row.text[s.start : s.end] for s in row.spans[3:]) == ("nobel" in row.text)
    published = {row.doc_id: row.published for row in corpus.decisions.collect()}
    assert not any("nobel" in text or "Ann" in text for text in published.values())


def asked(correlation: CorrelationSettings) -> dict[str, object]:
    return {name: value for name, value in vars(correlation).items() if name != "label"}
