import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.release.scan import Finding, scan_data, scan_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    log = tmp_path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    action = {"add": {"path": "part-0.parquet", "partitionValues": {}, "stats": json.dumps({"numRecords": 1})}}
    (log / "00000000000000000000.json").write_text(json.dumps(action))
    pq.write_table(pa.table({"text": ["I am [NAME]."]}), tmp_path / "documents" / "part-0.parquet")
    (tmp_path / "manifest.json").write_text('{"documents": 1}')
    (tmp_path / "report.html").write_text("<p>1 document</p>")
    return tmp_path


def test_clean_release(release: Path) -> None:
    assert scan_release(release, ["Ann", "O'Hara"]) == ()
    assert scan_data(release, ["Ann"]) == ()


def test_probe_in_a_page_as_html_writes_it(release: Path) -> None:
    (release / "report.html").write_text("<p>O&#x27;Hara</p>")
    assert scan_release(release, ["O'Hara"]) == (Finding("report.html", "probe", 1),)


def test_probe_in_a_manifest_as_json_writes_it(release: Path) -> None:
    (release / "manifest.json").write_text(json.dumps({"name": "Núñez"}))
    assert scan_release(release, ["Núñez"]) == (Finding("manifest.json", "probe", 1),)


def test_probe_in_data(release: Path) -> None:
    assert scan_data(release, ["I am ["]) == (Finding("documents/part-0.parquet", "probe", 1),)


@pytest.mark.parametrize("key", ["minValues", "maxValues"])
def test_statistics_in_the_log(release: Path, key: str) -> None:
    action = {"add": {"path": "p", "partitionValues": {}, "stats": json.dumps({key: {"text": "I am"}})}}
    (release / "documents" / "_delta_log" / "00000000000000000001.json").write_text(json.dumps(action))
    assert [finding.kind for finding in scan_release(release)] == ["statistics"]


def test_statistics_and_probe_in_a_checkpoint(release: Path) -> None:
    rows = [{"add": {"path": "p", "stats": json.dumps({"minValues": {"text": "Ann Lee"}})}}]
    checkpoint = release / "documents" / "_delta_log" / "00000000000000000010.checkpoint.parquet"
    pq.write_table(pa.Table.from_pylist(rows), checkpoint)
    assert {finding.kind for finding in scan_release(release, ["Ann Lee"])} == {"statistics", "probe"}


def test_parsed_statistics_in_a_checkpoint(release: Path) -> None:
    rows = [{"add": {"path": "p", "stats_parsed": {"minValues": {"text": "Ann"}, "maxValues": {"text": None}}}}]
    checkpoint = release / "documents" / "_delta_log" / "00000000000000000010.checkpoint.parquet"
    pq.write_table(pa.Table.from_pylist(rows), checkpoint)
    assert [finding.kind for finding in scan_release(release)] == ["statistics"]


def test_partition_names(release: Path) -> None:
    action = {"add": {"path": "name=Ann/p", "partitionValues": {"name": "Ann"}}}
    (release / "documents" / "_delta_log" / "00000000000000000001.json").write_text(json.dumps(action))
    assert {finding.kind for finding in scan_release(release)} == {"partition"}
