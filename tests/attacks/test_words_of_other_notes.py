"""Broader and narrower words in another note of the same person, and notes in which nobody marked a term."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.attacks.runs import run

TEXTS = {
    "a1": ("a", "He has lung cancer.", "lung cancer"),
    "a2": ("a", "The cancer has spread.", ""),
    "b1": ("b", "The cancer has spread.", ""),
    "n1": (None, "He has lung cancer.", "lung cancer"),
    "n2": (None, "The cancer has spread.", ""),
}


def lines() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for doc_id, (subject, text, term) in TEXTS.items():
        at = text.find(term)
        spans = [{"start": at, "end": at + len(term), "label": "DIAGNOSIS"}] if term else []
        found.append({"doc_id": doc_id, "text": text, "spans": spans, **({"subject_id": subject} if subject else {})})
    return found


@pytest.mark.parametrize("search", ["exact", pytest.param("cut", marks=pytest.mark.thorough)])
def test_words_of_another_note_go_as_those_of_the_same_note(spark: SparkSession, tmp_path: Path, search: str) -> None:
    rule: Mapping[str, Any] = {"technique": "generalize", "t": 64, "search": search, "below": ["physical condition"]}
    done = run(tmp_path, lines(), sources=["gold"], rules={"DIAGNOSIS": rule}, release_ids="keep")
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    texts = {row["doc_id"]: row["text"] for row in rows}
    assert texts["a1"] == texts["n1"] == "He has tumor."
    assert texts["a2"] == "The tumor has spread."
    assert texts["b1"] == texts["n2"] == "The cancer has spread.", "nobody marked a term of these persons"
    assert "checked in all documents of the person" in done.report
    told = spark.read.format("delta").load(str(done.workspace / "assessments")).where("guarantee = 't-plausible'")
    assert ", by person" in told.collect()[0]["evidence"]


def test_labels_that_are_no_tags_are_hidden_in_words_that_were_found_too(spark: SparkSession, tmp_path: Path) -> None:
    label = "patient_of_Doctor_Quincy_who_lives_in_Bremen_with_Ann"
    texts = {"a1": ("He has a quincyzimt.", "quincyzimt"), "a2": ("Known lung cancer.", "lung cancer")}
    given: list[dict[str, object]] = []
    for doc_id, (text, term) in texts.items():
        at = text.index(term)
        spans = [{"start": at, "end": at + len(term), "label": label}]
        given.append({"doc_id": doc_id, "subject_id": "a", "text": text, "spans": spans})
    given.append({"doc_id": "a3", "subject_id": "a", "text": "The cancer has spread."})
    rule = {"technique": "generalize", "t": 64, "below": ["physical condition"]}
    done = run(tmp_path, given, sources=["gold"], rules={"*": rule}, release_ids="keep")
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    told = " ".join((*(row["text"] for row in rows), done.report, str(done.manifest)))
    assert "The tumor has spread." in told
    assert "[LABEL_1]" in told
    assert "Quincy" not in told
