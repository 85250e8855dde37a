import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.hadoop import HadoopFolder, held_by_jvm
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.spark import check_release
from spark_deid.release.commit import is_release, verify_release
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import read_table, write_absent, write_rows, write_scratch, write_table
from spark_deid.release.workspace import (
    MARKER,
    FolderKind,
    OccupiedError,
    RunWorkspace,
    check_place,
    open_places,
    open_release,
    open_workspace,
)
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.rewriting.suppress import placeholder
from spark_deid.storage.lock import jvm_holds, jvm_lock_path
from tests.spark.decided import Row
from tests.unit.release.scan import scan_data, scan_release

PLAN = "a" * 64
ROWS: list[Row] = [
    ("a", "p1", "Zoë Quincy lives in Ulm.", {"year": "2001"}),
    ("b", "p2", "😀 Aaron Zimt is away.", {}),
    ("c", None, "Nobody here.", {}),
]
SPANS: list[Row] = [("a", 0, 10, "NAME", None, "gold", None), ("b", 2, 12, "NAME", 0.9, "model/round-1", None)]
EDITS: list[Row] = [("a", 0, 10, "suppress", "[NAME]"), ("b", 2, 12, "suppress", "[NAME]")]
SURFACES = ["Zoë Quincy", "Aaron Zimt"]


@pytest.fixture
def make(spark: SparkSession) -> Callable[[str, list[Row]], DataFrame]:
    return lambda name, rows: spark.createDataFrame(rows, tables.ddl(tables.TABLES[name]))


Make = Callable[[str, list[Row]], DataFrame]


@pytest.fixture
def workspace(tmp_path: Path) -> RunWorkspace:
    return open_workspace(tmp_path / "work space", PLAN)


def published(make: Make) -> DataFrame:
    return rewrite(make("documents", ROWS), make("edits", EDITS)).select("doc_id", "text")


def test_every_table_exists_and_reads_back(spark: SparkSession, make: Make, workspace: RunWorkspace) -> None:
    write_table(make("documents", ROWS), workspace, "documents")
    write_rows([("guarantee", "k=4", 0.0, 0.0, True, "")], workspace, "assessments")
    assert set(write_absent(workspace)) == set(tables.TABLES) - {"documents", "assessments"}
    assert sorted(map(tuple, read_table(spark, workspace, "documents").collect())) == ROWS
    assert [row.value for row in read_table(spark, workspace, "assessments").collect()] == [0.0]
    empty = read_table(spark, workspace, "spans")
    assert empty.columns == tables.SPANS.names
    assert empty.collect() == []


def test_small_tables_are_what_spark_writes(spark: SparkSession, make: Make, workspace: RunWorkspace) -> None:
    write_rows(ROWS, workspace, "documents")
    assert sorted(map(tuple, read_table(spark, workspace, "documents").collect())) == ROWS
    more = make("documents", [("d", None, "More.", {})])
    more.write.format("delta").mode("append").save(workspace.folder.child("documents").uri)
    assert read_table(spark, workspace, "documents").count() == 4


def test_workspace_log_holds_no_text(make: Make, workspace: RunWorkspace) -> None:
    write_table(make("documents", ROWS), workspace, "documents")
    write_rows(EDITS, workspace, "edits")
    root = Path(workspace.folder.uri.removeprefix("file://"))
    assert scan_release(root, [str(row[2]) for row in ROWS]) == ()
    assert scan_data(root, SURFACES) != ()


def test_columns_are_cast_and_put_in_order(spark: SparkSession, workspace: RunWorkspace) -> None:
    rows = spark.createDataFrame([("late", 1, 3, 0)], "replacement string, end bigint, doc_id int, start bigint")
    edits = rows.selectExpr("*", "'suppress' as technique", "1 as unknown")
    assert tuple(write_table(edits, workspace, "edits").collect()[0]) == ("3", 0, 1, "suppress", "late")


def test_table_is_written_once(make: Make, workspace: RunWorkspace) -> None:
    write_table(make("edits", EDITS), workspace, "edits")
    with pytest.raises(SparkDeidError, match="holds a table already"):
        write_table(make("edits", EDITS), workspace, "edits")


def test_scratch_goes_with_the_run(make: Make, workspace: RunWorkspace) -> None:
    rows = write_scratch(make("edits", EDITS).selectExpr("doc_id as any"), workspace, "decisions")
    assert sorted(row[0] for row in rows.collect()) == ["a", "b"]
    workspace.clean()
    assert workspace.scratch.names() == ()


def test_release_is_one_commit_that_carries_the_manifests_hash(make: Make, tmp_path: Path) -> None:
    release = open_release(tmp_path / "out", PLAN)
    assert not is_release(release)
    publish(published(make), release, {"documents": 3}, "<html></html>")
    assert verify_release(tmp_path / "out") == {"documents": 3}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["documents", "manifest.json", "report.html"]
    log = tmp_path / "out" / "documents" / "_delta_log"
    assert [path.name for path in log.glob("*.json")] == ["00000000000000000000.json"]


def test_released_table_is_what_was_given(spark: SparkSession, make: Make, tmp_path: Path) -> None:
    publish(published(make), open_release(tmp_path / "out", PLAN), {}, "")
    table = spark.read.format("delta").load(str(tmp_path / "out" / "documents"))
    assert sorted(map(tuple, table.collect())) == [
        ("a", "[NAME] lives in Ulm."),
        ("b", "😀 [NAME] is away."),
        ("c", "Nobody here."),
    ]


