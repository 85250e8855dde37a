"""What a release of rare text tells of how hidden runs are built: their shapes, their lengths, their file's name."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid import app
from spark_deid.core.edit import RARE
from spark_deid.repeats.spark.search import shapes
from tests.attacks.runs import run

EDIT = "array<struct<start:int,end:int,technique:string,replacement:string,label:string>>"


def test_a_shape_of_few_documents_is_not_reported(spark: SparkSession) -> None:
    common = [("Ann 17 Ben", [(0, 3, "mask", "★", RARE), (7, 10, "mask", "★", RARE)])] * 20
    few = [("6475551234", [(0, 10, "mask", "★", RARE)])] * 19
    decisions = spark.createDataFrame([*common, *few], f"text string, edits {EDIT}")
    assert [tuple(row) for row in shapes(decisions).collect()] == [("Aa", 40, 20)]


@pytest.mark.thorough
def test_offsets_of_hidden_runs_remain_in_the_workspace(spark: SparkSession, tmp_path: Path) -> None:
    lines = [{"doc_id": str(n), "text": f"seen today by Dr Q{n}"} for n in range(3)]
    done = run(tmp_path, lines, repeats={"k": 3, "min_length": 3})
    assert {path.name for path in done.release.iterdir()} == {"documents", "manifest.json", "report.html"}
    assert "What was hidden most" not in done.report


def test_ids_of_repeats_can_be_keyed(tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    plan = app.repeats_plan(
        app.RepeatsOptions(input="in", format="text", output="out", release_ids="keyed", key_file=key)
    )
    assert (plan.release_ids, plan.key_file) == ("keyed", key)
