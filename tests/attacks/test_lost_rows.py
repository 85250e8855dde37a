"""Rows that are lost between the inventory and the tables, with all that belongs to them, must not pass."""

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused
from spark_deid.corpus.inventory import FileInventory
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.recounting import check, expected_of
from spark_deid.plan.clock import StageClock, say_nothing
from spark_deid.release.commit import is_release
from tests.attacks.runs import run
from tests.spark.decided import annotated_of, carried_out, plan_of


@pytest.mark.parametrize(
    ("inventory", "reason"),
    [
        (FileInventory(documents=2), "2 documents were read, but 1 checked"),
        (FileInventory(documents=1, rejects={"nul": 1}), "1 inputs were rejected, but 0 are listed"),
        (FileInventory(documents=1, annotations=1), "1 spans that were read or found are not among what was decided"),
    ],
)
def test_what_was_read_and_is_nowhere_refuses(spark: SparkSession, inventory: FileInventory, reason: str) -> None:
    settings = plan_of({"patterns": {"kinds": ["email"]}})
    corpus = carried_out(settings, annotated_of(spark, [("a", None, "Bo.", {}, [])]))
    checked = check(settings, corpus, inventory, StageClock(say_nothing), bytes(32))
    with pytest.raises(GateRefused, match=reason):
        require(checked.assessed, expected=expected_of(settings))


def test_a_reader_that_loses_a_part_releases_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark_deid.corpus.spark import store
    from spark_deid.pipeline import release_folder

    def losing(*given: object, **more: object) -> object:
        stored = store.store_corpus(*given, **more)  # type: ignore[arg-type]
        inventory = replace(stored.inventory, documents=stored.inventory.documents + 1)
        return replace(stored, inventory=inventory)

    monkeypatch.setattr(release_folder, "store_corpus", losing)
    with pytest.raises(GateRefused, match="2 documents were read, but 1 checked"):
        run(tmp_path, [{"doc_id": "a", "text": "Bo."}], patterns={"kinds": "all"})
    assert not is_release(tmp_path / "release")
