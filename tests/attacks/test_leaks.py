"""Removed text that reaches a release beside its documents, or stands in what of them is published."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused
from spark_deid.pipeline import describing, release_folder
from spark_deid.storage import delta_log
from tests.attacks.runs import run

SECRET = "quincy.zimt@example.com"
LINES: list[dict[str, object]] = [
    {"doc_id": "quincy.zimt", "text": f"Write to {SECRET} today", "meta": {"ward": "9"}},
    {"doc_id": "b", "text": "Write to ann.lee@example.org today", "meta": {"ward": f"of {SECRET}"}},
]
PLAN: dict[str, Any] = {"patterns": {"kinds": ["email"]}}


def test_what_leaks_into_the_manifest_takes_the_release_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = describing.public_plan
    monkeypatch.setattr(describing, "public_plan", lambda settings: told(settings) | {"terms": [f"x{SECRET}"]})
    with pytest.raises(GateRefused, match=r"contain removed text \(manifest.json: EMAIL 1\)") as refused:
        run(tmp_path, LINES, **PLAN)
    assert refused.value.exit_code == 3
    assert SECRET not in str(refused.value)
    assert not (tmp_path / "release").exists()


def test_what_the_commit_itself_adds_takes_the_release_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_entry(folder: Any, parts: Any, entry: bytes) -> None:
        delta_log.write_entry(folder, parts, entry + json.dumps({"txn": {"appId": SECRET}}).encode() + b"\n")

    monkeypatch.setattr("spark_deid.release.publish.write_entry", write_entry)
    with pytest.raises(GateRefused, match="the log of its table: EMAIL 1"):
        run(tmp_path, LINES, **PLAN)
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("ids", ["keep", "keyed"])
def test_documents_in_which_removed_text_remains_are_named_as_they_are_released(
    spark: SparkSession, tmp_path: Path, ids: str
) -> None:
    said: list[str] = []
    lines: list[dict[str, object]] = [
        {"doc_id": "a", "text": "Dr. Quibblewick came."},
        {"doc_id": "zoe_lee", "text": "Quibblewick came. Dr. Zoe Lee left."},
        {"doc_id": "c", "text": "Nobody came."},
    ]
    done = run(tmp_path, lines, **{"patterns": {"kinds": ["titled"]}, "release_ids": ids}, progress=said.append)
    released = spark.read.format("delta").load(str(done.release / "documents"))
    ((name,),) = released.where("text LIKE 'Quibblewick came.%'").select("doc_id").collect()
    assert (name == "zoe_lee") == (ids == "keep")
    whole = json.loads((done.workspace / "manifest.json").read_text())
    assert whole["documents_with_removed"]["texts"] == {"documents": 1, "ids": [name]}
    assert "documents_with_removed" not in done.manifest
    (told,) = [line for line in said if "is still published in texts" in line]
    shown = {"keyed": name, "keep": "documents_with_removed in the workspace's manifest lists the first of them"}
    assert f"by label: NAME 1 (in 1 document{': ' if ids == 'keyed' else '. '}{shown[ids]}). To hide it there" in told
    assert not [line for line in said if "quibblewick" in line.lower() or "zoe" in line.lower()]
    marked = done.workspace / "passages.html"
    assert (marked.stat().st_mode & 0o777) == 0o600
    page = marked.read_text()
    assert re.search('<mark class="missed[^>]*>Quibblewick<small>', page)
    assert "Nobody came" not in page
    report = (done.release / "report.html").read_text()
    assert str(tmp_path) not in report
    assert "href" not in report.replace('href="#', "")


def test_what_is_in_published_columns_is_counted_and_warned_of(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_folder, "noted_by", lambda counted: (f"{len(counted.edits)} technique was well",))
    said: list[str] = []
    # The report says when it was made, so a date of today that is removed stands there as well, and is no leak.
    today = {"doc_id": "c", "text": f"Seen on {datetime.now(UTC).date().isoformat()}"}
    plan: dict[str, Any] = {"patterns": {"kinds": ["email", "date"]}}
    done = run(tmp_path, [*LINES, today], **plan, metadata=["ward"], progress=said.append)
    whole = json.loads((done.workspace / "manifest.json").read_text())
    counted = whole["removed_and_published"]
    assert counted == {"ids": {"EMAIL": 1}, "kept columns": {"EMAIL": 2}}
    assert "removed_and_published" not in done.manifest
    assert any("published in ids, by label: EMAIL 1" in line for line in said)
    assert sum("metadata.ward: published unchanged" in line and "EMAIL in 1 document." in line for line in said) == 1
    report = (done.release / "report.html").read_text()
    assert "<dt>Removed and published</dt>" in report
    assert "1 technique was well." in report
    assert not any("quincy" in line for line in said)
    stages, told = ([each["stage"] for each in times["stages"]] for times in (whole["times"], done.manifest["times"]))
    assert stages[:3] == ["start Spark", "read", "find and rewrite"]
    assert stages[-3:] == ["write the release", "search the other files of the release for removed text", "commit"]
    assert told == stages[:-3]
