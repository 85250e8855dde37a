"""What of a workspace can turn made-up values back, by name, and when nothing can."""

import json
from pathlib import Path

from spark_deid.app.restoring import has_originals, is_invented, reversing_parts
from spark_deid.storage.folder import folder_at


def test_releases_with_made_up_values_are_distinguished_from_others() -> None:
    for technique, invented in (("pseudonym", True), ("surrogate", True), ("shift", True), ("suppress", False)):
        assert is_invented({"plan": {"rules": {"NAME": technique}}}) == invented
    assert not is_invented({})
    assert not is_invented({"plan": {"rules": {"NAME": "of another package"}}})


def test_what_must_go_is_named_until_it_is_gone(tmp_path: Path) -> None:
    for name in ("documents", "edits", "pseudonyms", "assessments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part").write_text("x")
    (tmp_path / "secret.key").write_bytes(b"k")
    plan = {"key_file": "/keys/own", "input": {"path": "/notes"}}
    (tmp_path / "manifest.json").write_text(json.dumps({"plan": plan}))
    folder = folder_at(str(tmp_path))
    elsewhere = ("key_file /keys/own", "input /notes")
    assert reversing_parts(folder) == ("documents", "edits", "pseudonyms", "secret.key", *elsewhere)
    assert has_originals(folder)
    (tmp_path / "edits/part").unlink()
    assert not has_originals(folder)
    (tmp_path / "edits").rmdir()
    assert reversing_parts(folder) == ("documents", "pseudonyms", "secret.key", *elsewhere)


def test_tables_and_workspaces_that_rules_name_are_among_it(tmp_path: Path) -> None:
    rules = {
        "DATE": {"technique": "shift", "offsets": "/own/offsets.csv"},
        "VISIT": {"technique": "shift", "offsets": "/own/offsets.csv"},
        "NAME": {"technique": "surrogate", "continue": "/earlier"},
        "CITY": {"technique": "surrogate", "continue": None},
        "MAIL": "suppress",
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"plan": {"rules": rules}}))
    assert reversing_parts(folder_at(str(tmp_path))) == ("offsets /own/offsets.csv", "continue /earlier")


def test_an_empty_workspace_turns_nothing_back(tmp_path: Path) -> None:
    assert reversing_parts(folder_at(str(tmp_path))) == ()
