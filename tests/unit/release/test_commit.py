import hashlib
import json
from pathlib import Path

import pytest

from spark_deid.release.commit import (
    ChangedReleaseError,
    ReleaseError,
    has_digests,
    is_release,
    user_metadata,
    verify_release,
)
from spark_deid.storage.parts import Part

MANIFEST = b'{"documents": 1}'


FILE, REPORT, ROWS = "part-0.parquet", b"<p>1</p>", b"rows"


def write_release(path: Path, manifest: bytes = MANIFEST, *, digests: bool = True) -> None:
    log = path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    parts = (Part(FILE, 1, len(ROWS), hashlib.sha256(ROWS).hexdigest()),)
    metadata = json.loads(user_metadata(manifest, REPORT, parts, "0.1.0"))
    if not digests:
        del metadata["report_sha256"], metadata["documents_sha256"]
    actions = [{"commitInfo": {"userMetadata": json.dumps(metadata)}}, {"add": {"path": FILE}}]
    (log / "00000000000000000000.json").write_text("\n".join(map(json.dumps, actions)))
    (path / "documents" / FILE).write_bytes(ROWS)
    (path / "manifest.json").write_bytes(MANIFEST)
    (path / "report.html").write_bytes(REPORT)


def test_committed_release(tmp_path: Path) -> None:
    write_release(tmp_path)
    assert is_release(tmp_path)
    assert verify_release(tmp_path) == {"documents": 1}


def test_folder_without_a_commit_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    assert not is_release(tmp_path)
    assert not is_release(tmp_path / "absent")
    with pytest.raises(ReleaseError, match="no commit of ours"):
        verify_release(tmp_path)


def test_anothers_delta_table_is_no_release(tmp_path: Path) -> None:
    log = tmp_path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text('{"commitInfo": {"userMetadata": "mine"}}\n{"commitInfo": {}}')
    assert not is_release(tmp_path)


def test_changed_manifest_is_noticed(tmp_path: Path) -> None:
    write_release(tmp_path, manifest=b"{}")
    with pytest.raises(ReleaseError, match="not the one that was committed"):
        verify_release(tmp_path)


def test_missing_manifest_is_noticed(tmp_path: Path) -> None:
    write_release(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ReleaseError, match="is missing"):
        verify_release(tmp_path)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("report.html", r"report\.html is not the one"),
        (f"documents/{FILE}", "documents are not those"),
        ("documents/_delta_log/00000000000000000001.json", "a later version"),
        ("documents/_delta_log/00000000000000000000.checkpoint.parquet", "a later version"),
        ("documents/_delta_log/_last_checkpoint", "a later version"),
        ("documents/part-1.parquet", "beside its documents lie 1 files"),
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
    with pytest.raises(ChangedReleaseError, match="documents are not those"):
        verify_release(tmp_path)


def test_a_release_of_before_has_no_digests_and_is_read(tmp_path: Path) -> None:
    write_release(tmp_path / "new")
    write_release(tmp_path / "old", digests=False)
    (tmp_path / "old" / "report.html").write_bytes(b"another")
    assert has_digests(tmp_path / "new")
    assert not has_digests(tmp_path / "old")
    assert verify_release(tmp_path / "old") == {"documents": 1}
