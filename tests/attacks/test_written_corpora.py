"""What convert and detect write: who may read it, whether each document is in it, and what spreadsheets make of it."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid.app.corpora import convert
from spark_deid.app.options.corpora import ConvertOptions
from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.csv import count_formulas
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.writing import write_part


@pytest.fixture(autouse=True)
def _open_to_all() -> object:
    """Let new files be readable by all, unless code states otherwise."""
    before = os.umask(0o000)
    yield
    os.umask(before)


def modes(folder: Path) -> set[tuple[str, str]]:
    found = [folder, *folder.rglob("*")]
    return {("folder" if path.is_dir() else "file", oct(path.stat().st_mode & 0o777)) for path in found}


@pytest.mark.parametrize("name", ["jsonl", "csv", "conll", "text", "brat"])
def test_files_and_folders_are_their_owner_s_only(tmp_path: Path, name: str) -> None:
    write_part([Document("ward/a/n1", "Ann Lee")], str(tmp_path / "new" / "out"), find_format(name), 0)
    assert modes(tmp_path / "new") == {("folder", "0o700"), ("file", "0o600")}


@pytest.mark.parametrize("name", ["text", "brat", "i2b2-2014"])
def test_a_document_is_not_written_over_another(tmp_path: Path, name: str) -> None:
    kind = find_format(name)
    write_part([Document("n1", "Ann Lee")], str(tmp_path), kind, 0)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(FormatError, match="'n1': another document was written under the same file name"):
        write_part([Document("n1", "Bob Ray")], str(tmp_path), kind, 1)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    write_part([Document("n1", "Ann Lee")], str(tmp_path), kind, 0)  # as a task that is carried out again does


@pytest.mark.parametrize(
    "text", ["=1+2", "+41", "-1", "@home", "\t=1", "\r=1", "\uff1d1", "\uff20x", "\u200b=1", "\ufeff\u2060+1"]
)
def test_formulas_are_counted(text: str) -> None:
    assert count_formulas(Document("n1", text)) == 1
    assert count_formulas(Document(text, "Ann", subject_id=text, meta={"ward": text})) == 3


@pytest.mark.parametrize("text", ["a=1", " =1", "\u200b =1", "'=1", "1-2", "ann@x"])
def test_near_misses_are_no_formulas(text: str) -> None:
    assert count_formulas(Document("n1", text)) == 0


def test_formulas_are_reported_and_not_changed(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    texts = ["=HYPERLINK(1)", "harmless", "@SUM(1)"]
    source.write_text("".join(json.dumps({"doc_id": f"n{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    told: list[str] = []
    options = ConvertOptions(
        source=str(source), target=str(tmp_path / "out"), source_format="jsonl", target_format="csv"
    )
    convert(options, told.append)
    assert [line for line in told if line.startswith("warning: 2 cells begin with")]
    rows = [row for path in (tmp_path / "out").glob("*.csv") for row in csv.DictReader(io.StringIO(path.read_text()))]
    assert sorted(row["text"] for row in rows) == sorted(texts)
    assert modes(tmp_path / "out") == {("folder", "0o700"), ("file", "0o600")}
