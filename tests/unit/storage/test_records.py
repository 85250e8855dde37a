import gzip
from pathlib import Path

import pytest

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.models import read_models
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.errors import UsageError
from spark_deid.storage.records import check_held, check_records, examine_csv, is_csv, is_json


def test_columns_that_a_csv_lacks_are_reported_before_it_is_read(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age;zip\n77;53711\n")
    check_held(str(table), ("age", "zip"), dialect=CsvDialect(";"))
    with pytest.raises(UsageError, match=r"^height: expected columns of the table; its columns are 'age', 'zip'$"):
        check_held(str(table), ("age", "height", "height"), dialect=CsvDialect(";"))
    with pytest.raises(UsageError, match=r"^age: .* not shown; name the character between its cells by --delimiter$"):
        check_held(str(table), ["age"])
    with pytest.raises(UsageError, match=r"^age: .* not shown"):
        check_held(str(tmp_path), ["age"])


def test_a_first_row_of_a_person_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Quist,Zebulon,1950-03-31\n")
    with pytest.raises(UsageError, match=r"age: .* not shown") as caught:
        check_held(str(tmp_path / "people.csv"), ["age"])
    claim = PrivacyClaim(("age",), read_models("k=2"))
    with pytest.raises(UsageError, match=r"age: .* not shown") as claimed:
        check_columns(claim, ["Quist", "Zebulon", "1950-03-31"])
    assert "Quist" not in f"{caught.value} {claimed.value}"


def test_a_delta_table_is_no_csv_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "people.csv" / "_delta_log").mkdir(parents=True)
    assert not is_csv(str(tmp_path / "people.csv"))
    assert is_csv(str(tmp_path / "others.csv"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n3,4\n", False),
        ('a,b\n"1",2\n"3",4\n', False),
        ('a,b\n"1\n",2\n', True),
        ('a,b\n"1\r",2\n', True),
        ('a,b\n5" pipe,"2"\n', False),
        ('a,b\n"1 ""x""\ny",2\n', True),
        ('a,b\n"1 ""x""",2\n"3",4\n', False),
    ],
    ids=[
        "none",
        "between rows",
        "in a cell",
        "a carriage return",
        "a quote in a bare cell",
        "behind quotes in a cell",
        "behind a cell with quotes",
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1 << 24])
def test_breaks_in_cells_are_distinguished_from_those_between_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: bool, block: int
) -> None:
    monkeypatch.setattr("spark_deid.storage.records._BLOCK", block)
    (tmp_path / "people.csv").write_text(text)
    assert examine_csv(tmp_path / "people.csv").has_breaks == expected


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_the_line_of_bytes_that_are_no_text_is_reported(tmp_path: Path, suffix: str) -> None:
    content = b'id,note\n1,ok\n2,"caf\xc3\xa9"\n3,caf\xe9\n'
    file = tmp_path / f"table{suffix}"
    file.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    with pytest.raises(UsageError, match=f"table{suffix}:4: expected CSV in UTF-8"):
        examine_csv(file)


@pytest.mark.parametrize("row", ['"Zimt', '"Zimt \\"x\\"",2', '"Zimt"x,2'])
def test_quotes_that_do_not_fit_are_refused_with_the_options_that_would(tmp_path: Path, row: str) -> None:
    (tmp_path / "people.csv").write_text(f"name,age\nAnn,7\n{row}\n")
    with pytest.raises(UsageError, match=r"people.csv: expected other quotes in row 3") as caught:
        examine_csv(tmp_path / "people.csv")
    assert "Zimt" not in str(caught.value)
    if "\\" in row:
        assert "all rows would fit with --escape '\\'" in str(caught.value)
        examine_csv(tmp_path / "people.csv", dialect=CsvDialect(escape="\\"))


def test_a_folder_has_files_of_one_kind(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    assert is_json(str(tmp_path))
    check_records(str(tmp_path))
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="files of one kind, got CSV and JSON lines"):
        check_records(str(tmp_path))
