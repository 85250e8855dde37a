import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.span import Span
from spark_deid.core.tables import DOCUMENTS, SPANS, ddl
from spark_deid.evaluation.score import evaluate
from spark_deid.evaluation.spark import evaluate_corpus

TEXTS = {"a": "Ann Lee 😀 met Bo.", "b": "Nobody here.", "c": "Bo, bo and BO\r\nin Rome"}
GOLD = {
    "a": [Span(0, 7, "NAME"), Span(14, 16, "NAME")],
    "c": [Span(0, 2, "NAME"), Span(4, 6, "NAME"), Span(18, 22, "CITY"), Span(11, 13, "NAME", None, "gold", "T4")],
}
PREDICTED = {"a": [Span(0, 7, "NAME", 0.5, "crf")], "b": [Span(0, 6, "NAME")], "c": [Span(18, 21, "CITY")]}


def span_table(spark: SparkSession, spans: dict[str, list[Span]]) -> DataFrame:
    return spark.createDataFrame([(doc_id, *span) for doc_id, found in spans.items() for span in found], ddl(SPANS))


@pytest.mark.parametrize("partitions", [1, 7])
def test_tables_score_as_documents_do(spark: SparkSession, partitions: int) -> None:
    documents = spark.createDataFrame([(d, None, text, {}) for d, text in TEXTS.items()], ddl(DOCUMENTS))

    scores = evaluate_corpus(documents.repartition(partitions), span_table(spark, GOLD), span_table(spark, PREDICTED))

    expected = evaluate((text, GOLD.get(d, []), PREDICTED.get(d, [])) for d, text in TEXTS.items())
    assert scores.to_json() == expected.to_json()
    assert scores.strays == 0


def test_spans_of_unknown_documents_are_counted_apart(spark: SparkSession) -> None:
    documents = spark.createDataFrame([("b", None, TEXTS["b"], {})], ddl(DOCUMENTS))

    scores = evaluate_corpus(documents, span_table(spark, GOLD), span_table(spark, PREDICTED))

    assert scores.documents == 1
    assert scores.strays == 8
    assert scores.micro("strict") == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
