"""Vectors of one's own corpus, and pseudonyms among nearest neighbours."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.representation.embeddings.store import ABSENT, open_store
from spark_deid.representation.spark.own_vectors import shared_words

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


def test_words_are_shared_by_persons_and_not_by_documents(spark: SparkSession) -> None:
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


def test_a_corpus_without_frequent_words_has_no_vectors(spark: SparkSession, tmp_path: Path) -> None:
    given = notes(tmp_path / "notes.jsonl")
    with pytest.raises(sd.CorpusError, match="lower --min-count"):
        sd.representation.learn_embeddings(given, "jsonl", tmp_path / "own", min_count=1000)
    assert not (tmp_path / "own").exists()
