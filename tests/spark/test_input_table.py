"""A run that returns the input's own table."""

import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_deid import app
from spark_deid.core.errors import GateRefused
from tests.unit.app.test_input_table import TABLE, written

PLAN = "input: {{path: {path}, format: {format}, options: {{text_column: note, id_column: id}}}}\n"
PLAN += "workspace: {folder}/w\nrelease: {folder}/r\ncolumns: all\npatterns: {{kinds: all}}\n"


def ran(folder: Path, path: Path, to: str, format: str = "csv", **changes: Any) -> Path:
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.format(path=path, format=format, folder=folder))
    overrides = [f"{key}={value}" for key, value in changes.items()]
    app.run(plan, overrides, to=(to, str(folder / "table")))
    return folder / "table"


def test_a_csv_returns_with_its_cells_header_and_order(spark: SparkSession, tmp_path: Path) -> None:
    content = TABLE + "4,5,,west\r\n"
    table = ran(tmp_path, written(tmp_path, content), "csv")

    (file,) = table.iterdir()
    assert file.read_bytes().decode() == TABLE.replace("212-555-0147", "[PHONE]")
    assert table.stat().st_mode & 0o777 == 0o700
    with file.open(newline="") as lines:
        assert [row[1] for row in csv.reader(lines)] == ["age", "007", "", "40"]


@pytest.mark.parametrize("to", ["parquet", "delta"])
def test_parquet_returns_with_its_schema(spark: SparkSession, tmp_path: Path, to: str) -> None:
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("age", pa.int32()),
            ("note", pa.string()),
            ("cost", pa.decimal128(8, 2)),
            ("day", pa.date32()),
            ("seen", pa.timestamp("us", "UTC")),
            ("is_new", pa.bool_()),
        ]
    )
    moment = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    rows = [
        {"id": 7, "age": 1, "note": "Call 212-555-0147", "cost": Decimal("1.50"), "is_new": True},
        {"id": 3, "age": None, "note": "Fine.", "day": date(2020, 1, 2), "seen": moment},
    ]
    given = pa.Table.from_pylist(rows, schema=schema)
    pq.write_table(given, tmp_path / "visits.parquet")

    keep = "{day: keep-identifying, seen: keep-identifying, cost: keep}"
    table = ran(tmp_path, tmp_path / "visits.parquet", to, "parquet", metadata=keep)

    (file,) = table.glob("*.parquet")
    made = pq.read_table(file)
    texts = pa.array(["Call [PHONE]", "Fine."])
    assert made.equals(given.set_column(2, "note", texts))


def test_an_identifying_cell_after_the_first_rows_is_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.app.input_table.check_first_columns", lambda *_: None)
    path = written(tmp_path, TABLE.replace("south", "ann@example.org"))
    with pytest.raises(GateRefused, match=r"column ward: EMAIL .* add to the plan: metadata: \{ward: keyed\}"):
        ran(tmp_path, path, "csv")
    assert not (tmp_path / "r" / "documents" / "_delta_log").exists()
    assert not (tmp_path / "table").exists()
