"""Labelled text published as vectors, and pooled to a de-identifier that a plan runs."""

import gzip
import json
import random
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.core import tables
from spark_deid.private_training.embeddings.building import build_from_file
from spark_deid.private_training.network.transforming import TransformSource
from spark_deid.private_training.spark.transforming import (
    VECTOR_SENTENCES,
    VectorCounts,
    count_vectors,
    transform_documents,
)
from spark_deid.private_training.word_tokens import words_of
from spark_deid.release.spark.tables import store_rows
from spark_deid.samples import sample_path
from spark_deid.storage.folder import LocalFolder
from tests.unit.private_training.networks import representation_folder, store

NAMES = ("Ann", "Bob", "Cay", "Dee")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store of vectors and a representation on them."""
    folder = tmp_path_factory.mktemp("representation")
    representation_folder(folder / "given", store(folder))
    return folder


def labelled(folder: Path, documents: int = 12) -> Path:
    """Write documents of two sentences each, one of them the same in all."""
    rows = []
    for number in range(documents):
        text = f"Seen by {NAMES[number % 4]} again.\nThe fever is gone."
        spans = [{"start": 8, "end": 11, "label": "NAME" if number % 3 else "WARD.7"}]
        rows.append({"doc_id": f"Ann-{number}", "subject_id": f"s{number}", "text": text, "spans": spans})
    folder.mkdir()
    (folder / "notes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def rows_of(spark: SparkSession, release: Path) -> list[tuple[tuple[float, ...], tuple[int, ...], tuple[str, ...]]]:
    rows = spark.read.format("delta").load(str(release / "table")).collect()
    return sorted((tuple(row.vectors), tuple(row.casings), tuple(row.tags)) for row in rows)


def test_vectors_are_the_same_whatever_the_partitions(spark: SparkSession, place: Path) -> None:
    rows = [(f"d{n}", f"Seen by {NAMES[n % 4]}.\nThe fever.", [(8, 11, "NAME", None, None, None)]) for n in range(30)]
    columns = tables.ddl(pa.schema([tables.ANNOTATED.field(name) for name in ("doc_id", "text", "spans")]))
    annotated = spark.createDataFrame(rows, columns)
    source = TransformSource(str(place / "given"), str(place / "store"), b"key", ("NAME",))
    found = [
        sorted(tuple(map(tuple, row)) for row in transform_documents(given, source).collect())
        for given in (annotated.coalesce(1), annotated.repartition(7))
    ]
    assert found[0] == found[1]
    assert len(found[0]) == len(set(found[0])) == 60


def test_a_release_has_vectors_casings_and_labels_and_nothing_else(
    spark: SparkSession, place: Path, tmp_path: Path
) -> None:
    done = sd.representation.transform(
        labelled(tmp_path / "in"), "jsonl", place / "given", place / "store", tmp_path / "out"
    )
    assert (done.documents, done.sentences, done.tokens, done.relabelled) == (12, 24, 120, 4)
    rows = rows_of(spark, tmp_path / "out")
    assert all(len(vectors) == 6 * len(casings) == 6 * len(tags) for vectors, casings, tags in rows)
    assert {tag for _, _, tags in rows for tag in tags} == {"O", "B-NAME", "B-OTHER"}
    assert len({vectors for vectors, _, _ in rows}) == 24
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["columns"] == ["vectors", "casings", "tags"]
    assert manifest["assessments"] == [{"guarantee": "vectors-alone", "value": 0, "threshold": 0, "satisfied": True}]
    content = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert not any(word.encode() in content for word in (*NAMES, "fever", "Ann-", "WARD"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    # The order is drawn by the key: sentences of one document don't are next to each other.
    stored = spark.read.format("delta").load(str(tmp_path / "out" / "table")).collect()
    named = ["B-NAME" in row.tags or "B-OTHER" in row.tags for row in stored]
    assert named != [True, False] * 12


def test_noise_that_is_off_is_refused(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    from spark_deid.private_training.embeddings.store import open_store

    quiet = representation_folder(tmp_path / "quiet", open_store(str(place / "store")), noise=-1e4)
    with pytest.raises(sd.GateRefused, match="19 of 24 rows are not valid vectors"):
        sd.representation.transform(labelled(tmp_path / "in"), "jsonl", quiet, place / "store", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("*.private"))


class FewNotes(NamedTuple):
    """A folder with a store of the words of some notes and a representation on them, and the two files of notes."""

    folder: Path
    one: Path
    other: Path


@pytest.fixture(scope="module")
def spanish(tmp_path_factory: pytest.TempPathFactory) -> FewNotes:
    folder = tmp_path_factory.mktemp("spanish")
    given = FewNotes(folder, folder / "one.jsonl", folder / "other.jsonl")
    lines = gzip.decompress(sample_path("meddocan-train").read_bytes()).splitlines(keepends=True)
    given.one.write_bytes(b"".join(lines[:12]))
    given.other.write_bytes(b"".join(lines[12:24]))
    draw = random.Random(0)
    words = sorted({word for line in lines[:24] for word in words_of(json.loads(line)["text"]) if " " not in word})
    rows = [f"{word} {' '.join(f'{draw.gauss(0, 1):.3f}' for _ in range(8))}" for word in words]
    (folder / "vectors.txt").write_text("\n".join(rows), encoding="utf-8")
    vectors = build_from_file(str(folder / "vectors.txt"), str(folder / "store"))
    representation_folder(folder / "given", vectors, noise=-2)
    return given


def test_pooled_vectors_of_two_institutions_are_a_model_that_a_plan_runs(
    spark: SparkSession, spanish: FewNotes, tmp_path: Path
) -> None:
    pytest.importorskip("jax")
    given = (spanish.folder / "given", spanish.folder / "store")
    for sample in (spanish.one, spanish.other):
        done = sd.representation.transform(sample, "jsonl", *given, tmp_path / sample.stem, labels=("FECHAS",))
        assert done.sentences > 100
    released = (tmp_path / "one", tmp_path / "other")
    pooled = sd.representation.pool(released, *given, tmp_path / "model", minutes=0.05)
    assert pooled.labels == ("FECHAS", "OTHER")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "rounds", "training.json"]
    from spark_deid.greedy.decoding import whole_words
    from spark_deid.greedy.sanitizer import load_sanitizer

    sanitizer = load_sanitizer(tmp_path / "model")
    plan = sd.Plan(
        input={"path": str(spanish.other), "format": "jsonl"},
        workspace=str(tmp_path / "w"),
        release=str(tmp_path / "r"),
        model=str(tmp_path / "model"),
        decoding="viterbi",
        sources=["model"],
    )
    assert plan.run().rounds == 1
    texts = {
        row.doc_id: row.text for row in spark.read.format("delta").load(str(tmp_path / "w" / "documents")).collect()
    }
    found = spark.read.format("delta").load(str(tmp_path / "w" / "spans")).where("source = 'model/round-1'").collect()
    expected = {(doc, s.start, s.end) for doc, text in texts.items() for s in whole_words(text, sanitizer.detect(text))}
    assert expected
    assert {(row.doc_id, row.start, row.end) for row in found} == expected


def test_vectors_are_pooled_with_their_own_representation_only(
    spark: SparkSession, place: Path, tmp_path: Path
) -> None:
    pytest.importorskip("jax")
    from spark_deid.private_training.embeddings.store import open_store

    vectors = open_store(str(place / "store"))
    other = representation_folder(tmp_path / "other", vectors, noise=0.7)
    sd.representation.transform(labelled(tmp_path / "in", 3), "jsonl", other, place / "store", tmp_path / "out")
    given = (place / "given", place / "store", tmp_path / "model")
    with pytest.raises(sd.UsageError, match="vectors belong to another representation"):
        sd.representation.pool((tmp_path / "out",), *given)
    part = next((tmp_path / "out" / "table").glob("*.parquet"))
    part.write_bytes(part.read_bytes() + b" ")
    with pytest.raises(sd.SparkDeidError, match="differ from the commit"):
        sd.representation.pool((tmp_path / "out",), other, place / "store", tmp_path / "model")
    with pytest.raises(sd.SparkDeidError, match="not a release"):
        sd.representation.pool((tmp_path / "in",), *given)
    assert not (tmp_path / "model").exists()


def test_a_delta_table_and_lines_of_the_same_notes_give_the_same_vectors(
    spark: SparkSession, place: Path, tmp_path: Path
) -> None:
    lines = labelled(tmp_path / "in")
    (tmp_path / "key").write_text("ab" * 32)
    rows = [json.loads(line) for line in (lines / "notes.jsonl").read_text().splitlines()]
    given = [(row["doc_id"], row["text"], [tuple(span.values()) for span in row["spans"]]) for row in rows]
    columns = "doc_id string, text string, spans array<struct<start: int, end: int, label: string>>"
    table = spark.createDataFrame(given, columns).repartition(5)
    table.write.format("delta").save(str(tmp_path / "table"))
    for name, place_of, format in (("one", lines, "jsonl"), ("other", tmp_path / "table", "delta")):
        sd.representation.transform(
            place_of, format, place / "given", place / "store", tmp_path / name, key_file=tmp_path / "key"
        )
    assert rows_of(spark, tmp_path / "one") == rows_of(spark, tmp_path / "other")
    assert len(rows_of(spark, tmp_path / "one")) == 24


def test_every_kind_of_row_that_is_none_is_counted(spark: SparkSession, tmp_path: Path) -> None:
    good = ([0.1, 0.2, 0.3, 0.4], [2, 4], ["O", "B-NAME"])
    more = ([0.5, 0.6, 0.7, 0.8], [0, 6], ["B-DATE", "I-DATE"])
    wrong = [
        ([0.1], [2, 4], ["O", "O"]),
        ([1.1, 0.2, 0.3, 0.4], [2, 4], ["O"]),
        ([2.1, 0.2, 0.3, 0.4], [2, 7], ["O", "O"]),
        ([3.1, 0.2, 0.3, 0.4], [2, 4], ["O", "B-Ann"]),
        ([4.1, 0.2, 0.3, float("nan")], [2, 4], ["O", "O"]),
        ([5.1, 0.2, 0.3, float("inf")], [2, 4], ["O", "O"]),
        (good[0], [2, 2], ["O", "O"]),
    ]
    counts = []
    for name, rows in (("good", [good, more]), ("wrong", [good, more, *wrong])):
        frame = spark.createDataFrame(rows, tables.ddl(VECTOR_SENTENCES))
        parts = store_rows(frame, VECTOR_SENTENCES, LocalFolder(tmp_path / name))
        counts.append(count_vectors(spark, parts, 2, ("DATE", "NAME")))
    assert counts[0] == VectorCounts(rows=2, tokens=4, uneven=0, foreign=0, broken=0, repeated=0)
    assert counts[0].wrong == 0
    assert counts[1] == VectorCounts(rows=9, tokens=18, uneven=2, foreign=2, broken=2, repeated=1)
    assert counts[1].wrong == 7