def test_release_gives_nothing_else_away(spark: SparkSession, make: Make, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(published(make), open_release(out, PLAN), {"documents": 3}, "<p>3 documents</p>")
    texts = [row.text for row in published(make).collect()]
    assert scan_release(out, [*SURFACES, *texts]) == ()
    assert scan_data(out, SURFACES) == ()


def test_scan_finds_what_delta_does_by_default(make: Make, tmp_path: Path) -> None:
    writer = make("documents", ROWS).coalesce(1).write.format("delta").option("delta.dataSkippingNumIndexedCols", "32")
    writer.save(str(tmp_path / "documents"))
    assert {finding.kind for finding in scan_release(tmp_path, ["Aaron Zimt"])} == {"statistics", "probe"}


def test_existing_release_is_refused(make: Make, tmp_path: Path) -> None:
    publish(published(make), open_release(tmp_path / "out", PLAN), {}, "")
    with pytest.raises(OccupiedError, match="contains a release"):
        open_release(tmp_path / "out", PLAN)
    assert is_release(tmp_path / "out")


def test_what_a_killed_run_left_is_replaced(make: Make, tmp_path: Path) -> None:
    out = tmp_path / "out"
    open_release(out, PLAN)
    (out / "manifest.json").write_text("old")
    (out / "documents" / "_delta_log").mkdir(parents=True)
    (out / "documents" / "part-00000.parquet").write_text("torn")
    with open_places(str(tmp_path / "in"), str(tmp_path / "work"), str(out), PLAN) as places:
        publish(published(make), places.release, {"documents": 3}, "")
    assert verify_release(out) == {"documents": 3}
    assert not (out / "documents" / "part-00000.parquet").exists()
    assert not (out / MARKER).exists()


def test_failed_commit_leaves_no_release(spark: SparkSession, tmp_path: Path) -> None:
    release = open_release(tmp_path / "out", PLAN)
    broken = spark.range(1).selectExpr("'a' as doc_id", "cast(raise_error('no') as string) as text")
    with pytest.raises(Exception, match="no"):
        publish(broken, release, {}, "")
    assert not is_release(release)
    open_release(tmp_path / "out", PLAN)


def test_metadata_reports_what_the_manifest_is(make: Make, tmp_path: Path, spark: SparkSession) -> None:
    publish(published(make), open_release(tmp_path / "out", PLAN), {"documents": 3}, "")
    history = spark.sql(f"DESCRIBE HISTORY delta.`{tmp_path / 'out' / 'documents'}`").collect()
    assert len(history) == 1
    digests = {f"{name}_sha256" for name in ("manifest", "report", "documents", "log")}
    assert set(json.loads(history[0].userMetadata)) == {*digests, "spark_deid"}


@pytest.mark.parametrize(
    ("spans", "edits", "faults"),
    [
        (SPANS, EDITS, CoverageFaults(documents=3)),
        (SPANS, EDITS[1:], CoverageFaults(documents=3, uncovered=10)),
        (
            SPANS,
            [*EDITS, ("a", 4, 12, "suppress", "[X]")],
            CoverageFaults(documents=3, overlapping=1, unexpected=1, overreaching=1, altered=1),
        ),
        ([*SPANS, ("x", 0, 3, "NAME", None, "gold", None)], EDITS, CoverageFaults(documents=3, uncovered=3)),
        ([*SPANS, ("c", 0, 6, "NAME", None, "patterns/x", None)], EDITS, CoverageFaults(documents=3)),
        ([*SPANS, ("c", 0, 6, "NAME", None, "oracle/x", None)], EDITS, CoverageFaults(documents=3, uncovered=6)),
        (SPANS, [*EDITS, ("c", 0, 6, "suppress", "Nobody")], CoverageFaults(documents=3, unchanged=1)),
        (SPANS, [*EDITS, ("c", 0, 6, "echo", "Nobody")], CoverageFaults(documents=3, unchanged=1)),
    ],
)
def test_gate_counts_faults(make: Make, spans: list[Row], edits: list[Row], faults: CoverageFaults) -> None:
    lazily = rewrite(make("documents", ROWS), make("edits", [e for e in edits if e[4] != "[X]"]))
    counted = check_release(
        make("documents", ROWS),
        lazily,
        make("spans", spans),
        make("edits", edits),
        checking=CheckSettings(("patterns",), {"suppress": placeholder}),
    )
    assert counted == faults


def test_gate_notices_lost_foreign_and_altered_documents(make: Make) -> None:
    rows: list[Row] = [
        ("a", None, "[NAME] lives in ulm.", {}),
        ("c", None, "Nobody here.", {}),
        ("z", None, "Who?", {}),
    ]
    counted = check_release(
        make("documents", ROWS),
        make("documents", rows),
        make("spans", SPANS),
        make("edits", EDITS),
        checking=CheckSettings(("model",), {"suppress": placeholder}),
    )
    assert counted == CoverageFaults(documents=3, altered=1, lost=1, foreign=1)


def test_remote_folder_is_read_and_written_through_spark(spark: SparkSession, tmp_path: Path) -> None:
    folder = HadoopFolder(spark, f"file:{tmp_path}/far away")
    assert folder.names() == ()
    assert folder.read("a") is None
    folder.child("b").make()
    folder.write("a", bytes(range(256)))
    assert folder.names() == ("a", "b")
    assert folder.read("a") == bytes(range(256))
    assert folder.read("b") is None
    folder.remove("b")
    folder.remove("absent")
    assert folder.names() == ("a",)
    with pytest.raises(OccupiedError):
        check_place(folder, FolderKind.RELEASE)


def test_jvm_locks_folders_for_a_block(spark: SparkSession, tmp_path: Path) -> None:
    with held_by_jvm(spark, *map(jvm_lock_path, (tmp_path / "work", tmp_path / "out"))):
        assert jvm_holds(tmp_path / "work")
        assert jvm_holds(tmp_path / "out")
    assert not jvm_holds(tmp_path / "work")
