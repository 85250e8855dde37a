"""A string becomes what a run would release of it."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from gzip import open as open_gzip
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.app import line_redactor
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.pipeline.warnings import said_languages, warnings_of_detectors
from spark_deid.plan.load import check_methods
from spark_deid.text.language import plain_language
from tests.unit.api.fuzzed_texts import fuzzed_texts

PLANS: dict[str, dict[str, object]] = {
    "names": {"model": "english", "patterns": {"kinds": "all"}},
    "masked": {
        "model": "english",
        "decoding": "viterbi",
        "patterns": {},
        "rules": {"NAME": "mask"},
        "placeholders": ["[NAME]"],
    },
    "generalized": {
        "patterns": {"kinds": ["email"]},
        "ontology": {"words": "all"},
        "rules": {"TERM": {"technique": "generalize", "t": 16, "segment": "sentence"}},
    },
}


def sampled(name: str, most: int) -> list[str]:
    with open_gzip(sd.sample_path(name), "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines][:most]


def synthesized(documents: int) -> list[str]:
    pools = make_pools(5)
    return [make_document(5, number, pools).text for number in range(documents)]


SURROGATES = {
    "sources": ["patterns", "model"],
    "patterns": {"kinds": "all"},
    "model": "english",
    "rules": {
        "NAME": {"technique": "surrogate", "scope": "document"},
        "PHONE": {"technique": "pseudonym", "scope": "document"},
        "DATE": "shift",
    },
}


def test_made_up_replacements_of_records_are_those_of_a_run(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 32)
    plan = SURROGATES | {"key_file": str(tmp_path / "key"), "release_ids": "keep"}
    rows = [
        {"doc_id": str(number), "text": text, **({"subject_id": f"p{number % 3}"} if number % 2 else {})}
        for number, text in enumerate([*sampled("mail", 4), *synthesized(12)])
    ]
    released = sd.sanitize(pd.DataFrame(rows), plan, subject_id="subject_id").documents
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    lines = [json.dumps(row).encode() for row in rows]
    redacted = [json.loads(each.written) for each in line_redactor(tmp_path / "plan.yaml").records(lines, {})]
    assert {row["doc_id"]: row["text"] for row in redacted} == dict(
        zip(released["doc_id"], released["text"], strict=True)
    )


def check_equal(texts: list[str], plan: dict[str, object]) -> None:
    released = sd.sanitize(pd.DataFrame({"doc_id": range(len(texts)), "text": texts}), plan).documents["text"].tolist()
    redactor = sd.Redactor(plan)
    with ThreadPoolExecutor(7) as pool:
        assert list(pool.map(redactor.redact, texts)) == released


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] if name == "masked" else []) for name in PLANS]
)
def test_seven_threads_give_what_a_run_releases(name: str, spark: SparkSession) -> None:
    texts = [*sampled("mail", 4), *sampled("meddocan-dev", 4), *synthesized(10)]
    check_equal([*texts, *fuzzed_texts(60, seed=1)], PLANS[name])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] if name == "masked" else []) for name in PLANS]
)
def test_five_thousand_documents_are_what_a_run_releases(name: str, spark: SparkSession) -> None:
    samples = [text for sample in ("mail", "meddocan-dev", "meddocan-train") for text in sampled(sample, 100_000)]
    texts = [*samples, *synthesized(1500)]
    check_equal([*texts, *fuzzed_texts(5000 - len(texts), seed=2)], PLANS[name])


def test_languages_that_a_column_states_are_those_that_a_redactor_is_reported(spark: SparkSession) -> None:
    plan = {"model": {"en": "english", "es": "spanish"}, "language_column": "lang"}
    text, languages = "Mi tía Pilar Blanco vive en Cuenca desde 2003.", ["en", "es-MX", "fi", None]
    rows = [(str(number), text, lang) for number, lang in enumerate(languages)]
    done = sd.sanitize(spark.createDataFrame(rows, "id string, text string, lang string"), plan, doc_id="id")
    assert done.documents.columns == ["doc_id", "text"]
    released = {row["doc_id"]: row["text"] for row in done.documents.collect()}
    redacted = sd.redact([text] * 4, plan, lang=languages)
    assert [released[str(number)] for number in range(4)] == redacted
    assert len({*redacted}) == 3
    assert any(
        "1 of the 3 documents" in each and "(33.3%)" in each and "(fi 1)" in each and "without a model" in each
        for each in done.warnings
    )
    with pytest.raises(sd.UsageError, match="'tongue'"):
        sd.sanitize(
            spark.createDataFrame(rows, "id string, text string, lang string"),
            {**plan, "language_column": "tongue"},
            doc_id="id",
        )


def test_declared_languages_are_counted_beyond_the_first_documents(spark: SparkSession) -> None:
    codes = [*["en"] * 500, *["fi", " FI-fi ", "SE", "nb\n"] * 2, "Anna Schmidt", "", "f\u00a0", "fi\u0085", None]
    schema = "text string, meta map<string, string>"
    documents = spark.createDataFrame([("Ann.", {} if code is None else {"lang": code}) for code in codes], schema)
    counted = said_languages(documents.coalesce(1), "lang")
    assert counted == Counter(filter(None, map(plain_language, codes))) == {"en": 500, "fi": 4, "se": 2, "no": 2}
    settings = check_methods({"model": {"en": "english"}, "language_column": "lang"}, "a plan")
    (told,) = warnings_of_detectors(settings, documents.coalesce(1))
    assert "8 of the 508 documents with a stated language (1.6%)" in told
    assert "(fi 4, no 2, se 2)" in told


def test_a_column_of_spark_is_redacted_row_by_row(spark: SparkSession) -> None:
    redactor = sd.Redactor(PLANS["masked"])
    texts = ["Call Ann Lee.", None, "", "No change."]
    frame = spark.createDataFrame([(text,) for text in texts], "note string")
    assert [row[0] for row in frame.select(redactor.udf()("note")).collect()] == redactor.redact(texts)
