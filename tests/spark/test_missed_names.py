"""Names that a run misses: an estimate with every run of a model that has a table, and what a target chooses."""

from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_deid as sd
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.missed_names import MissedEstimate, NoEstimate

PLAN: dict[str, Any] = {"model": "english", "patterns": {"kinds": "all"}}
NAMES = ("Carol Jones", "Mr. Webster", "Ann Lee", "webster", "Okafor", "Will Byrd")


@pytest.fixture(scope="module")
def notes(spark: SparkSession) -> DataFrame:
    texts = [
        f"{NAMES[number % 6]} was seen in the clinic on Monday with a cough, and went home the next morning. "
        f"The nurse told {NAMES[number % 5]} to come again in March, and a letter was sent to the family."
        for number in range(60)
    ]
    return spark.createDataFrame(
        [(f"n{number}", text) for number, text in enumerate(texts)], "doc_id string, text string"
    )


@pytest.fixture(scope="module")
def plain(notes: DataFrame) -> sd.Sanitized[DataFrame]:
    return sd.sanitize(notes, PLAN)


def test_a_run_estimates_the_names_that_it_misses_and_reports_it(plain: sd.Sanitized[DataFrame]) -> None:
    missed = plain.missed
    assert isinstance(missed, MissedEstimate)
    assert missed.documents == 60
    assert 0 <= missed.low <= missed.words <= missed.high
    assert 100 < missed.found < 250
    told = plain.manifest["missed_names"]
    assert told == missed.to_json()
    assert "predicted to be missed" in plain._repr_html_()


def test_a_target_hides_more_and_is_the_same_however_documents_are_parted(
    notes: DataFrame, plain: sd.Sanitized[DataFrame]
) -> None:
    assert isinstance(plain.missed, MissedEstimate)
    target = plain.missed.share_high / 3
    found = [sd.sanitize(notes.repartition(parts), {**PLAN, "target": target}) for parts in (1, 7)]
    first, second = (each.manifest["missed_names"] for each in found)
    assert first == second
    assert first["reached"]
    assert first["target"] == target
    assert first["loss_ratio"] > 10
    assert first["share_high"] <= target
    assert found[0].counts == found[1].counts
    assert found[0].counts.publish_ratio < plain.counts.publish_ratio


def test_a_target_that_nothing_reaches_takes_the_highest_ratio_and_warns(notes: DataFrame) -> None:
    done = sd.sanitize(notes.limit(5), {**PLAN, "target": 1e-6})
    assert done.manifest["missed_names"]["loss_ratio"] == 1000
    assert not done.manifest["missed_names"]["reached"]
    assert any(warning.startswith("target: 1e-06 is not reached") for warning in done.warnings)


def test_text_outside_the_range_of_labelled_corpora_gets_no_estimate_and_refuses_a_target(notes: DataFrame) -> None:
    strange = notes.toPandas()
    strange["text"] = strange["text"].str.replace("o", "0").str.replace("e", "3")
    done = sd.sanitize(strange, PLAN)
    assert done.missed is NoEstimate.RANGE
    assert done.manifest["missed_names"] == {"none": "outside-range"}
    with pytest.raises(GateRefused, match=r"target: 0\.05 .*digits between letters.*Set loss_ratio") as refused:
        sd.sanitize(strange, {**PLAN, "target": 0.05})
    assert refused.value.exit_code == 3
    program = pd.DataFrame({"doc_id": ["a"], "text": ["for (int i = 0; i < n; ++i) { x[i] = y_i; } " * 40]})
    with pytest.raises(GateRefused, match="doubts that the model knows this text"):
        sd.sanitize(program, {**PLAN, "target": 0.05})


def test_nothing_is_estimated_of_text_that_the_run_doubts_or_without_a_table(notes: DataFrame) -> None:
    strange = pd.DataFrame({"doc_id": ["a"], "text": ["for (int i = 0; i < n; ++i) { x[i] = y_i; } " * 40]})
    assert sd.sanitize(strange, PLAN).missed is NoEstimate.DOUBTS
    few = notes.limit(3)
    assert sd.sanitize(few, {**PLAN, "model": {"en": "english", "es": "spanish"}}).missed is NoEstimate.MODELS
    other = sd.sanitize(few, {**PLAN, "model": "swedish"})
    assert other.missed is NoEstimate.TABLE
    assert other.manifest["missed_names"] == {"none": "no-table"}
    assert sd.sanitize(few, {"patterns": {"kinds": "all"}}).missed is None


def test_an_estimate_is_of_what_all_detectors_leave_those_that_see_the_corpus_too(
    notes: DataFrame, plain: sd.Sanitized[DataFrame]
) -> None:
    alone = plain.missed
    beside = sd.sanitize(notes, {**PLAN, "repeats": {"k": 40, "min_length": 4}}).missed
    assert isinstance(alone, MissedEstimate)
    assert isinstance(beside, MissedEstimate)
    assert beside.words < alone.words
    assert beside.found >= alone.found


def test_a_target_without_a_table_is_a_wrong_plan(notes: DataFrame) -> None:
    with pytest.raises(UsageError, match=r"missed\.json.*loss_ratio"):
        sd.sanitize(notes, {**PLAN, "model": "swedish", "target": 0.01})
