"""Files of one table: matched by the names of columns, widened without loss, refused without a value of a person."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.storage.records import check_held, columns_of_files
from spark_deid.storage.table_files import FileColumns, MissingColumns, common_type, common_types, missing_columns


@pytest.mark.parametrize(
    ("one", "other", "wide"),
    [
        (pa.int8(), pa.int64(), pa.int64()),
        (pa.int32(), pa.float64(), pa.float64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.int64(), pa.float64(), None),
        (pa.int32(), pa.string(), None),
        (pa.null(), pa.date32(), pa.date32()),
        (pa.decimal128(10, 2), pa.decimal128(12, 4), pa.decimal128(12, 4)),
        (pa.int64(), pa.decimal128(10, 2), pa.decimal128(21, 2)),
        (pa.decimal128(38, 0), pa.decimal128(38, 10), None),
        (pa.timestamp("us", "UTC"), pa.timestamp("us"), None),
        (pa.date32(), pa.timestamp("us"), None),
        (pa.list_(pa.int8()), pa.list_(pa.int16()), pa.list_(pa.int16())),
        (pa.struct([("a", pa.int8())]), pa.struct([("b", pa.int8())]), None),
    ],
    ids=str,
)
def test_types_are_widened_only_without_loss(one: pa.DataType, other: pa.DataType, wide: pa.DataType | None) -> None:
    assert common_type(one, other) == common_type(other, one) == wide


def test_the_file_and_the_column_of_a_type_are_named() -> None:
    files = [
        FileColumns(Path("a.parquet"), ("age",), (pa.int64(),)),
        FileColumns(Path("b.parquet"), ("Age",), (pa.string(),)),
    ]
    with pytest.raises(CorpusError, match=r"b\.parquet: column Age has the type string, and other .* have int64"):
        common_types(files)


def folder_of(tmp_path: Path, **contents: str) -> str:
    for name, content in contents.items():
        (tmp_path / f"{name}.csv").write_text(content)
    return str(tmp_path)


def test_a_file_without_a_header_shows_no_value_of_its_first_row(tmp_path: Path) -> None:
    place = folder_of(tmp_path, a="name,age,ward\nAnn,30,A\n", b="Zebulon Quist,77,ward\n", c="age,ward,name\n1,2,3\n")
    with pytest.raises(CorpusError, match=r"b\.csv: expected the columns age, ") as refused:
        check_held(place, ("age", "ward"))
    assert refused.value.exit_code == 1
    assert "it shares 'ward' with them, and has 2 other columns" in str(refused.value)
    assert not {"Quist", "77"} & {*str(refused.value).replace(".", " ").split()}
    check_held(place, ("age", "ward"), missing=MissingColumns.NULL)
    with pytest.raises(UsageError, match="height: expected columns of the table"):
        check_held(place, ("height",))


def test_a_file_of_parquet_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1], "ward": ["A"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"ward": ["A"]}), tmp_path / "b.parquet")
    with pytest.raises(CorpusError, match=r"b\.parquet: expected the columns age"):
        check_held(str(tmp_path), ("age",))


def test_other_files_in_a_folder_of_csv_are_refused(tmp_path: Path) -> None:
    place = folder_of(tmp_path, a="age\n1\n")
    (tmp_path / "notes.txt").write_text("Ann\n")
    with pytest.raises(CorpusError, match=r"notes\.txt: expected a folder with files of CSV only"):
        columns_of_files(place)
    (tmp_path / "notes.txt").rename(tmp_path / "_notes.txt")
    assert len(columns_of_files(place)) == 1


def test_only_the_option_of_tables_is_known() -> None:
    assert missing_columns({"missing_columns": "null"}) is MissingColumns.NULL
    with pytest.raises(UsageError, match="--option missing_columns: expected refuse or null, got 'x'"):
        missing_columns({"missing_columns": "x"})
    with pytest.raises(UsageError, match="--option encoding: "):
        missing_columns({"encoding": "cp1252"})
