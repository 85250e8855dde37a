"""Scores of a plan on labelled text: the plan runs as it would, sees no label, and writes nothing."""

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_deid as sd
from spark_deid import app
from spark_deid.core.errors import UsageError
from spark_deid.pipeline.recounting import CheckedDecisions, check
from spark_deid.pipeline.run import PipelineRun
from spark_deid.pipeline.steps import run_to_score

TEXT = "Ann Lee, born 3/4/1960, of Boston."
SPANS = [(0, 7, "NAME"), (14, 22, "DATE"), (27, 33, "CITY")]
PATTERNS = {"patterns": {"kinds": "all"}}


@pytest.fixture
def gold(tmp_path: Path) -> str:
    rows = [
        {"doc_id": "a", "text": TEXT, "spans": [dict(zip(("start", "end", "label"), s, strict=True)) for s in SPANS]}
    ]
    rows.append({"doc_id": "b", "text": "Nothing here.", "spans": []})
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def residual(gold: str, plan: Any, **options: Any) -> dict[str, Any]:
    figures: dict[str, Any] = sd.evaluate(gold, "jsonl", plan=plan, **options).to_json()["residual"]
    return figures


def test_a_plan_is_scored_by_golds_labels_and_writes_nothing(spark: SparkSession, gold: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "input: {path: nowhere, format: text}\nworkspace: w\nrelease: r\n"
        "patterns: {kinds: [email]}\nrules: {'*': suppress}\n"
    )
    page = tmp_path / "page.html"
    lines: list[str] = []
    before = set(tmp_path.iterdir())

    options = app.EvaluateOptions(
        gold=gold, format="jsonl", plan=plan, overrides={"patterns.kinds": "[date]"}, page=str(page)
    )
    figures = app.evaluate(options, lines.append).to_json()

    found = figures["residual"]
    assert {label: (each["whole"], each["all"]) for label, each in found["entities"].items()} == {
        "NAME": (1, 1),
        "DATE": (0, 1),
        "CITY": (1, 1),
    }
    assert {label: (each["whole"], each["all"]) for label, each in found["words"].items()} == {
        "NAME": (2, 2),
        "DATE": (0, 3),
        "CITY": (1, 1),
    }
    assert found["other_words"] == {"all": 4, "hidden": 0, "fraction": 0.0}
    assert figures["strict"]["labels"]["DATE"]["recall"] == 1.0
    assert set(tmp_path.iterdir()) == before | {page}
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text()
    assert '<mark class="missed">Ann Lee<small>NAME</small></mark>' in text
    assert '<mark class="after">3/4/1960</mark>' in text


def test_gold_is_no_source_and_is_never_seen(spark: SparkSession, gold: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="sources contains gold"):
        sd.evaluate(gold, "jsonl", plan={"sources": ["gold"], "rules": {"*": "suppress"}})
    sources: set[str] = set()

    def carried(run: PipelineRun) -> None:
        run_to_score(run)
        rows = run.corpus.decisions.select(F.explode("spans.source").alias("source")).distinct().collect()
        sources.update(row["source"].split("/")[0] for row in rows)

    monkeypatch.setattr("spark_deid.app.scored_plan.run_to_score", carried)
    found = residual(gold, PATTERNS)
    assert sources == {"patterns"}
    assert found["words"]["NAME"]["whole"] == 2
    assert found["refused"] == []


