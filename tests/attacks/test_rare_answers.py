"""An attacker who reads a hidden answer of a field with few answers as its rare one."""

import re
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.attacks.runs import run

_HIDDEN = re.compile(r"Result: ★")
_PLAN: dict[str, Any] = {"sources": ["repeats"]}
_K = {"k": 5, "min_length": 6, "whole_tokens": 0}


def _lines() -> list[dict[str, object]]:
    answers = ["negative"] * 56 + ["positive"] * 4
    ends = (".", ". Seen again next week.", "\nSeen again next week.")
    return [
        {"doc_id": f"d{n}", "text": f"The test was taken. Result: {answer}{ends[n % 3]}"}
        for n, answer in enumerate(answers)
    ]


def _texts(spark: SparkSession, folder: Path, **options: object) -> dict[str, str]:
    folder.mkdir()
    done = run(folder, _lines(), repeats={**_K, **options}, release_ids="keep", **_PLAN)
    return {
        row["doc_id"]: row["text"] for row in spark.read.format("delta").load(str(done.release / "documents")).collect()
    }


def test_hidden_answers_are_the_rare_ones_unless_whole_fields_are_hidden(spark: SparkSession, tmp_path: Path) -> None:
    positive = {f"d{n}" for n in range(56, 60)}
    before = _texts(spark, tmp_path / "before")
    assert {each for each, text in before.items() if "negative" not in text} == positive
    after = _texts(spark, tmp_path / "after", whole_fields=True)
    assert all(_HIDDEN.search(text) and "ive" not in text for text in after.values())
    forms = [{text for each, text in after.items() if (each in positive) is is_rare} for is_rare in (True, False)]
    assert forms[0] == forms[1], "texts of rare answers differ in what else is hidden"
    assert all("The test was taken. Result: " in text for text in after.values())
