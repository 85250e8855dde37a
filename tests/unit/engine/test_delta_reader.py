"""Logs of Delta tables, read without an engine: commits, checkpoints, partitions, and features that are refused."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import CorpusError
from spark_deid.engine.delta_reader import LOG, is_table, read_log
from spark_deid.storage.delta_log import write_small_table
from spark_deid.storage.folder import LocalFolder

SCHEMA = '{"type":"struct","fields":[]}'
HEADER = (
    {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
    {"metaData": {"schemaString": SCHEMA, "partitionColumns": [], "configuration": {}}},
)


def add(path: str, **more: Any) -> dict[str, Any]:
    return {"add": {"path": path, "partitionValues": {}, **more}}


def table(folder: Path, *commits: tuple[dict[str, Any], ...]) -> Path:
    (folder / LOG).mkdir(parents=True)
    for version, actions in enumerate(commits):
        lines = "".join(json.dumps(action) + "\n" for action in actions)
        (folder / LOG / f"{version:020}.json").write_text(lines)
    return folder


def names(folder: Path, version: int | None = None) -> list[str]:
    return [file.path.name for file in read_log(folder, version).files]


def test_a_version_has_the_files_that_were_added_and_not_removed(tmp_path: Path) -> None:
    folder = table(tmp_path / "t", (*HEADER, add("a"), add("b%20c")), ({"remove": {"path": "a"}}, add("d")))
    assert names(folder) == ["b c", "d"]
    assert names(folder, 0) == ["a", "b c"]
    assert read_log(folder).version == 1


def test_our_own_tables_are_read(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path / "t")
    write_small_table([("a", 1)], pa.schema([("x", pa.string()), ("n", pa.int64())]), folder)
    found = read_log(folder.path)
    assert [pq.read_table(file.path).to_pylist() for file in found.files] == [[{"x": "a", "n": 1}]]
    assert [each["name"] for each in json.loads(found.schema)["fields"]] == ["x", "n"]
    assert is_table(folder.path)
    assert not is_table(tmp_path)


def test_a_checkpoint_replaces_earlier_commits(tmp_path: Path) -> None:
    folder = table(tmp_path / "t", (), (), (add("late"),))
    for version in (0, 1):
        (folder / LOG / f"{version:020}.json").unlink()
    values = pa.map_(pa.string(), pa.string())
    kinds = pa.schema(
        [
            ("protocol", pa.struct([("minReaderVersion", pa.int32()), ("readerFeatures", pa.list_(pa.string()))])),
            (
                "metaData",
                pa.struct(
                    [
                        ("schemaString", pa.string()),
                        ("partitionColumns", pa.list_(pa.string())),
                        ("configuration", values),
                    ]
                ),
            ),
            ("add", pa.struct([("path", pa.string()), ("partitionValues", values)])),
        ]
    )
    rows = [
        {"protocol": {"minReaderVersion": 1}},
        {"metaData": {"schemaString": SCHEMA, "partitionColumns": ["day"], "configuration": []}},
        {"add": {"path": "day=1/early", "partitionValues": [("day", "1")]}},
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=kinds), folder / LOG / f"{1:020}.checkpoint.parquet")
    found = read_log(folder)
    assert [(file.path.name, dict(file.partition)) for file in found.files] == [("early", {"day": "1"}), ("late", {})]
    assert found.partition_columns == ("day",)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ((*HEADER, add("a", deletionVector={"storageType": "u"})), "deletion vectors"),
        (({"protocol": {"minReaderVersion": 4}},), "reader version 4"),
        (({"protocol": {"minReaderVersion": 3, "readerFeatures": ["variantType"]}},), "a newer reader"),
        (({"metaData": {"schemaString": "{}", "configuration": {"delta.columnMapping.mode": "id"}}},), "mapping"),
        ((*HEADER, add("file:///elsewhere")), "outside its folder"),
        ((*HEADER, add("../elsewhere")), "outside its folder"),
        ((*HEADER, add("%2Fetc/passwd")), "outside its folder"),
        (({"protocol": {}},), "damaged"),
        (({"add": {"path": None}},), "damaged"),
    ],
)
def test_what_this_reader_does_not_know_is_refused_by_name(
    tmp_path: Path, actions: tuple[dict[str, Any], ...], words: str
) -> None:
    with pytest.raises(CorpusError, match=words):
        read_log(table(tmp_path / "t", actions))


def test_a_missing_commit_is_no_empty_table(tmp_path: Path) -> None:
    folder = table(tmp_path / "t", (*HEADER, add("a")), (add("b"),), (add("c"),))
    (folder / LOG / f"{1:020}.json").unlink()
    with pytest.raises(CorpusError, match="version 1 is missing"):
        read_log(folder)
    with pytest.raises(CorpusError, match="expected a Delta table"):
        read_log(tmp_path)
    with pytest.raises(CorpusError, match="expected a version from 0 to 2, got 7"):
        read_log(folder, 7)
