"""Inputs as workers store them: the tables of a workspace, and what was counted."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid.core import tables
from spark_deid.core.errors import CorpusError
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.spark.store import StoredCorpus, store_corpus, store_frame
from spark_deid.storage.parts import read_aligned, read_groups

Row = tuple[object, ...]


def folders(path: Path) -> dict[str, str]:
    places = {name: path / "work space" / name for name in ("documents", "imported", "rejects")}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    return {name: str(place) for name, place in places.items()}


def lines(path: Path) -> None:
    """Two files of lines with ids that repeat, within and between them, annotations, a blank and a bad line."""
    rows: list[dict[str, object]] = [{"text": "é" * n, **({"doc_id": "x"} if n % 5 == 0 else {})} for n in range(1, 12)]
    rows[3]["spans"] = [{"start": 0, "end": 2, "label": "NAME"}]
    rows[4]["subject_id"] = "p"
    written = [json.dumps(row) for row in rows]
    path.mkdir()
    (path / "a.jsonl").write_text("\n".join([*written[:6], "", "{", *written[6:]]))
    (path / "b.jsonl").write_text("\n".join(written))


def documents_of(stored: StoredCorpus) -> list[Row]:
    batches = [batch for parts in stored.read for batch in read_aligned(parts)]
    assert all(batch.schema.names == tables.ANNOTATED.names for batch in batches)
    found = [(r["doc_id"], r["subject_id"], r["text"], len(r["spans"])) for b in batches for r in b.to_pylist()]
    return sorted(found, key=repr)


def labels_of(stored: StoredCorpus) -> set[str]:
    batches = [batch for parts in stored.read for batch in read_aligned(parts)]
    return {span["label"] for batch in batches for row in batch.to_pylist() for span in row["spans"]}


def rejects_of(stored: StoredCorpus) -> list[Row]:
    batches = [batch for part in stored.rejects for batch in read_groups(part.path)]
    return sorted((tuple(row.values()) for batch in batches for row in batch.to_pylist()), key=repr)


@pytest.mark.parametrize("range_bytes", [10, 1 << 20])
def test_what_is_stored_is_what_the_local_reader_reads(spark: SparkSession, tmp_path: Path, range_bytes: int) -> None:
    lines(tmp_path / "in")
    given = folders(tmp_path)
    stored = store_corpus(
        spark, str(tmp_path / "in"), "jsonl", given, labels={"NAME": "PERSON", "AGE": "NAME"}, range_bytes=range_bytes
    )
    local = read_documents(str(tmp_path / "in"), "jsonl")
    read = [(d.doc_id, d.subject_id, d.text, len(d.spans)) for d in local.documents]
    assert documents_of(stored) == sorted(read, key=repr)
    assert labels_of(stored) == {"PERSON"}
    assert rejects_of(stored) == sorted(map(tuple, local.rejects), key=repr)
    assert stored.inventory == local.inventory
    assert stored.inventory.rejects["duplicate-id"] == 3
    kept = {Path(part.path) for parts in stored.read for part in parts.values()} | {
        Path(p.path) for p in stored.rejects
    }
    assert {path for folder in given.values() for path in Path(folder).glob("*.parquet")} == kept


def test_documents_of_spark_are_stored_with_their_spans(spark: SparkSession, tmp_path: Path) -> None:
    span = (0, 1, "NAME", None, "gold", None)
    rows = [("a", "p", "Ann", {"k": "v"}, [span]), ("b", None, "Bo", {}, [])]
    frame = spark.createDataFrame(rows, tables.ddl(tables.ANNOTATED)).repartition(2)
    parts = store_frame(frame, folders(tmp_path))
    read = sorted(
        (tuple(row.values()) for each in parts for batch in read_aligned(each) for row in batch.to_pylist()), key=repr
    )
    assert [(row[0], row[2], row[3], [tuple(s.values()) for s in row[4]]) for row in read] == [
        ("a", "Ann", [("k", "v")], [span]),
        ("b", "Bo", [], []),
    ]


def test_nothing_readable_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{\n")
    with pytest.raises(CorpusError, match="expected readable files"):
        store_corpus(spark, str(tmp_path / "in.jsonl"), "jsonl", folders(tmp_path))
