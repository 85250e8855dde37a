"""A file that is rewritten at equal size is read again, and a session that continues keeps nothing of a call."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app

OLD, NEW = "Write to ann@example.org", "Write to bob@example.org"


def written(path: Path, text: str) -> None:
    spans = [{"start": 9, "end": 12 if text == OLD else 24, "label": "EMAIL"}]
    line = json.dumps({"doc_id": "d", "text": text, "spans": spans})
    path.write_text(line.ljust(200) + "\n")


def keeps_nothing(spark: SparkSession) -> bool:
    """Return whether no table is kept by its plan; what Delta separate keeps logs is another matter."""
    session: Any = spark
    return bool(session._jsparkSession.sharedState().cacheManager().isEmpty())


def converted(source: Path, target: Path) -> str:
    options = app.ConvertOptions(source=str(source), source_format="jsonl", target=str(target), target_format="text")
    app.convert(options)
    (file,) = target.glob("*.txt")
    return file.read_text()


def texts(source: Path) -> list[str]:
    return [row["text"] for row in sd.read_corpus(source, "jsonl").documents.collect()]


def test_a_conversion_reads_what_the_file_holds_now(spark: SparkSession, tmp_path: Path) -> None:
    spark.catalog.clearCache()  # of what other tests keep in the session
    source = tmp_path / "notes.jsonl"
    written(source, OLD)
    assert converted(source, tmp_path / "old") == OLD
    written(source, NEW)
    assert converted(source, tmp_path / "new") == NEW
    assert keeps_nothing(spark)


@pytest.mark.parametrize("keeps", ["documents", "spans", "annotated"])
def test_a_corpus_is_read_again_though_an_earlier_reading_is_kept(
    spark: SparkSession, tmp_path: Path, keeps: str
) -> None:
    source = tmp_path / "notes.jsonl"
    written(source, OLD)
    earlier = getattr(sd.read_corpus(source, "jsonl"), keeps).cache()
    try:
        earlier.count()
        written(source, NEW)
        assert texts(source) == [NEW]
        assert converted(source, tmp_path / "new") == NEW
    finally:
        earlier.unpersist()


@pytest.mark.thorough
def test_a_table_that_was_made_again_is_read_again(spark: SparkSession, tmp_path: Path) -> None:
    place = str(tmp_path / "table")
    for text in (OLD, NEW):
        rows = spark.createDataFrame([("d", text)], "doc_id string, text string")
        rows.write.format("delta").mode("overwrite").save(place)
        assert [row["text"] for row in sd.read_corpus(place, "delta").documents.collect()] == [text]


@pytest.mark.thorough
def test_scores_are_of_what_the_file_holds_now(spark: SparkSession, tmp_path: Path) -> None:
    source, spans = tmp_path / "gold.jsonl", tmp_path / "spans"
    schema = "doc_id string, start int, end int, label string, score double, source string, annotation_id string"
    spark.createDataFrame([("d", 9, 12, "EMAIL", None, "x", None)], schema).write.format("delta").save(str(spans))
    found = []
    for text in (OLD, NEW):
        written(source, text)
        scores = sd.evaluate(source, "jsonl", spans=spans).scores
        found.append(scores.to_json())
    assert found[0] != found[1]
    assert keeps_nothing(spark)
