"""Parts of tables: what is written comes back in the same groups, side by side, and metadata hold no values."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.storage.parts import PartsWriter, move_parts, read_aligned, read_groups, staged_parts

TEXTS = pa.schema([("id", pa.string()), ("text", pa.string())])
MARKS = pa.schema([("marks", pa.list_(pa.struct([("start", pa.int32())])))])


def texts(*rows: tuple[str, str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(("id", "text"), row, strict=True)) for row in rows], schema=TEXTS)


def marks(*cells: list[int]) -> pa.RecordBatch:
    rows = [{"marks": [{"start": start} for start in cell]} for cell in cells]
    return pa.RecordBatch.from_pylist(rows, schema=MARKS)


def test_groups_of_rows_come_back_side_by_side(tmp_path: Path) -> None:
    folders = {"texts": str(tmp_path / "one"), "marks": str(tmp_path / "two" / "below")}
    for folder in folders.values():
        Path(folder).mkdir(parents=True)
    groups = [
        (texts(("a", "Ann"), ("b", "Bo")), marks([1], [])),
        (texts(), marks()),
        (texts(("c", "Cy")), marks([2, 3])),
    ]
    with PartsWriter(folders, {"texts": TEXTS, "marks": MARKS}) as writer:
        for text, mark in groups:
            writer.write({"texts": text, "marks": mark})
        parts = writer.close()
    assert {table: part.rows for table, part in parts.items()} == {"texts": 3, "marks": 3}
    assert parts["texts"].size == Path(parts["texts"].path).stat().st_size
    assert parts["texts"].name == parts["marks"].name
    read = list(read_aligned(parts))
    assert [batch.schema.names for batch in read] == [["id", "text", "marks"]] * 3
    expected = [[*one.to_pydict().values(), *other.to_pydict().values()] for one, other in groups]
    assert [list(batch.to_pydict().values()) for batch in read] == expected
    assert [batch.to_pydict() for batch in read_groups(parts["texts"].path, ["id"])] == [
        {"id": ["a", "b"]},
        {"id": []},
        {"id": ["c"]},
    ]


def test_files_hold_no_smallest_and_largest_values(tmp_path: Path) -> None:
    with PartsWriter({"texts": str(tmp_path)}, {"texts": TEXTS}) as writer:
        writer.write({"texts": texts(("a", "Ann"))})
        part = writer.close()["texts"]
    assert not pq.ParquetFile(part.path).metadata.row_group(0).column(1).is_stats_set


def test_a_folder_that_cannot_be_written_to_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SparkDeidError, match="a part of a table can't be written"):
        PartsWriter({"texts": str(tmp_path / "file")}, {"texts": TEXTS})


def test_a_late_task_leaves_no_file_in_the_folder_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "documents"
    table.mkdir()
    with staged_parts(str(table)) as staging:
        assert Path(staging).parent == tmp_path
        late = PartsWriter({"texts": staging}, {"texts": TEXTS})  # the second attempt of a slow task
        late.write({"texts": texts(("a", "Ann"))})
        with PartsWriter({"texts": staging}, {"texts": TEXTS}) as writer:
            writer.write({"texts": texts(("a", "Ann"))})
            own = writer.close()["texts"]
        with PartsWriter({"texts": staging}, {"texts": TEXTS}) as writer:
            empty = writer.close()["texts"]
        assert not list(table.iterdir())
        [moved] = move_parts([own, empty], str(table))
    with pytest.raises(SparkDeidError):
        late.close()
    with pytest.raises(SparkDeidError):  # an attempt that has not begun yet
        PartsWriter({"texts": staging}, {"texts": TEXTS})
    assert moved == own._replace(path=str(table / own.name))
    assert [each.name for each in tmp_path.iterdir()] == ["documents"]
    assert [each.name for each in table.iterdir()] == [own.name]
    assert [group.num_rows for group in read_groups(moved.path)] == [1]


def test_where_files_cannot_be_renamed_parts_have_unique_names_and_others_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "documents"
    table.mkdir()
    real = os.replace

    def refuse(source: str, target: str) -> None:
        if source != target:
            raise OSError(errno.ENOTSUP, "Operation not supported")
        real(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with staged_parts(str(table)) as staging:
        assert staging == str(table)
        found = []
        for _ in range(2):  # two attempts of one task
            with PartsWriter({"texts": staging}, {"texts": TEXTS}) as writer:
                writer.write({"texts": texts(("a", "Ann"))})
                found.append(writer.close()["texts"])
        assert move_parts(found[1:], str(table)) == (found[1],)
    assert [each.name for each in table.iterdir()] == [found[1].name]
    assert [each.name for each in tmp_path.iterdir()] == ["documents"]
