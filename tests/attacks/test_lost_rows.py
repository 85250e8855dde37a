"""Rows that are lost between the inventory and the tables, with all that belongs to them, must not pass."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_deid.app.releasing import run_plan
from spark_deid.core.errors import CorpusError, GateRefused
from spark_deid.corpus.inventory import FileInventory
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.recounting import check, expected_of
from spark_deid.plan.clock import StageClock, say_nothing
from spark_deid.plan.load import check_plan
from spark_deid.release.commit import is_release
from tests.attacks.runs import run
from tests.spark.decided import annotated_of, carried_out, plan_of


@pytest.mark.parametrize(
    ("inventory", "reason"),
    [
        (FileInventory(documents=2), "2 documents were read, but 1 were checked"),
        (FileInventory(documents=1, rejects={"nul": 1}), "1 records were rejected, but 0 are listed"),
        (FileInventory(documents=1, annotations=1), "1 spans that were read or found are missing from the decisions"),
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
    with pytest.raises(GateRefused, match="2 documents were read, but 1 were checked"):
        run(tmp_path, [{"doc_id": "a", "text": "Bo."}], patterns={"kinds": "all"})
    assert not is_release(tmp_path / "release")


def test_one_reject_that_represents_hundreds_of_records_releases_nothing(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "notes.csv"
    rows = [f'{n},"Seen by Dr. Brunswick, no {n}."' for n in range(451)]
    rows[150] = '150,"He said \\"call\\" then left"'
    source.write_text("\n".join(["note_id,note", *rows]) + "\n")
    given = {"path": str(source), "format": "csv", "options": {"text_column": "note", "id_column": "note_id"}}
    places = {"workspace": str(tmp_path / "workspace"), "release": str(tmp_path / "release")}
    plan = check_plan({"input": given, **places, "patterns": {"kinds": ["email"]}, "max_rejects": 0.01}, "plan")
    with pytest.raises(CorpusError, match="malformed"):
        run_plan(plan)
    whole = tmp_path / "in"
    whole.mkdir()
    source.rename(whole / "torn.csv")
    (whole / "whole.csv").write_text("note_id,note\n" + "".join(f"w{n},Seen.\n" for n in range(451)))
    plan = check_plan({**plan.model_dump(), "input": {**given, "path": str(whole)}}, "plan")
    with pytest.raises(GateRefused, match="unknown number of records"):
        run_plan(plan)
    assert not is_release(tmp_path / "release")
    messages: list[str] = []
    run_plan(plan.model_copy(update={"max_rejects": None}), progress=messages.append)
    assert any("at least 1 record was rejected" in each for each in messages)
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert (manifest["documents"], manifest["unknown_rejects"]) == (451, 1)


def test_a_damaged_row_group_counts_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "notes.parquet"
    table = pa.table({"text": [f"{n:0200d}" for n in range(200)]})
    pq.write_table(table, path, row_group_size=10, compression="zstd")
    data = bytearray(path.read_bytes())
    data[20:60] = b"x" * 40
    path.write_bytes(data)
    places = {"workspace": str(tmp_path / "workspace"), "release": str(tmp_path / "release")}
    given = {"input": {"path": str(path), "format": "parquet"}, **places, "patterns": {"kinds": ["email"]}}
    with pytest.raises(GateRefused, match=r"10 of the 200 records were rejected \(unreadable 10\)"):
        run_plan(check_plan({**given, "max_rejects": 0.01}, "plan"))
    figures = run_plan(check_plan({**given, "max_rejects": 0.05}, "plan"))
    assert (figures.documents, figures.rejects) == (190, 10)
