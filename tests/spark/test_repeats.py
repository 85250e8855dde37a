"""Rare text: what is found, what becomes of it in a plan, and what the recount refuses."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.pipeline.release_folder import ReleaseSink
from spark_deid.pipeline.run import PipelineRun, RunInfo
from spark_deid.pipeline.steps import run_steps
from spark_deid.plan.clock import StageClock, say_nothing
from spark_deid.plan.load import check_plan
from spark_deid.release.commit import is_release
from spark_deid.release.workspace import open_places
from spark_deid.repeats.findings import LENGTH_BOUNDS
from spark_deid.repeats.settings import CountingUnit, RaritySettings, choose_unit
from spark_deid.repeats.spark.compared_texts import compare_decisions
from spark_deid.repeats.spark.search import find_in_one_task, with_rare_spans
from tests.spark.decided import Row, annotated_of, carried_out, counted_against, plan_of, spans_of

TEXTS = {"a": "seen by Dr Quux today", "b": "seen by Dr Qaax today", "c": "seen by [X] today ★"}
HIDDEN = [("a", 8, 15), ("b", 8, 15), ("c", 17, 19)]


def annotated(spark: SparkSession, spans: dict[str, list[Row]]) -> DataFrame:
    rows: list[Row] = [(doc_id, f"p{doc_id}", text, {}, spans.get(doc_id, [])) for doc_id, text in TEXTS.items()]
    return annotated_of(spark, rows)


def planned(k: int, **rest: object) -> dict[str, Any]:
    return {"repeats": {"k": k, "min_length": 3}, "placeholders": ["[X]"], **rest}


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    """Three notes, of which the last has a placeholder that is excluded."""
    rows: list[Row] = [
        (doc_id, "p" + doc_id, text, [(8, 11)] if doc_id == "c" else None) for doc_id, text in TEXTS.items()
    ]
    schema = "doc_id string, subject_id string, text string, edits array<struct<start:int,end:int>>"
    return spark.createDataFrame(rows, schema)


@pytest.fixture(scope="module")
def found(documents: DataFrame) -> DataFrame:
    return find_in_one_task(documents.repartition(3), RaritySettings(k=3, min_length=3)).cache()


def rows_of(frame: DataFrame) -> list[Row]:
    return sorted(tuple(row) for row in frame.collect())


def test_rare_text_becomes_spans_clear_of_what_is_excluded(spark: SparkSession, found: DataFrame) -> None:
    given = (0, 4, "VERB", None, "gold", None)
    spans = spans_of(with_rare_spans(annotated(spark, {"b": [given]}), found))
    assert rows_of(spans) == [
        ("a", 8, 15, "RARE", None, "repeats", None),
        ("b", *given),
        ("b", 8, 15, "RARE", None, "repeats", None),
        ("c", 17, 19, "RARE", None, "repeats", None),
    ]
    sums = found.agg({"characters": "sum", "hidden": "sum"}).first()
    assert sums is not None
    assert sums.asDict() == {"sum(characters)": 61, "sum(hidden)": 16}


def masked(spark: SparkSession, rule: object) -> Corpus:
    return carried_out(plan_of(planned(3, rules={"RARE": rule})), annotated(spark, {}), subjects=3)


def test_stars_hide_runs_or_characters(spark: SparkSession) -> None:
    runs = masked(spark, "mask")
    assert rows_of(runs.decisions.select("doc_id", "published")) == [
        ("a", "seen by ★ today"),
        ("b", "seen by ★ today"),
        ("c", "seen by [X] today★"),
    ]
    characters = masked(spark, {"technique": "mask", "per": "character"})
    texts = rows_of(characters.decisions.select("doc_id", "published"))
    assert texts[0] == ("a", "seen by ★★★★★★★ today")
    assert [len(str(text)) for _, text in texts] == [len(text) for text in TEXTS.values()]
    assert rows_of(characters.edits)[0] == ("a", 8, 15, "mask", "★" * 7)
    compared = compare_decisions(characters.decisions).orderBy("doc_id").collect()[0]
    assert (compared["starts"], compared["ends"], compared["replaced"], compared["hides"]) == ([8], [15], [7], [True])
    counts = counted_against(characters, exempt=("gold",), placeholders={"mask": lambda label: "★"})
    assert counts.edits == {"mask": {"RARE": 3}}
    assert sum(counts.faults) == counts.faults.documents == 3


def test_a_listed_placeholder_is_no_text(documents: DataFrame) -> None:
    found = find_in_one_task(documents, RaritySettings(k=3, min_length=3), placeholders=("Dr Quux", "Qaax"))
    assert rows_of(found.select("doc_id", "starts", "ends"))[0] == ("a", [], [])


def test_what_k_counts_is_chosen_by_the_input() -> None:
    named, unnamed = 3, 0
    assert choose_unit("auto", subjects=named) is CountingUnit.SUBJECT
    assert choose_unit("auto", subjects=unnamed) is CountingUnit.DOCUMENT
    assert choose_unit("occurrence", subjects=named) is CountingUnit.OCCURRENCE
    with pytest.raises(UsageError, match="no document of the input has a subject_id"):
        choose_unit("subject", subjects=unnamed)


@pytest.mark.parametrize("partitions", [1, 7])
def test_a_plan_counts_what_other_detectors_leave(spark: SparkSession, partitions: int) -> None:
    spans: dict[str, list[Row]] = {
        "a": [(8, 15, "NAME", None, "patterns/x", None)],
        "b": [(8, 15, "NAME", None, "other", None)],
    }
    settings = plan_of(planned(2, patterns={"kinds": ["email"]}))
    corpus = carried_out(settings, annotated(spark, spans).repartition(partitions), subjects=3)
    rare = corpus.spans.where("label = 'RARE'")
    assert rows_of(rare.select("doc_id", "start", "end")) == [("b", 8, 15), ("c", 17, 19)]
    assert rows_of(corpus.edits) == [
        ("a", 8, 15, "suppress", "[NAME]"),
        ("b", 8, 15, "mask", "★"),
        ("c", 17, 19, "mask", "★"),
    ]


@pytest.mark.parametrize("partitions", [1, 7])
def test_rare_text_that_is_not_edited_is_kept_to_see(spark: SparkSession, partitions: int) -> None:
    settings = plan_of(planned(3, patterns={"kinds": ["email"]}, sources=["patterns"]))
    corpus = carried_out(settings, annotated(spark, {}).repartition(partitions), subjects=3)
    assert rows_of(corpus.spans.select("doc_id", "start", "end")) == HIDDEN
    assert corpus.edits.collect() == []
    assert settings.exempt == ("repeats", "gold")
    assert sum(counted_against(corpus, exempt=settings.exempt).faults) == 3
    assert set(settings.demands) == {"coverage"}


def blind(documents: DataFrame, *_: object, **__: object) -> DataFrame:
    """Find nothing."""
    nothing = F.array().cast("array<int>")
    columns = documents.select("doc_id", nothing.alias("starts"), nothing.alias("ends"), F.length("text").alias("n"))
    lengths = F.array(*(F.lit(0).cast("bigint") for _ in LENGTH_BOUNDS))
    return columns.withColumns({"lengths": lengths, "characters": F.col("n").cast("bigint"), "hidden": F.lit(0)})


def test_nothing_is_released_where_the_recount_finds_a_rare_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(f'{{"doc_id": "{i}", "text": "{text}"}}\n' for i, text in TEXTS.items()))
    content = {"input": {"path": str(source), "format": "jsonl"}, "workspace": "w", "release": "r"}
    settings = check_plan({**content, "repeats": {"k": 3, "min_length": 3}}, "plan")
    monkeypatch.setattr("spark_deid.repeats.spark.shards.find_rare_text", blind)
    with open_places(str(source), str(tmp_path / "w"), str(tmp_path / "r"), "plan") as places:
        info = RunInfo(settings.resolved(), "plan", datetime.now(UTC))
        run = PipelineRun(settings, spark, ReleaseSink(settings, places), b"k" * 32, info, StageClock(say_nothing))
        with pytest.raises(GateRefused, match=r"k-repeating-runs .* does not hold: 3 against 0"):
            run_steps(run)
    assert not is_release(places.release)
    kept = spark.read.format("delta").load(str(tmp_path / "w" / "assessments")).collect()
    assert {row["guarantee"]: row["satisfied"] for row in kept} == {
        "every-marked-character-edited": True,
        "k-repeating-runs": False,
    }
