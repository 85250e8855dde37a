"""Vectors of one's own corpus, and pseudonyms among nearest neighbours."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.private_training.embeddings.store import ABSENT, open_store
from spark_deid.private_training.spark.own_vectors import shared_words

PERSONS = ("ann", "bob", "cay", "dee")


def notes(place: Path) -> Path:
    rows = [
        {
            "doc_id": f"{person}-{number}",
            "subject_id": person,
            "text": f"Fever of {person} was high. Cough too, {number}.",
        }
        for person in PERSONS
        for number in range(4)
    ]
    place.write_text("\n".join(map(json.dumps, rows)))
    return place


def test_words_are_shared_by_people_and_not_by_documents(spark: SparkSession) -> None:
    rows = [("a", ["fever", "zimt"]), ("a", ["zimt"]), ("b", ["fever"])]
    tokenized = spark.createDataFrame(rows, "person string, words array<string>")
    assert [row[0] for row in shared_words(tokenized, 2).collect()] == ["fever"]


def test_vectors_of_a_corpus_keep_names_as_hashes(spark: SparkSession, tmp_path: Path) -> None:
    figures = sd.representation.learn_embeddings(
        notes(tmp_path / "notes.jsonl"), "jsonl", tmp_path / "own", dimensions=4, min_count=4, k=3
    )
    store = open_store(str(tmp_path / "own"))
    assert (store.resolve(["Fever", "Ann", "cough"]) != ABSENT).all()
    assert {store.word(row) for row in range(store.about.words)} >= {"fever", "cough", ""}
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert not any(person.encode() in content for person in PERSONS)
    assert (figures.dimensions, store.about.k) == (4, 3)
    assert figures.pseudonyms < figures.words


def test_vectors_by_parts_of_words_are_those_of_rare_words_too_and_as_private(
    spark: SparkSession, tmp_path: Path
) -> None:
    pytest.importorskip("floret")
    given = notes(tmp_path / "notes.jsonl")
    rare = {"doc_id": "rare", "subject_id": "eva", "text": "Feverish and qqq."}
    given.write_text(f"{given.read_text()}\n{json.dumps(rare)}")
    for name, seed in (("own", 0), ("again", 0), ("other", 1)):
        figures = sd.representation.learn_embeddings(
            given, "jsonl", tmp_path / name, method="fasttext", dimensions=4, min_count=4, k=3, seed=seed
        )
    store, again, other = (open_store(str(tmp_path / name)) for name in ("own", "again", "other"))
    assert (store.resolve(["Fever", *PERSONS, "feverish"]) != ABSENT).all()
    assert store.find(["qqq"]).tolist() == [ABSENT]  # rare, and with no part of another word
    assert np.isfinite(store.vectors).all()
    assert np.array_equal(store.vectors, again.vectors)
    assert not np.array_equal(store.vectors, other.vectors)
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert not any(person.encode() in content for person in PERSONS)
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert store.about.kind == "fasttext of a corpus"
    assert figures.pseudonyms < figures.words
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "notes.jsonl", "other", "own"]


def test_vectors_by_parts_state_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "floret", None)
    with pytest.raises(sd.UsageError, match=r"pip install 'spark-deid\[subword\]'"):
        sd.representation.learn_embeddings(tmp_path, "jsonl", tmp_path / "own", method="fasttext")


def test_a_corpus_without_frequent_words_has_no_vectors(spark: SparkSession, tmp_path: Path) -> None:
    given = notes(tmp_path / "notes.jsonl")
    with pytest.raises(sd.CorpusError, match=r"1000.*--min-count"):
        sd.representation.learn_embeddings(given, "jsonl", tmp_path / "own", min_count=1000)
    assert not (tmp_path / "own").exists()


VOCABULARY = ("ann", "bob", "cay", "dee", "eva", "fay", "gus", "hal", "ivy", "joe")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("vectors")
    rows = [f"{word} {number} {10 - number}" for number, word in enumerate(VOCABULARY)]
    (place / "small.txt").write_text("\n".join(rows))
    sd.representation.build_embeddings(place / "small.txt", place / "store")
    return place / "store"


def labelled(place: Path, files: int) -> Path:
    """Write forty documents of three sentences each to as many files."""
    place.mkdir()
    rows = []
    for number in range(40):
        name = VOCABULARY[number % 4].title()
        text = f"Seen by {name} on 03/0{number % 9 + 1}/2001.\nFever 👩 is gone. Call {name} again, room {number}."
        starts = [text.index(name), text.index("03/"), text.index(name, 30)]
        ends = [starts[0] + 3, starts[1] + 10, starts[2] + 3]
        spans = [
            {"start": start, "end": end, "label": label}
            for start, end, label in zip(starts, ends, ("NAME", "DATE", "NAME"), strict=True)
        ]
        rows.append(json.dumps({"doc_id": f"Ann-{number}", "subject_id": f"s{number}", "text": text, "spans": spans}))
    for file in range(files):
        (place / f"{file}.jsonl").write_text("\n".join(rows[file::files]))
    return place


def released(
    tmp_path: Path, vectors: Path, name: str, files: int = 1, **options: object
) -> tuple[Path, dict[str, Any]]:
    given = labelled(tmp_path / f"in-{name}", files)
    (tmp_path / "key").write_text("ab" * 32)
    given_options: dict[str, Any] = {"key_file": tmp_path / "key", "neighbours": 3, "sentences": 7, **options}
    figures = sd.representation.pseudonymize(given, "jsonl", vectors, tmp_path / name, **given_options)
    return tmp_path / name, dict(figures.results)


def rows_of(spark: SparkSession, release: Path) -> list[tuple[str, str, list[tuple[int, int, str]]]]:
    rows = spark.read.format("delta").load(str(release / "documents")).orderBy("doc_id").collect()
    return [(row.doc_id, row.text, [tuple(span) for span in row.spans]) for row in rows]


def test_labelled_text_is_released_with_pseudonyms_and_exact_spans(
    spark: SparkSession, vectors: Path, tmp_path: Path
) -> None:
    release, results = released(tmp_path, vectors, "out", to="conll")
    rows = rows_of(spark, release)
    assert [doc_id for doc_id, _, _ in rows] == [f"{n:08d}" for n in range(1, 19)]  # 120 sentences by 7
    surfaces = [(text[start:end], label) for _, text, spans in rows for start, end, label in spans]
    assert len(surfaces) == 120
    assert {surface.lower() for surface, label in surfaces if label == "NAME"} <= set(VOCABULARY)
    assert all(len(surface) == 10 and surface[2] == "/" for surface, label in surfaces if label == "DATE")
    assert sum(text.count("\n") + 1 for _, text, _ in rows) == 120
    manifest = json.loads((release / "manifest.json").read_text())
    assert {each["guarantee"]: each["satisfied"] for each in manifest["assessments"]} == {
        "every-marked-character-edited": True,
        "pseudonymized-words": True,
    }
    assert manifest["shuffled_sentences"]["sentences"] == 120
    assert (results["words"], results["unchanged"], results["without_vector"]) == (80, 0, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in-out", "key", "out"]
    assert list((release / "corpus").iterdir())
    assert "Ann-" not in (release / "report.html").read_text()


def test_a_release_is_the_same_whatever_the_partitions_and_neighbours_are_kept(
    spark: SparkSession, vectors: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "kept"
    one, found = released(tmp_path, vectors, "one", cache=str(cache))
    seven, again = released(tmp_path, vectors, "seven", files=7, cache=str(cache))
    assert rows_of(spark, one) == rows_of(spark, seven)
    assert len(rows_of(spark, one)) == 18
    assert (found["table"]["searched"], again["table"]["searched"]) == (found["table"]["words"], 0)
    assert cache.stat().st_mode & 0o777 == 0o700


def test_an_index_that_misses_no_word_gives_the_same_release_and_shows_its_recall(
    spark: SparkSession, vectors: Path, tmp_path: Path
) -> None:
    pytest.importorskip("voyager")
    exact, _ = released(tmp_path, vectors, "exact")
    near, found = released(tmp_path, vectors, "near", index="approximate", cache=str(tmp_path / "kept"))
    assert rows_of(spark, exact) == rows_of(spark, near)
    said = json.loads((near / "manifest.json").read_text())["shuffled_sentences"]
    assert (said["index"], said["recall"], found["table"]["recalled"] > 0) == ("approximate", 1.0, True)
    assert "approximate index" in (near / "report.html").read_text()
    assert json.loads((exact / "manifest.json").read_text())["shuffled_sentences"]["recall"] is None


def test_an_original_that_would_remain_is_refused(
    spark: SparkSession, vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.private_training.spark.recount.unchanged_among", lambda *_: (1, 1))
    monkeypatch.setattr(
        "spark_deid.private_training.spark.recount.run_tasks", lambda _, f, parts: [f(p) for p in parts]
    )
    with pytest.raises(sd.GateRefused, match=r"^nothing is released: 40 of 40 words of annotations"):
        released(tmp_path, vectors, "out")
    assert not (tmp_path / "out").exists()


def test_neighbours_represent_annotations_only(vectors: Path, tmp_path: Path) -> None:
    content = {
        "input": {"path": str(tmp_path), "format": "text"},
        "workspace": str(tmp_path / "w"),
        "release": str(tmp_path / "r"),
        "patterns": {"kinds": "all"},
        "rules": {"*": {"technique": "neighbour", "embeddings": str(vectors)}},
    }
    with pytest.raises(sd.UsageError, match=r"expected sources: \[gold\]"):
        sd.Plan(**content)


def test_an_index_whose_library_is_missing_is_refused_before_anything_is_read(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.private_training.technique.is_installed", lambda: False)
    with pytest.raises(sd.UsageError, match=r"pip install 'spark-deid\[approximate\]'"):
        released(tmp_path, vectors, "out", index="approximate")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in-out", "key"]
