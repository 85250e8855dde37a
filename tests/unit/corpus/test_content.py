import json
from base64 import b64encode
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.api.results import records_of_pandas
from spark_deid.core.document import RejectedInput
from spark_deid.core.errors import UsageError
from spark_deid.corpus.content import content_name
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.frame import FrameColumns
from spark_deid.corpus.local import LocalReading, read_documents

RTF = "{\\rtf1\\ansi Patient: Ren\\'e9e}"
PAGE = "\n<!-- saved -->\n<!DOCTYPE HTML PUBLIC>\n<html><p>Ann</p></html>"
OTHERS: dict[str, list[str | bytes]] = {
    "RTF": [RTF, b64encode(RTF.encode())],
    "PDF": ["%PDF-1.7\n", b64encode(b"%PDF-1.7\nx")],
    "DOCX or another archive": [b"PK\x03\x04\x14\x00\xff", b64encode(b"PK\x03\x04\x14\x00\x06\x00")],
    "a document of old Word": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b64encode(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")],
    "an HTML page": [PAGE, '<?xml version="1.0"?>\n<html lang="en">', "\ufeff<html>"],
}


@pytest.mark.parametrize(("name", "content"), [(name, each) for name, given in OTHERS.items() for each in given])
def test_formats_are_known_by_their_beginning(name: str, content: str | bytes) -> None:
    assert content_name(content) == name


@pytest.mark.parametrize(
    "text", ["", "PDF", "<p>Ann</p>", "<htmlx>", "see %PDF-", "{rtf", "PK", "the <html> tag", "\0"]
)
def test_texts_are_texts(text: str) -> None:
    assert content_name(text) is None
    assert content_name(text.encode()) is None


def reasons(reading: LocalReading) -> dict[str, str]:
    return {reject.source: reject.reason for reject in reading.rejects}


def test_files_of_other_formats_are_rejected_by_name(tmp_path: Path) -> None:
    contents = {"a.txt": b"Ann", "b.txt": RTF.encode(), "c.TXT": b"PK\x03\x04\xff\xfe", "d.txt": PAGE.encode()}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "e.txt").write_bytes(b"\xff\xfe" + PAGE.encode("utf-16-le"))
    reading = read_documents(str(tmp_path), "text")
    assert [document.doc_id for document in reading.documents] == ["a"]
    assert reasons(reading) == dict.fromkeys(("b.txt", "c.TXT", "d.txt", "e.txt"), "not-text")
    assert "RTF" in reading.rejects[0].detail
    assert "content=text" in reading.rejects[0].detail
    read = read_documents(str(tmp_path), "text", options={"content": "text"})
    assert [document.doc_id for document in read.documents] == ["a", "b", "d", "e"]
    assert reasons(read) == {"c.TXT": "invalid-utf8"}


def test_cells_of_other_formats_are_rejected_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": RTF}) + '\n{"text": "Ann"}\n')
    (tmp_path / "b.csv").write_text(f'text\n"{RTF}"\nAnn\n')
    pq.write_table(pa.table({"text": [RTF, "Ann"]}), tmp_path / "c.parquet")
    (tmp_path / "d.json").write_text(json.dumps([{"data": {"text": RTF}}, {"data": {"text": "Ann"}}]))
    for name, format in {"a.jsonl": "jsonl", "b.csv": "csv", "c.parquet": "parquet", "d.json": "label-studio"}.items():
        assert reasons(read_documents(str(tmp_path / name), format)) == {f"{name}#1": "not-text"}
        assert len(read_documents(str(tmp_path / name), format, options={"content": "text"}).documents) == 2


def test_a_table_that_is_a_workbook_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"PK\x03\x04\x14\x00\x06\x00")
    (tmp_path / "b.csv").write_text("text\nAnn\n")
    assert reasons(read_documents(str(tmp_path), "csv")) == {"a.csv": "not-text"}


def test_cells_of_a_frame_are_rejected_unless_they_are_wanted() -> None:
    frame = pd.DataFrame({"doc_id": ["a", "b"], "text": [RTF, "Ann"]})
    first, _ = records_of_pandas(frame, FrameColumns())
    assert isinstance(first.outcome, RejectedInput)
    assert first.outcome.reason == "not-text"
    assert not any(
        isinstance(record.outcome, RejectedInput) for record in records_of_pandas(frame, FrameColumns(reads_any=True))
    )


def test_the_option_has_one_value() -> None:
    with pytest.raises(UsageError, match="content"):
        find_format("text", {"content": "rtf"})
