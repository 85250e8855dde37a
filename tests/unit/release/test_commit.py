import hashlib
import json
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark_deid.release.commit import (
    ChangedReleaseError,
    ReleaseError,
    has_digests,
    is_release,
    seal_entry,
    user_metadata,
    verify_release,
)
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG, entry_of
from spark_deid.storage.parts import PartFile

MANIFEST = b'{"documents": 1}'


FILE, REPORT, ROWS = "part-0.parquet", b"<p>1</p>", b"rows"
DIGESTS = ("manifest", "report", "documents", "log")


def write_release(
    path: Path, manifest: bytes = MANIFEST, *, digests: Collection[str] = DIGESTS, content: str = "documents"
) -> Path:
    log = path / content / LOG
    log.mkdir(parents=True)
    parts = (PartFile(FILE, 1, len(ROWS), hashlib.sha256(ROWS).hexdigest()),)
    told = json.loads(user_metadata(manifest, REPORT, parts, "0.1.0"))
    kept = {name: value for name, value in told.items() if not name.endswith("sha256") or name[:-7] in digests}
    schema = pa.schema([("doc_id", pa.string()), ("text", pa.string())])
    (log / FIRST_COMMIT).write_bytes(seal_entry(entry_of(schema, parts, json.dumps(kept))))
    (path / content / FILE).write_bytes(ROWS)
    (path / "manifest.json").write_bytes(MANIFEST)
    (path / "report.html").write_bytes(REPORT)
    return log / FIRST_COMMIT


def test_committed_release(tmp_path: Path) -> None:
    write_release(tmp_path)
    assert is_release(tmp_path)
    assert verify_release(tmp_path) == {"documents": 1}


def test_folder_without_a_commit_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    assert not is_release(tmp_path)
    assert not is_release(tmp_path / "absent")
    with pytest.raises(ReleaseError, match="no commit of spark_deid"):
        verify_release(tmp_path)


def test_anothers_delta_table_is_no_release(tmp_path: Path) -> None:
    log = tmp_path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text('{"commitInfo": {"userMetadata": "mine"}}\n{"commitInfo": {}}')
    assert not is_release(tmp_path)


def test_changed_manifest_is_noticed(tmp_path: Path) -> None:
    write_release(tmp_path, manifest=b"{}")
    with pytest.raises(ReleaseError, match="differs from the committed"):
        verify_release(tmp_path)


def test_missing_manifest_is_noticed(tmp_path: Path) -> None:
    write_release(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ReleaseError, match="is missing"):
        verify_release(tmp_path)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("report.html", r"report\.html differs from"),
        (f"documents/{FILE}", "documents differ from the commit"),
        ("documents/_delta_log/00000000000000000001.json", "a later version"),
        ("documents/_delta_log/00000000000000000000.checkpoint.parquet", "a later version"),
        ("documents/_delta_log/_last_checkpoint", "a later version"),
        ("documents/_delta_log/00000000000000000000.crc", "a later version"),
        ("documents/_delta_log/00000000000000000000.00000000000000000001.compacted.json", "a later version"),
        ("documents/part-1.parquet", "1 files or folders next to its documents"),
        ("documents/_common_metadata", "1 files or folders next to its documents"),
        ("documents/_metadata", "1 files or folders next to its documents"),
        ("documents/_ward=1", "1 files or folders next to its documents"),
    ],
)
def test_whatever_was_changed_since_is_noticed(tmp_path: Path, file: str, told: str) -> None:
    write_release(tmp_path)
    (tmp_path / file).write_bytes(b"rowz")
    with pytest.raises(ChangedReleaseError, match=told) as refused:
        verify_release(tmp_path)
    assert refused.value.exit_code == 3


def test_lost_documents_are_noticed(tmp_path: Path) -> None:
    write_release(tmp_path)
    (tmp_path / "documents" / FILE).unlink()
    with pytest.raises(ChangedReleaseError, match="documents differ from the commit"):
        verify_release(tmp_path)


Actions = dict[str, Any]


def add_statistics(actions: Actions) -> None:
    actions["add"]["stats"] = '{"numRecords": 7}'


def add_column(actions: Actions) -> None:
    actions["metaData"]["schemaString"] = actions["metaData"]["schemaString"].replace("doc_id", "text_id")


