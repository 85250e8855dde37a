import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.corpus.local import read_documents


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


def test_bad_rows_are_refused_alone(tmp_path: Path) -> None:
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


def test_damage_refuses_the_file_or_the_row_group(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"text": [f"{i:0200d}" for i in range(20)]}), buffer, row_group_size=10, compression="zstd")
    data = bytearray(buffer.getvalue())
    (tmp_path / "torn.parquet").write_bytes(data[:-20])
    data[20:60] = b"x" * 40
    (tmp_path / "damaged.parquet").write_bytes(data)
    reading = read_documents(str(tmp_path), "parquet")
    assert [d.doc_id for d in reading.documents] == [f"damaged.parquet#{n}" for n in range(11, 21)]
    assert [(r.source, r.reason) for r in reading.rejects] == [
        ("damaged.parquet#1-10", "unreadable"),
        ("torn.parquet", "unreadable"),
    ]
