import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid import app
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


def test_spans_of_unknown_documents_are_counted_separately(spark: SparkSession) -> None:
    documents = spark.createDataFrame([("b", None, TEXTS["b"], {})], ddl(DOCUMENTS))

    scores = evaluate_corpus(documents, span_table(spark, GOLD), span_table(spark, PREDICTED))

    assert scores.documents == 1
    assert scores.strays == 8
    assert scores.micro("strict") == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_labels_that_go_by_another_name_are_hinted_at(spark: SparkSession, tmp_path: Path) -> None:
    text = "Ann Lee met Bo in Rome at Acme on 5 May"
    annotations = [(0, 7, "PER"), (12, 14, "PER"), (18, 22, "LOC"), (26, 30, "ORG"), (34, 39, "DATE")]
    found = [Span(0, 3, "NAME"), Span(18, 22, "PLACE"), Span(34, 39, "DATE"), Span(4, 7, "NAME"), Span(12, 14, "X")]
    line = {
        "doc_id": "a",
        "text": text,
        "spans": [dict(zip(("start", "end", "label"), each, strict=True)) for each in annotations],
    }
    (tmp_path / "gold.jsonl").write_text(json.dumps(line))
    rows = span_table(spark, {"a": [span._replace(source="model") for span in found]})
    rows.write.format("delta").save(str(tmp_path / "spans"))

    def told(labels: tuple[str, ...] | None) -> list[str]:
        lines: list[str] = []
        gold, spans = (str(tmp_path / name) for name in ("gold.jsonl", "spans"))
        app.evaluate(app.EvaluateOptions(gold=gold, format="jsonl", spans=spans, labels=labels), lines.append)
        return [each for each in lines if each.startswith("hint")]

    # NAME touches one of PER's two spans, X the other; nothing touches ORG's.
    assert told(None) == [
        "hint: most LOC entities are found as PLACE, most PER entities are found as NAME. To count them as equal, set "
        "--labels DATE,LOC=PLACE,PER=NAME"
    ]
    assert told(("DATE", "LOC=PLACE")) == []
