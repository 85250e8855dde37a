"""A release that somebody changed after it was made, with whatever else must fit."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_deid.app.anonymizing import anonymize
from spark_deid.app.assessing import recount_release
from spark_deid.app.options.assessing import AssessReleaseOptions, VerifyOptions
from spark_deid.app.options.tables import AnonymizeOptions
from spark_deid.app.verified_release import compare_texts, verify_release
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import file_sha256
from spark_deid.release.commit import ChangedReleaseError, ReleaseError, digest_of, seal_entry
from spark_deid.release.record import compare, read_record
from spark_deid.release.workspace import finish_interrupted
from spark_deid.repeats.settings import CountingUnit
from spark_deid.storage.folder import folder_at
from spark_deid.storage.parts import PartFile
from tests.attacks.runs import Done, run

LOG = Path("documents", "_delta_log", "00000000000000000000.json")


@pytest.fixture(scope="module")
def done(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Done:
    lines = [{"doc_id": str(n), "text": f"Write to ann{n}@example.com, ward {n}"} for n in range(3)]
    return run(tmp_path_factory.mktemp("run"), lines, patterns={"kinds": ["email"]})


@pytest.fixture
def release(done: Done, tmp_path: Path) -> Path:
    return Path(shutil.copytree(done.release, tmp_path / "release"))


def verify(release: Path) -> None:
    verify_release(VerifyOptions(release=str(release)), lambda told: None)


def swap_texts(release: Path) -> None:
    """Put other wards into the documents, with the same number of bytes."""
    [path] = (release / "documents").glob("*.parquet")
    table = pq.read_table(path)
    texts = [text.replace("ward 1", "ward 9") for text in table["text"].to_pylist()]
    pq.write_table(table.set_column(1, "text", pa.array(texts)), path, compression="snappy", write_statistics=False)


def commit_again(release: Path) -> None:
    """Make the digests of the commit those of what lies there."""
    actions = [json.loads(line) for line in (release / LOG).read_text().splitlines()]
    metadata = json.loads(actions[0]["commitInfo"]["userMetadata"])
    parts = [PartFile(path.name, 0, 0, file_sha256(path)) for path in (release / "documents").glob("*.parquet")]
    told = metadata | {"documents_sha256": digest_of(parts), "log_sha256": "0" * 64}
    actions[0]["commitInfo"]["userMetadata"] = json.dumps(told)
    (release / LOG).write_bytes(seal_entry("".join(json.dumps(action) + "\n" for action in actions).encode()))


@pytest.mark.thorough
def test_what_was_made_is_verified_without_spark_and_with_it(spark: SparkSession, done: Done) -> None:
    told = verify_release(VerifyOptions(release=str(done.release), workspace=str(done.workspace)), lambda told: None)
    verify(done.release)
    assert told.to_json() == {"release": str(done.release), "documents": 3, "compared": True}


def test_a_later_version_is_refused(spark: SparkSession, release: Path) -> None:
    spark.createDataFrame([("4", "Ann")], "doc_id string, text string").write.format("delta").mode("append").save(
        str(release / "documents")
    )
    with pytest.raises(ChangedReleaseError, match="a later version"):
        verify(release)
    options = AssessReleaseOptions(release=str(release), k=2, unit=CountingUnit.DOCUMENT, published=True)
    with pytest.raises(ChangedReleaseError, match="a later version"):
        recount_release(spark, options)


def test_an_edited_report_is_refused(release: Path) -> None:
    report = release / "report.html"
    report.write_text(report.read_text().replace("3 documents", "9 documents") + " ")
    with pytest.raises(ChangedReleaseError, match=r"report\.html differs from"):
        verify(release)


def test_rows_that_the_log_takes_out_of_the_count_are_refused(release: Path) -> None:
    log = release / LOG
    log.write_text(log.read_text().replace('{\\"numRecords\\": 3}', '{\\"numRecords\\": 2}'))
    with pytest.raises(ChangedReleaseError, match="the log of its documents differs"):
        verify(release)


def test_swapped_texts_are_refused(release: Path) -> None:
    swap_texts(release)
    with pytest.raises(ChangedReleaseError, match="documents differ from the commit"):
        verify(release)


def test_texts_that_were_swapped_with_their_digest_are_not_what_edits_make(
    spark: SparkSession, done: Done, release: Path
) -> None:
    swap_texts(release)
    commit_again(release)
    verify(release)
    with pytest.raises(ChangedReleaseError, match="1 documents are missing or differ from the edits") as refused:
        compare_texts(spark, str(release), str(done.workspace), {"plan": {"release_ids": "keep"}})
    assert refused.value.exit_code == 3
    with pytest.raises(ChangedReleaseError, match="1 documents are missing or differ"):
        compare_texts(spark, str(release), str(done.workspace), {"plan": {"release_ids": "keyed"}})


def edit_manifest(release: Path) -> None:
    path = release / "manifest.json"
    path.write_text(path.read_text().replace('"satisfied": true', '"satisfied":  true'))


def edit_report(release: Path) -> None:
    (release / "report.html").write_text((release / "report.html").read_text() + " ")


def name_columns_anew(release: Path) -> None:
    log = release / LOG
    log.write_text(log.read_text().replace('\\"nullable\\": true', '\\"nullable\\": false', 1))


def make_digests_anew(release: Path) -> None:
    """Seal what lies there by now, as whoever has this code can."""
    [folder] = {"documents", "table"} & {path.name for path in release.iterdir()}
    log = release / folder / "_delta_log" / LOG.name
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    told = json.loads(actions[0]["commitInfo"]["userMetadata"])
    parts = [PartFile(path.name, 0, 0, file_sha256(path)) for path in (release / folder).glob("*.parquet")]
    told |= {"manifest_sha256": file_sha256(release / "manifest.json"), "log_sha256": "0" * 64}
    told |= {"report_sha256": file_sha256(release / "report.html"), "documents_sha256": digest_of(parts)}
    actions[0]["commitInfo"]["userMetadata"] = json.dumps(told)
    log.write_bytes(seal_entry("".join(json.dumps(action) + "\n" for action in actions).encode()))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (edit_manifest, "manifest.json, the log"),
        (edit_report, "report.html, the log"),
        (name_columns_anew, "its schema, the log"),
        (swap_texts, "the log of its table, part-"),
    ],
)
def test_a_release_whose_digests_were_made_again_is_not_that_of_its_workspace(
    done: Done, release: Path, change: Callable[[Path], None], named: str
) -> None:
    change(release)
    make_digests_anew(release)
    verify(release)
    place = folder_at(str(done.workspace))
    record = read_record(place)
    assert record is not None
    with pytest.raises(ChangedReleaseError, match=named):
        compare(record, folder_at(str(release)), place)
    compare(record, folder_at(str(done.release)), place)


def test_verify_compares_the_record_before_the_texts(spark: SparkSession, done: Done, release: Path) -> None:
    edit_report(release)
    make_digests_anew(release)
    options = VerifyOptions(release=str(release), workspace=str(done.workspace))
    with pytest.raises(ChangedReleaseError, match=r"The record differs in report\.html"):
        verify_release(options, lambda told: None)


def test_without_a_workspace_it_is_stated_what_can_t_be_reported(done: Done) -> None:
    told: list[str] = []
    verify_release(VerifyOptions(release=str(done.release)), told.append)
    assert any("recomputed the digests" in line for line in told)


def test_what_is_next_to_a_release_is_named(release: Path) -> None:
    for name in ("notes.txt", "documents/_SUCCESS", "documents/.part-0.parquet.crc", ".manifest.json.crc"):
        (release / name).write_text("x")
    told: list[str] = []
    verify_release(VerifyOptions(release=str(release)), told.append)
    assert (
        "warning: the folder of the release has files that were not committed and are not checked: "
        + ("'notes.txt', 'documents/_SUCCESS'")
        in told
    )


def test_a_table_of_people_has_a_record_too(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,ward\n" + "".join(f"{20 + n % 4},{n % 2}\n" for n in range(12)))
    source, out, private = (str(tmp_path / name) for name in ("people.csv", "out", "w"))
    anonymize(AnonymizeOptions(input=source, quasi=("age",), model="k=2", output=out, workspace=private))
    options = VerifyOptions(release=str(tmp_path / "out"), workspace=str(tmp_path / "w"))
    assert verify_release(options, lambda told: None).rows == 12
    edit_report(tmp_path / "out")
    make_digests_anew(tmp_path / "out")
    with pytest.raises(ChangedReleaseError, match=r"report\.html"):
        verify_release(options, lambda told: None)


def test_a_workspace_knows_its_release_by_the_commit_wherever_it_is(done: Done, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(done.release, tmp_path / "moved"))
    workspace = Path(shutil.copytree(done.workspace, tmp_path / "w"))
    marker = workspace / ".spark-deid.json"
    marker.write_text(marker.read_text().replace('"finished": true', '"finished": false'))
    (workspace / ".tmp").mkdir(exist_ok=True)
    finish_interrupted(folder_at(str(moved)), folder_at(str(workspace)))
    assert '"finished": true' in marker.read_text()
    assert not (workspace / ".tmp").exists()
    marker.write_text(marker.read_text().replace('"finished": true', '"finished": false'))
    make_digests_anew(moved)
    edit_report(moved)
    make_digests_anew(moved)
    finish_interrupted(folder_at(str(moved)), folder_at(str(workspace)))
    assert '"finished": false' in marker.read_text()


def test_of_a_release_without_digests_nothing_is_reported(release: Path) -> None:
    actions = [json.loads(line) for line in (release / LOG).read_text().splitlines()]
    metadata = json.loads(actions[0]["commitInfo"]["userMetadata"])
    kept = {name: metadata[name] for name in ("manifest_sha256", "spark_deid")}
    actions[0]["commitInfo"]["userMetadata"] = json.dumps(kept)
    (release / LOG).write_text("".join(json.dumps(action) + "\n" for action in actions))
    with pytest.raises(ReleaseError, match="no digests") as refused:
        verify(release)
    assert refused.value.exit_code == SparkDeidError.exit_code == 1
