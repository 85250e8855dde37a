import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.peek import check_columns, known_columns

ASKED = {"text_column": "note", "subject_column": "patient"}


def test_a_table_with_the_columns_passes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("patient;note;ward\nx;y;z\n")
    check_columns(str(tmp_path), "csv", {**ASKED, "delimiter": ";"}, ["ward", "subject_id"])


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet", "delta"])
def test_missing_columns_are_named_with_those_that_exist(tmp_path: Path, format: str) -> None:
    rows = pa.table({"Body": ["x"], "patient": ["y"]})
    if format == "csv":
        (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"Body,patient\nx,y\n"))
    elif format == "jsonl":
        (tmp_path / "a.jsonl").write_text('{"Body": "x", "patient": "y"}\n')
    elif format == "parquet":
        pq.write_table(rows, tmp_path / "a.parquet")
    else:
        schema = json.dumps({"type": "struct", "fields": [{"name": "Body"}, {"name": "patient"}]})
        log = tmp_path / "_delta_log"
        log.mkdir()
        (log / f"{0:020}.json").write_text(json.dumps({"metaData": {"schemaString": schema}}) + "\n")
        (log / f"{1:020}.json").write_text('{"commitInfo": {}}\n')
    with pytest.raises(UsageError, match=r"text_column: there is no column 'note'.*'Body', 'patient'") as caught:
        check_columns(str(tmp_path), format, {"text_column": "note", "id_column": "patient"})
    assert "id_column" not in str(caught.value)


def test_columns_of_metadata_and_folder_names_count(tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "year=2020" / "a.parquet")
    check_columns(str(tmp_path), "parquet", metadata=["year"])
    with pytest.raises(UsageError, match="metadata: there is no column 'ward'"):
        check_columns(str(tmp_path), "parquet", metadata=["ward"])


def test_headers_of_mails_are_known_before_any_is_read(tmp_path: Path) -> None:
    options = {"headers": "X-Ward", "subject_column": "sender"}
    assert {"in_reply_to", "x_ward", "subject_id"} <= set(known_columns(str(tmp_path), "mbox", options) or ())
    check_columns(str(tmp_path), "eml", metadata=["copied"])
    with pytest.raises(UsageError, match="metadata: there is no column 'sendr'; its columns are 'sender'"):
        check_columns(str(tmp_path), "eml", metadata=["sendr"])


@pytest.mark.parametrize(
    "row",
    [
        '17,"Zebulon Quist was seen on Monday, and again on Tuesday, for his knee."',
        "Zebulon Quist of Boston was seen",
        "Boston,Zebulon Quist has it",
        "Zebulon,2020-03-04",
        "Zebulon,MRN0012345",
    ],
)
def test_a_first_row_of_values_is_not_shown(tmp_path: Path, row: str) -> None:
    (tmp_path / "a.csv").write_text(f"{row}\n")
    with pytest.raises(UsageError, match="does not look like column names") as caught:
        check_columns(str(tmp_path), "csv")
    assert not any(word in str(caught.value) for word in ("Zebulon", "Boston", "MRN"))


@pytest.mark.parametrize("first", ["Zebulon,Quist,flu", "ZEBULON", "zebulon,gout"])
def test_a_row_of_single_words_without_one_of_headers_is_not_shown(tmp_path: Path, first: str) -> None:
    (tmp_path / "a.csv").write_text(f"{first}\nAnn,Lee,gout\n")
    with pytest.raises(UsageError, match="unknown whether the first row has column names") as caught:
        check_columns(str(tmp_path / "a.csv"), "csv")
    assert not re.search("zebulon|quist|flu|gout", str(caught.value).rpartition("a.csv: ")[2], re.IGNORECASE)
    (tmp_path / "a.csv").write_text(f"{first},visitDate\n")
    number = first.count(",") + 1
    with pytest.raises(UsageError, match=f"its columns are 'visitDate' and {number} that may be values") as caught:
        check_columns(str(tmp_path / "a.csv"), "csv")
    assert not re.search("zebulon|quist|flu|gout", str(caught.value).rpartition("a.csv: ")[2], re.IGNORECASE)


def test_names_with_spaces_are_counted_next_to_those_that_are_shown(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,Zebulon Quist,Date of Birth,free-text.1\n")
    with pytest.raises(UsageError) as caught:
        check_columns(str(tmp_path), "csv")
    assert "its columns are 'id', 'free-text.1' and 2 names with spaces" in str(caught.value)
    assert "Zebulon" not in str(caught.value)
    (tmp_path / "a.csv").write_text("Zebulon Quist\n")
    with pytest.raises(UsageError, match="its 1 column names contain spaces"):
        check_columns(str(tmp_path), "csv")


def test_another_delimiter_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ticket;note\n1;Ann Lee called\n")
    with pytest.raises(UsageError, match=r"semicolons occur in the first row. Set delimiter=';'") as caught:
        check_columns(str(tmp_path), "csv")
    assert "text_column=" not in str(caught.value)
    check_columns(str(tmp_path), "csv", {"delimiter": ";", "text_column": "note"})


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b torn", b'"torn'])
def test_what_can_not_be_looked_at_is_left_to_reading(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    if data.startswith(b"\x1f"):
        (tmp_path / "a.csv").rename(tmp_path / "a.csv.gz")
    check_columns(str(tmp_path), "csv")
