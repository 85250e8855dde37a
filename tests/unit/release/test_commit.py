import json
from pathlib import Path

import pytest

from spark_deid.release.commit import ReleaseError, is_release, user_metadata, verify_release

MANIFEST = b'{"documents": 1}'


def write_release(path: Path, manifest: bytes = MANIFEST) -> None:
    log = path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    actions = [{"commitInfo": {"userMetadata": user_metadata(manifest, "0.1.0")}}, {"add": {"path": "commitInfo"}}]
    (log / "00000000000000000000.json").write_text("\n".join(map(json.dumps, actions)))
    (path / "manifest.json").write_bytes(MANIFEST)


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
