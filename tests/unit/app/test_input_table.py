"""The table of an input with its texts replaced."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.app.input_table import all_columns, check_first_columns, check_target
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import check_plan

TABLE = 'id,age,note,ward\r\n1,007,"Call\r\n212-555-0147",north\r\n2,,No change.,south\r\n3,40,Fine.,north\r\n'


def settings_of(path: Path, format: str = "csv", **changes: Any) -> PlanSettings:
    options = {"text_column": "note", "id_column": "id"}
    place = {"path": str(path), "format": format, "options": {**options, **changes.pop("options", {})}}
    base = {"input": place, "workspace": f"{path}-w", "release": f"{path}-r", "columns": "all"}
    settings = check_plan({**base, "patterns": {"kinds": "all"}, **changes}, "plan")
    assert isinstance(settings, PlanSettings)
    return settings


def written(folder: Path, content: str = TABLE) -> Path:
    path = folder / "visits.csv"
    path.write_text(content, newline="")
    return path


def test_every_column_is_published_in_order(tmp_path: Path) -> None:
    settings, table = all_columns(settings_of(written(tmp_path), metadata={"ward": "keyed"}))
    assert settings.metadata == {"age": "keep", "ward": "keyed"}
    assert table.names == ("id", "age", "note", "ward")
    assert dict(table.sources) == {"id": "doc_id", "age": "age", "note": "text", "ward": "ward"}
    check_first_columns(settings, table)


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ("1,ann@example.org,Fine.,north", r"column age: EMAIL is in it in up to 1 rows; .* metadata: \{age: keyed\}"),
        ("ann@example.org,4,Fine.,north", r"column id: EMAIL is in it in up to 1 rows; .* release_ids: keyed"),
    ],
)
def test_an_identifying_column_is_refused_with_the_line_to_add(tmp_path: Path, cells: str, line: str) -> None:
    settings, table = all_columns(settings_of(written(tmp_path, f"id,age,note,ward\n{cells}\n")))
    with pytest.raises(GateRefused, match=line):
        check_first_columns(settings, table)


def test_the_column_of_people_returns_only_as_metadata_specifies(tmp_path: Path) -> None:
    path = written(tmp_path)
    settings, table = all_columns(settings_of(path, options={"subject_column": "ward"}))
    with pytest.raises(GateRefused, match=r"column ward: it identifies .* metadata: \{subject_id: keyed\}"):
        check_first_columns(settings, table)
    options = {"subject_column": "ward"}
    settings, table = all_columns(settings_of(path, options=options, metadata={"subject_id": "keyed"}))
    check_first_columns(settings, table)
    assert table.sources["ward"] == "subject_id"


def test_inputs_without_a_table_and_columns_without_a_cell_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1", "note": "a"}\n')
    with pytest.raises(UsageError, match="columns: all needs a local input of format csv, parquet, delta, got jsonl"):
        all_columns(settings_of(path, "jsonl"))
    parts = tmp_path / "parts"
    parts.mkdir()
    pq.write_table(pa.table({"id": ["1"], "note": ["a"], "tags": [["x"]]}), parts / "a.parquet")
    with pytest.raises(UsageError, match="column tags has the type list"):
        all_columns(settings_of(parts, "parquet"))
    with pytest.raises(UsageError, match="expected one of csv, parquet, jsonl, delta, got 'brat'"):
        check_target("brat")


def test_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "a.csv").write_text("id,note\n1,a\n")
    (folder / "b.csv").write_text("id,text,note\n1,a,b\n")
    with pytest.raises(UsageError, match=r"b\.csv: expected the header of the first file"):
        all_columns(settings_of(folder))
