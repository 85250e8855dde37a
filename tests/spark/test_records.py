"""Tables of records from files: read as they are, or refused with the file named."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.core.errors import CorpusError, SparkDeidError, UsageError
from spark_deid.engine.failures import values_hidden
from spark_deid.engine.tables import read_parts
from spark_deid.storage.parts import PartFile
from spark_deid.storage.records import is_csv
from spark_deid.storage.spark.records import read_records
from spark_deid.storage.table_files import MissingColumns


def test_cells_are_read_as_they_are_written(spark: SparkSession, tmp_path: Path) -> None:
    content = '\ufeffname,city\n"O""Brien, Ann","New\nYork"\nC:\\temp,\n'
    (tmp_path / "plain.csv").write_text(content)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(content.encode()))
    for name in ("plain.csv", "packed.csv.gz"):
        table = read_records(spark, str(tmp_path / name))
        assert [tuple(row) for row in table.collect()] == [('O"Brien, Ann', "New\nYork"), ("C:\\temp", None)]
        assert table.columns == ["name", "city"]
    assert is_csv(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "name,city\nJos\xe9,Ulm\n".encode("latin-1"), "expected CSV in UTF-8"),
        ("a.csv", b"", "expected a header that names every column"),
        ("a.csv", b"name,,city\n", "expected a header that names every column"),
        ("a.csv", b"city,City\na,b\n", "expected a header whose names are all different"),
        ("a.csv.gz", b"\x1f\x8b torn", "can't be read whole"),
        ("a.parquet", b"PAR1", "expected a whole file of Parquet"),
        ("a.bin", b"x", "expected a Delta table"),
    ],
    ids=["latin", "empty", "unnamed", "twice", "torn-gzip", "torn-parquet", "unknown"],
)
def test_what_is_no_table_is_refused_by_name(
    spark: SparkSession, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=rf"{name}(?::2)?: {told}"):
        read_records(spark, str(tmp_path / name))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_what_spark_and_excel_write_is_read(spark: SparkSession, tmp_path: Path, name: str) -> None:
    def read(content: str, dialect: CsvDialect = RFC_4180) -> list[tuple[object, ...]]:
        packed = gzip.compress(content.encode()) if name.endswith("gz") else content.encode()
        (tmp_path / name).write_bytes(packed)
        return sorted(map(tuple, read_records(spark, str(tmp_path / name), dialect=dialect).collect()))

    by_spark = 'name,city\n"O\\"Brien\\", Ann","New\rYork \\\\"\nC:\\temp,x\n'
    expected: list[tuple[object, ...]] = [("C:\\temp", "x"), ('O"Brien", Ann', "New\rYork \\")]
    assert read(by_spark, CsvDialect(escape="\\")) == expected
    with pytest.raises(UsageError, match="--escape"):
        read(by_spark)
    assert read('\ufeffsep=;\r\nname;city\r\n"a;\r\nb";\r\nc;d\r\n') == [("a;\r\nb", None), ("c", "d")]
    with pytest.raises(UsageError, match="expected 2 cells in row 2, got 1"):
        read("sep=;\nname;city\na\n")


def test_files_with_and_without_a_line_that_names_the_delimiter_are_one_table(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("sep=;\nname;city\nAnn;Ulm\n")
    (tmp_path / "b.csv").write_text("name,city\nBo,Bonn\n")
    assert sorted(map(tuple, read_records(spark, str(tmp_path)).collect())) == [("Ann", "Ulm"), ("Bo", "Bonn")]


def test_a_folder_of_json_lines_is_read(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"name": "Ann"}\n')
    (tmp_path / "B.JSONL").write_text('{"name": "Bo"}\n')
    assert sorted(row["name"] for row in read_records(spark, str(tmp_path)).collect()) == ["Ann", "Bo"]


@pytest.mark.parametrize("torn", ["Zimt", "Zimt,Ulm,7"])
@pytest.mark.parametrize("other", ["Ann,Ulm", '"Ann\nLee",Ulm'])
def test_a_torn_row_fails_whichever_columns_are_needed(
    spark: SparkSession, tmp_path: Path, torn: str, other: str
) -> None:
    (tmp_path / "people.csv").write_text(f"name,city\n{other}\n{torn}\n")
    table = read_records(spark, str(tmp_path / "people.csv"))
    for needed in (table.select("name"), table.groupBy().count()):
        with pytest.raises(SparkDeidError, match="a row of a table is torn"), values_hidden():
            needed.collect()


@pytest.mark.parametrize(("name", "row"), [("a.csv", "Zimt\n"), ("c.jsonl", '{"name": "Zimt\n')])
def test_a_torn_row_fails_without_a_word_of_it(spark: SparkSession, tmp_path: Path, name: str, row: str) -> None:
    (tmp_path / name).write_text(row if name.endswith("l") else f"name,city\nAnn,Ulm\n{row}")
    with pytest.raises(SparkDeidError, match="a row of a table is torn") as caught, values_hidden():
        read_records(spark, str(tmp_path / name)).collect()
    assert "Zimt" not in str(caught.value)


def test_a_log_that_is_no_log_is_reported_by_the_name_of_the_table(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "people" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text("{}")
    with pytest.raises(CorpusError, match="people: expected a whole table of Delta, whose log Spark can read"):
        read_records(spark, str(tmp_path / "people"))


def test_brackets_and_braces_of_folders_are_letters(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "cases [2019] {a,b} c"
    folder.mkdir()
    beside = tmp_path / "cases 1"
    beside.mkdir()
    (folder / "people.csv").write_text("name\nAnn\n")
    (folder / "people.jsonl").write_text('{"name": "Ann"}\n')
    pq.write_table(pa.table({"name": ["Ann"]}), folder / "people.parquet")
    for name in ("people.csv", "people.jsonl", "people.parquet"):
        assert [row["name"] for row in read_records(spark, str(folder / name)).collect()] == ["Ann"]
    folder = tmp_path / "cases [12]"
    folder.mkdir()
    for place, column in ((beside, "other"), (folder, "name")):
        (place / "torn.csv").write_text(f'{column},age\n"Ann\nLee",7\n')
    assert read_records(spark, str(folder / "torn.csv")).collect() == [("Ann\nLee", "7")]
    assert read_records(spark, str(folder / "torn.csv")).columns == ["name", "age"]
    (beside / "p1.jsonl").write_text('{"name": "Ann"}\n')
    (beside / "p2.jsonl").write_text('{"name": "Bo"}\n')
    assert read_records(spark, str(beside / "p*.jsonl")).count() == 2
    folder = tmp_path / "cases [2019] {a,b} c"
    part = PartFile(str(folder / "people.parquet"), 1, 0)
    assert read_parts(spark, [part], pa.schema([("name", pa.string())])).count() == 1


def test_files_of_csv_are_matched_by_the_names_of_columns(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,age,ward\nAnn,30,A\n")
    (tmp_path / "b.csv").write_text('ward,AGE,name\n"B\nC",31,Bob\n')
    (tmp_path / "c.csv").write_text("age,ward,name,more\n32,D,Carl,x\n")
    table = read_records(spark, str(tmp_path), columns=("name", "age", "ward"))
    assert table.columns == ["name", "age", "ward", "more"]
    assert sorted(map(tuple, table.collect())) == [
        ("Ann", "30", "A", None),
        ("Bob", "31", "B\nC", None),
        ("Carl", "32", "D", "x"),
    ]
    with pytest.raises(CorpusError, match=r"a\.csv: expected the columns more"):
        read_records(spark, str(tmp_path), columns=("more",))
    assert read_records(spark, str(tmp_path), columns=("more",), missing=MissingColumns.NULL).count() == 3


def test_files_of_parquet_are_matched_and_widened(spark: SparkSession, tmp_path: Path) -> None:
    first, second = tmp_path / "year=2020", tmp_path / "year=2021"
    for folder in (first, second):
        folder.mkdir()
    pq.write_table(pa.table({"name": ["Ann"], "age": pa.array([30], pa.int8()), "x": pa.nulls(1)}), first / "a.parquet")
    pq.write_table(pa.table({"Age": pa.array([31], pa.int64()), "name": ["Bob"], "x": ["y"]}), second / "b.parquet")
    table = read_records(spark, str(tmp_path), columns=("name", "age"))
    assert table.dtypes == [("name", "string"), ("age", "bigint"), ("x", "string"), ("year", "int")]
    assert sorted(map(tuple, table.collect())) == [("Ann", 30, None, 2020), ("Bob", 31, "y", 2021)]
    pq.write_table(pa.table({"age": ["old"], "name": ["Carl"]}), second / "c.parquet")
    with pytest.raises(CorpusError, match=r"c\.parquet: column age has the type string"):
        read_records(spark, str(tmp_path))
