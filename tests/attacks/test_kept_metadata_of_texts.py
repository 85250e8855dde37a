"""Metadata that is kept beside texts of a view, and names persons or tells what the texts are recoded for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from numpy.random import default_rng
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.load import check_plan
from tests.attacks.runs import Done, run

PLAN: Mapping[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode"},
    "identity": {
        "attributes": {"AGE": "age", "ILL": "illness"},
        "roles": {"quasi": ["age"], "sensitive": ["illness"]},
        "rounds": 0,
    },
    "anonymity": {"model": {"k": 8}},
}
NAMES = ("Ann Leeds", "Bob Smith", "Mary Johnson", "James Ray", "Linda Brown")


def lines(number: int) -> list[dict[str, object]]:
    random = default_rng(5)
    made: list[dict[str, object]] = []
    for at in range(number):
        age = int(random.integers(20, 90))
        meta = {
            "sheet": f"A{1000 + at}",
            "nurse": NAMES[at % len(NAMES)],
            "cohort": str(2024 - age),
            "ward": str(random.integers(1, 4)),
            "weight": f"{random.normal(70, 9):.4f}",
            "copy": f"d{at}",
            "illness": f"illness of {age}",
        }
        spans = [{"start": 5, "end": 7, "label": "AGE"}]
        made.append({"doc_id": f"d{at}", "subject_id": f"s{at}", "text": f"Aged {age}.", "spans": spans, "meta": meta})
    return made


def released(folder: Path, number: int, ways: Mapping[str, str]) -> Done:
    return run(folder, lines(number), **PLAN, metadata=dict(ways))


def test_what_names_or_shows_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    ways = dict.fromkeys(("sheet", "nurse", "cohort", "ward", "weight", "copy", "illness", "subject_id"), "keep")
    with pytest.raises(GateRefused) as refused:
        released(tmp_path, 120, ways)
    told = str(refused.value)
    assert "metadata.sheet: names persons (120 different values of 120 people): leave it out, or name it" in told
    assert "metadata.subject_id: names persons (120 different values of 120 people)" in told
    assert "metadata.nurse: names persons (its values are NAME)" in told
    assert "metadata.cohort: reveals recoded values (age can be guessed for " in told
    assert not any(f"metadata.{name}:" in told for name in ("ward", "weight", "copy", "illness"))


@pytest.mark.thorough
def test_what_is_named_remains_and_is_stated_and_of_few_people_there_is_a_warning(
    spark: SparkSession, tmp_path: Path
) -> None:
    ways = {**dict.fromkeys(("sheet", "nurse"), "keep-identifying"), "cohort": "keep", "ward": "keep"}
    done = released(tmp_path, 60, ways)
    warnings = json.loads((done.workspace / "manifest.json").read_text())["warnings"]
    assert [told for told in warnings if "cohort is published unchanged and may reveal recoded values" in told]
    assert done.manifest["plan"]["metadata"] == ways
    assert "nurse, unchanged although they may identify people or reveal recoded values" in done.report
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    assert {row["sheet"] for row in rows} == {f"A{1000 + at}" for at in range(60)}


def test_a_column_of_an_identifier_is_kept_by_that_word_only() -> None:
    places = {"input": {"path": "notes.jsonl", "format": "jsonl"}, "workspace": "w", "release": "r"}
    identity = {"attributes": {"AGE": "age", "NAME": "name"}, "roles": {"quasi": ["age"], "identifiers": ["name"]}}
    plan = {**places, **PLAN, "identity": identity}
    with pytest.raises(UsageError, match=r"metadata\.name: keep would publish name"):
        check_plan(plan | {"metadata": ["name"]}, "plan")
    with pytest.raises(UsageError, match=r"metadata\.age: keep-identifying would publish age"):
        check_plan(plan | {"metadata": {"age": "keep-identifying"}}, "plan")
    assert check_plan(plan | {"metadata": {"name": "keep-identifying"}}, "plan")
