import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.span import Span
from spark_deid.corpus.frame import records_of
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.parquet import RowGroup, read_blocks
from spark_deid.corpus.records import rows_of


def write(path: Path, columns: dict[str, pa.Array | list[object]], **options: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, **options)


def test_columns_become_documents(tmp_path: Path) -> None:
    spans = [[{"start": 0, "end": 1, "label": "N"}], None]
    columns = {"doc_id": ["a", None], "text": ["x", "y"], "spans": spans, "year": [1, None], "subject_id": [7, 8]}
    write(tmp_path / "site=A" / "p.parquet", columns)
    assert read_documents(str(tmp_path), "parquet").documents == (
        Document("a", "x", "7", (Span(0, 1, "N", None, "gold"),), {"site": "A", "year": "1"}),
        Document("site=A/p.parquet#2", "y", "8", (), {"site": "A"}),
    )


def test_bad_rows_are_refused_singly(tmp_path: Path) -> None:
    texts = pa.array([b"a", b"\xff", b"", None, b"b\0", b"c"]).view(pa.string())
    write(tmp_path / "p.parquet", {"text": texts}, row_group_size=4)
    reading = read_documents(str(tmp_path), "parquet")
    assert [d.doc_id for d in reading.documents] == ["p.parquet#1", "p.parquet#6"]
    assert [(r.source, r.reason) for r in reading.rejects] == [
        ("p.parquet#2", "invalid-utf8"),
        ("p.parquet#3", "empty"),
        ("p.parquet#4", "no-text"),
        ("p.parquet#5", "nul"),
    ]


def test_a_file_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table([["a"], ["b"]], names=["text", "text"]), tmp_path / "p.parquet")
    write(tmp_path / "q.parquet", {"text": ["c"]})
    reading = read_documents(str(tmp_path), "parquet")
    assert [d.doc_id for d in reading.documents] == ["q.parquet#1"]
    assert [(r.source, r.reason, r.detail) for r in reading.rejects] == [
        ("p.parquet", "malformed", "expected each name of a column once")
    ]


def test_bytes_next_to_the_text_are_metadata(tmp_path: Path) -> None:
    write(tmp_path / "p.parquet", {"text": ["a", "b"], "scan": pa.array([b"\xff\0", b"plain"])})
    assert [d.meta for d in read_documents(str(tmp_path), "parquet").documents] == [{"scan": "/wA="}, {"scan": "plain"}]


def test_damage_refuses_the_file_or_the_row_group(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"text": [f"{i:0200d}" for i in range(20)]}), buffer, row_group_size=10, compression="zstd")
    data = bytearray(buffer.getvalue())
    (tmp_path / "torn.parquet").write_bytes(data[:-20])
    data[20:60] = b"x" * 40
    (tmp_path / "damaged.parquet").write_bytes(data)
    reading = read_documents(str(tmp_path), "parquet")
    assert [d.doc_id for d in reading.documents] == [f"damaged.parquet#{n}" for n in range(11, 21)]
    assert [(r.source, r.reason, r.records) for r in reading.rejects] == [
        ("damaged.parquet#1-10", "unreadable", 10),
        ("torn.parquet", "unreadable", None),
    ]
    assert (reading.inventory.rejects, reading.inventory.unknown_rejects) == ({"unreadable": 11}, 1)


FAR = 10**18  # microseconds: beyond the year 9999
ODD = {
    "date": (pa.array([1, 10**8, None], pa.date32()), [2]),
    "time": (pa.array([1, FAR, None], pa.timestamp("us")), [2]),
    "times": (pa.array([[1], [1, FAR], None], pa.list_(pa.timestamp("us"))), [2]),
    "zone": (pa.array([1, 2, None], pa.timestamp("us", "Mars/Olympus")), [1, 2]),
    "twice": (pa.StructArray.from_arrays([pa.array([1, 2, 3])] * 2, names=["a", "a"]), [1, 2, 3]),
}


@pytest.mark.parametrize("name", ODD)
def test_values_that_python_can_not_hold_refuse_their_rows(tmp_path: Path, name: str) -> None:
    column, bad = ODD[name]
    write(tmp_path / "p.parquet", {"text": ["a", "b", "c"], name: column})
    write(tmp_path / "q.parquet", {"text": ["d"]})
    reading = read_documents(str(tmp_path), "parquet")
    assert [r.source for r in reading.rejects] == [f"p.parquet#{number}" for number in bad]
    assert {(r.reason, r.detail) for r in reading.rejects} == {
        ("malformed", f"column {name}: expected a value that Python can hold")
    }
    assert len(reading.documents) == 4 - len(bad)


def test_a_reader_that_fails_refuses_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(stream: object, name: str) -> Iterator[RowGroup]:
        if name == "p.parquet":
            raise KeyError("Ann")
        return read_blocks(stream, name)  # type: ignore[arg-type]

    monkeypatch.setattr("spark_deid.corpus.reading.read_blocks", fail)
    for name in ("p", "q"):
        write(tmp_path / f"{name}.parquet", {"text": [name]})
    reading = read_documents(str(tmp_path), "parquet")
    assert reading.rejects == (RejectedInput("p.parquet", "unreadable", "reading parquet failed with KeyError", None),)
    assert [d.text for d in reading.documents] == ["q"]


def test_metadata_that_is_not_utf_8_is_written_in_base64_and_counted(tmp_path: Path) -> None:
    texts, wards = (
        pa.array([b"a", b"b", b"\xff"]).view(pa.string()),
        pa.array([b"x", b"\xff", b"y"]).view(pa.string()),
    )
    write(tmp_path / "p.parquet", {"text": texts, "ward": wards})
    reading = read_documents(str(tmp_path), "parquet")
    assert [dict(d.meta) for d in reading.documents] == [{"ward": "x"}, {"ward": "/w=="}]
    assert [r.reason for r in reading.rejects] == ["invalid-utf8"]
    assert reading.inventory.base64_values == 1


def test_a_frame_rejects_text_and_writes_metadata_that_is_not_utf_8() -> None:
    batch = pa.record_batch(
        {
            "doc_id": ["a", "b"],
            "text": pa.array([b"a", b"\xff"]).view(pa.string()),
            "ward": pa.array([b"\xff", b"y"]).view(pa.string()),
        }
    )
    rows = [{**row, "meta": {"ward": row.pop("ward")}} for row in rows_of(batch)]
    first, second = records_of(("", number, row) for number, row in enumerate(rows))
    assert isinstance(first.outcome, Document)
    assert (dict(first.outcome.meta), first.base64) == ({"ward": "/w=="}, 1)
    assert isinstance(second.outcome, RejectedInput)
    assert second.outcome.reason == "invalid-utf8"
