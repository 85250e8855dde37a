"""An exported token classifier over a corpus: the same in any partitioning, and as strings are redacted."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.core.errors import ModelError
from spark_deid.detection.token_classification.export import read_export
from spark_deid.detection.token_classification.spark import finder
from spark_deid.engine.shared import send_folder
from tests.unit.detection.token_classification.exported import write_export

ENGLISH = Path(__file__).parents[2] / "packages" / "english_neural" / "spark_deid_english_neural" / "data"
TEXTS = [f"x x x Ann Leeson saw Peter {'x ' * number}in Bonn." for number in range(9)]


def test_a_corpus_is_sanitized_as_its_strings_are(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model")
    plan = sd.Plan(onnx={"model": str(folder), "labels": {"LOC": "CITY"}}, sources=["onnx"])
    expected = {str(n): str(sd.redact(text, plan)) for n, text in enumerate(TEXTS)}
    frame = spark.createDataFrame([(str(n), text) for n, text in enumerate(TEXTS)], "doc_id string, text string")
    for partitions in (1, 7):
        done = sd.sanitize(frame.repartition(partitions), plan, doc_id="doc_id", text="text")
        assert {row["doc_id"]: row["text"] for row in done.documents.collect()} == expected
    assert expected["0"].startswith("x x x [NAME] saw Peter in [CITY]")
    assert done.manifest["models"][0]["sha256"] == read_export(folder).sha256


def test_the_model_of_english_states_the_same_in_any_partitioning(spark: SparkSession) -> None:
    lines = ("Dear Mrs. Patel,", "saw john smith of boston on 3/4", "Dr Okonkwo: 58F, s/p fall.", "Nobody has paid.")
    texts = ["\n".join(lines[: number % 4 + 1]) * number for number in range(1, 9)]
    plan = sd.Plan(onnx={"model": str(ENGLISH), "threshold": 0.05}, sources=["onnx"])
    expected = {str(n): str(sd.redact(text, plan)) for n, text in enumerate(texts)}
    frame = spark.createDataFrame([(str(n), text) for n, text in enumerate(texts)], "doc_id string, text string")
    for partitions in (1, 7):
        done = sd.sanitize(frame.repartition(partitions), plan, doc_id="doc_id", text="text")
        assert {row["doc_id"]: row["text"] for row in done.documents.collect()} == expected
    assert expected["0"] == "Dear Mrs. [NAME],\nsaw [NAME] of [LOCATION] on 3/4"


def test_workers_load_what_was_checked_and_nothing_else(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model")
    export = read_export(folder)
    find = finder(spark, export._replace(sha256="0" * 64), {"PER": "NAME"}, 0.5)
    with pytest.raises(ModelError, match=r"model: changed .*hash"):
        find("Ann")
    sent = send_folder(spark, folder, f"onnx-{export.sha256[:32]}")
    again = send_folder(spark, folder, f"onnx-{export.sha256[:32]}")
    assert sent == again
    assert read_export(sent.on_worker()).sha256 == export.sha256