def test_guarantees_that_fail_are_reported_and_the_figures_come(
    spark: SparkSession, gold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checked(*given: Any) -> CheckedDecisions:
        done = check(*given)
        first = done.assessed[0]
        failed = first._replace(assessment=first.assessment._replace(satisfied=False), reasons=("it fails",))
        return replace(done, assessed=(failed, *done.assessed[1:]))

    monkeypatch.setattr("spark_deid.pipeline.steps.check", checked)
    demand = {"loss_ratio": 10, "max_identified": 0.01, "max_residual": 0.05}
    found = residual(gold, {**PATTERNS, "guarantees": {"residual_risk": demand}})

    assert "residual-risk" in found["refused"][0]
    assert "it fails" in found["refused"]
    assert found["words"]["NAME"]["all"] == 2


def test_what_allow_keeps_is_counted(spark: SparkSession, gold: str) -> None:
    found = residual(gold, {"deny": {"words": ["Boston"], "label": "CITY"}, "patterns": {"kinds": ["date"]}})
    assert found["words"]["CITY"]["whole"] == 0

    found = residual(gold, {"patterns": {"kinds": ["date"]}, "allow": {"words": ["3/4/1960"]}})
    assert found["words"]["DATE"] == {"all": 3, "whole": 3, "part": 0, "by_rule": 0, "by_allow": 3}
    assert found["entities"]["DATE"]["by_allow"] == 1


def test_one_of_model_spans_and_plan_is_scored() -> None:
    for given in ({}, {"plan": Path("p"), "spans": "s"}, {"plan": Path("p"), "model": Path("m")}):
        with pytest.raises(UsageError, match="expected one of --model, --spans and --plan"):
            app.EvaluateOptions(gold="g", format="jsonl", **given)
    with pytest.raises(UsageError, match="needs --plan"):
        app.EvaluateOptions(gold="g", format="jsonl", spans="s", overrides={"a": "b"})


def test_made_up_values_and_denied_words_are_scored(spark: SparkSession, gold: str) -> None:
    plan = {
        "patterns": {"kinds": ["date"], "custom": [{"label": "NAME", "pattern": "Ann Lee"}]},
        "deny": {"words": ["Boston"], "label": "CITY"},
        "rules": {"NAME": "surrogate", "DATE": "shift"},
    }
    found = residual(gold, plan)
    assert {label: (each["whole"], each["part"]) for label, each in found["words"].items()} == {
        "NAME": (0, 0),
        "DATE": (0, 0),
        "CITY": (0, 0),
    }
    assert found["refused"] == []


def test_classes_of_people_are_scored(spark: SparkSession, tmp_path: Path) -> None:
    rows = [{"doc_id": f"d{n}", "text": f"Aged {41 + n} years.", "subject_id": f"p{n}"} for n in range(4)]
    spans = [{"start": 5, "end": 7, "label": "AGE"}]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f"{json.dumps({**row, 'spans': spans})}\n" for row in rows))
    plan = {
        "patterns": {"kinds": ["email"], "custom": [{"label": "AGE", "pattern": r"\d+(?= years)"}]},
        "identity": {"link": "subject", "attributes": {"AGE": "age"}, "roles": {"quasi": ["age"]}},
        "anonymity": {"model": {"k": 2}},
        "rules": {"AGE": "recode"},
    }
    found = residual(str(path), plan)
    assert found["words"]["AGE"]["all"] == 4
    assert found["words"]["AGE"]["whole"] == 0


def test_a_page_shows_no_more_than_the_worst_documents(
    spark: SparkSession, gold: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark_deid.app import scored_plan

    assert scored_plan._SHOWN == 200
    monkeypatch.setattr("spark_deid.app.scored_plan._SHOWN", 1)
    path = tmp_path / "plan.yaml"
    path.write_text("patterns: {kinds: [email]}\n")
    page = tmp_path / "page.html"
    app.evaluate(app.EvaluateOptions(gold=gold, format="jsonl", plan=path, page=str(page)))
    text = page.read_text()
    assert "Ann Lee" in text
    assert "Nothing here." not in text


def test_a_model_that_was_trained_on_the_gold_is_named(
    spark: SparkSession, gold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.app.evaluating.models_trained_on", lambda *_: {"mine": 2})
    lines: list[str] = []
    plan = Path(gold).with_name("plan.yaml")
    plan.write_text("patterns: {kinds: [email]}\n")
    app.evaluate(app.EvaluateOptions(gold=gold, format="jsonl", plan=plan), lines.append)
    assert any("mine" in line and "2" in line for line in lines)
