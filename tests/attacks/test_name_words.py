"""Words of removed names that remain in other texts of the same person, read by someone who knows the person."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.attacks.runs import run

LINES: list[dict[str, object]] = [
    {"doc_id": "1", "subject_id": "p", "text": "Dr. Robert Quibblewick wrote."},
    {"doc_id": "2", "subject_id": "p", "text": "Robert was tired. QUIBBLEWICK left. Dr. White came, White count 12."},
    {"doc_id": "3", "subject_id": "q", "text": "Robert Harris called. Nobody else did."},
    {"doc_id": "4", "text": "Dr. Zimt came. Zimt left."},
]
PLAN: dict[str, Any] = {"patterns": {"kinds": ["titled"]}}


def published(spark: SparkSession, release: Path) -> dict[str, str]:
    rows = spark.read.format("delta").load(str(release / "documents")).select("doc_id", "text").collect()
    return {row["doc_id"]: row["text"] for row in rows}


def test_words_of_removed_names_that_remain_are_counted_in_the_workspace(spark: SparkSession, tmp_path: Path) -> None:
    said: list[str] = []
    done = run(tmp_path, LINES, **PLAN, progress=said.append)
    whole = json.loads((done.workspace / "manifest.json").read_text())
    assert whole["remaining_names"] == {"NAME": {"words": 4, "common_words": 1, "documents": 2}}
    assert "remaining_names" not in done.manifest
    (told,) = [line for line in said if "of removed names remain" in line]
    assert (
        "3 words of removed names remain in 2 documents, in texts of the same person. To hide them, add names: "
    ) in told


@pytest.mark.parametrize("allowed", [False, True])
def test_propagation_hides_them_in_all_texts_of_the_person(spark: SparkSession, tmp_path: Path, allowed: bool) -> None:
    plan = {**PLAN, "names": {"propagate": True}} | ({"allow": {"words": ["Quibblewick"]}} if allowed else {})
    done = run(tmp_path, LINES, **plan)
    kept = "QUIBBLEWICK" if allowed else "[NAME]"
    assert published(spark, done.release) == {
        "1": "Dr. [NAME] wrote.",
        "2": f"[NAME] was tired. {kept} left. Dr. [NAME] came, White count 12.",
        "3": "Robert Harris called. Nobody else did.",
        "4": "Dr. [NAME] came. [NAME] left.",
    }
    whole = json.loads((done.workspace / "manifest.json").read_text())
    assert whole["remaining_names"] == {"NAME": {"words": 1 + allowed, "common_words": 1, "documents": 0 + allowed}}
    assert whole["spans"]["names/propagated"] == {"NAME": 2 - allowed + 1}


def test_names_in_annotations_that_are_removed_propagate(spark: SparkSession, tmp_path: Path) -> None:
    text = "Robert came. Robert left."
    lines: list[dict[str, object]] = [{"doc_id": "1", "text": text, "spans": [{"start": 0, "end": 6, "label": "PER"}]}]
    done = run(tmp_path, lines, names={"propagate": True}, sources=["gold", "names"])
    assert published(spark, done.release) == {"1": "[PER] came. [PER] left."}