def add_partition(actions: Actions) -> None:
    actions["metaData"]["partitionColumns"] = ["doc_id"]
    actions["add"]["partitionValues"] = {"doc_id": "Ann"}


def add_property(actions: Actions) -> None:
    actions["metaData"]["configuration"]["delta.columnMapping.mode"] = "name"


def raise_protocol(actions: Actions) -> None:
    actions["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"]}


def delete_rows(actions: Actions) -> None:
    actions["add"]["deletionVector"] = {"storageType": "i", "pathOrInlineDv": "", "sizeInBytes": 1, "cardinality": 1}


def tell_more(actions: Actions) -> None:
    actions["commitInfo"]["operation"] = "Ann Lee"


def tell_another_version(actions: Actions) -> None:
    told = json.loads(actions["commitInfo"]["userMetadata"])
    actions["commitInfo"]["userMetadata"] = json.dumps(told | {"spark_deid": "9"})


def describe(actions: Actions) -> None:
    actions["metaData"]["description"] = "Ann Lee"


def add_action(actions: Actions) -> None:
    actions["txn"] = {"appId": "Ann Lee", "version": 1}


def remove_file(actions: Actions) -> None:
    actions["remove"] = {"path": FILE, "dataChange": True}


EDITS = (
    add_statistics,
    add_column,
    add_partition,
    add_property,
    raise_protocol,
    delete_rows,
    tell_more,
    tell_another_version,
    describe,
    add_action,
    remove_file,
)


@pytest.mark.parametrize("edit", EDITS, ids=[edit.__name__ for edit in EDITS])
def test_an_edited_log_is_noticed_though_its_files_are_those_that_were_committed(
    tmp_path: Path, edit: Callable[[Actions], None]
) -> None:
    log = write_release(tmp_path)
    actions = {name: body for line in log.read_text().splitlines() for name, body in json.loads(line).items()}
    edit(actions)
    log.write_text("".join(json.dumps({name: body}) + "\n" for name, body in actions.items()))
    with pytest.raises(ChangedReleaseError, match="the log of its documents differs") as refused:
        verify_release(tmp_path)
    assert refused.value.exit_code == 3


def test_a_byte_more_in_the_log_is_noticed(tmp_path: Path) -> None:
    log = write_release(tmp_path)
    log.write_bytes(log.read_bytes() + b"\n")
    with pytest.raises(ChangedReleaseError, match="the log of its documents"):
        verify_release(tmp_path)


def test_a_digest_of_the_log_that_is_spelt_another_way_is_none(tmp_path: Path) -> None:
    log = write_release(tmp_path)
    entry = log.read_text().replace("WRITE", "ERASE")
    digest = json.loads(json.loads(entry.splitlines()[0])["commitInfo"]["userMetadata"])["log_sha256"]
    log.write_text(entry.replace(digest, f"{digest[:-1]}\\\\u{ord(digest[-1]):04x}"))
    with pytest.raises(ChangedReleaseError, match="the log of its documents"):
        verify_release(tmp_path)


def test_documents_next_to_a_copy_of_what_was_committed_are_noticed(tmp_path: Path) -> None:
    write_release(tmp_path)
    shutil.copytree(tmp_path / "documents", tmp_path / "table")
    (tmp_path / "documents" / FILE).write_bytes(b"rowz")
    with pytest.raises(ChangedReleaseError, match="found both"):
        verify_release(tmp_path)


def test_documents_under_another_name_are_noticed(tmp_path: Path) -> None:
    write_release(tmp_path, content="table")
    with pytest.raises(ChangedReleaseError, match="was renamed"):
        verify_release(tmp_path)


@pytest.mark.parametrize("held", [("manifest",), ("manifest", "report", "documents")], ids=len)
def test_a_release_of_before_lacks_digests_and_is_read(tmp_path: Path, held: Collection[str]) -> None:
    write_release(tmp_path / "new")
    write_release(tmp_path / "old", digests=held)
    (tmp_path / "old" / "report.html").write_bytes(REPORT if "report" in held else b"another")
    assert has_digests(tmp_path / "new")
    assert not has_digests(tmp_path / "old")
    assert verify_release(tmp_path / "old") == {"documents": 1}
