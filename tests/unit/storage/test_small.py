import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark_deid.core import tables
from spark_deid.storage.delta_log import write_small_table
from spark_deid.storage.folder import LocalFolder


@pytest.mark.parametrize("name", tables.TABLES)
def test_empty_table_is_one_commit_without_files(name: str, tmp_path: Path) -> None:
    write_small_table((), tables.TABLES[name], LocalFolder(tmp_path / name))
    lines = (tmp_path / name / "_delta_log" / "00000000000000000000.json").read_text().splitlines()
    actions = {kind: body for line in lines for kind, body in json.loads(line).items()}
    assert list(actions) == ["commitInfo", "protocol", "metaData"]
    fields = json.loads(actions["metaData"]["schemaString"])["fields"]
    assert [field["name"] for field in fields] == tables.TABLES[name].names
    assert [path.name for path in (tmp_path / name).iterdir()] == ["_delta_log"]


def test_rows_are_one_file_without_statistics(tmp_path: Path) -> None:
    rows = [("a.txt", "nul", "a NUL byte", 1), ("b.txt", "empty", "no text", None)]
    write_small_table(rows, tables.REJECTS, LocalFolder(tmp_path / "rejects"))
    lines = (tmp_path / "rejects" / "_delta_log" / "00000000000000000000.json").read_text().splitlines()
    add = json.loads(lines[-1])["add"]
    assert json.loads(add["stats"]) == {"numRecords": 2}
    table = pq.ParquetFile(tmp_path / "rejects" / add["path"]).read()
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
