"""A few texts of people, in Python."""

import pandas as pd
from pyspark.sql import SparkSession

import spark_deid as sd

NAMES = {
    "patterns": {"kinds": ["email"], "custom": [{"label": "NAME", "pattern": r"\bLee\b"}]},
    "rules": {"NAME": "surrogate"},
}


def test_people_have_one_surrogate_in_a_series_and_in_a_frame(spark: SparkSession) -> None:
    notes = pd.Series(["Lee came.", None, "Lee left.", "Lee slept."], index=[3, 5, 7, 9], name="note")
    people = ["p", "p", "p", "q"]

    done = sd.redact(notes, NAMES, subject=people)

    words = [text.split()[0] for text in done.dropna()]
    assert list(done.index) == [3, 5, 7, 9]
    assert done[5] is None
    assert words[0] == words[1]
    assert words[0] != words[2]
    assert "Lee" not in words

    frame = pd.DataFrame({"note": notes.dropna(), "who": ["p", "p", "q"]}).reset_index(drop=True)
    for given in ({"subject": "who"}, {"subject": frame["who"]}):
        made = sd.sanitize(frame, NAMES, text="note", **given)
        words = [text.split()[0] for text in made.documents.sort_values("doc_id")["text"]]
        assert words[0] == words[1] != words[2]


def test_a_frame_without_ids_and_plan_is_sanitized(spark: SparkSession) -> None:
    frame = pd.DataFrame({"note": ["Dr. Ann Lee wrote to ann@example.org."]})
    done = sd.sanitize(frame, text="note")
    assert done.documents["doc_id"].tolist() == ["0"]
    assert "Lee" not in done.documents["text"][0]
    by_spark = sd.sanitize(spark.createDataFrame(frame), text="note")
    assert by_spark.documents.collect()[0]["text"] == done.documents["text"][0]


def test_dates_of_documents_of_one_person_move_separately(spark: SparkSession) -> None:
    frame = pd.DataFrame({"doc_id": [*"abcdef"], "text": ["On 3/4/2014."] * 6, "who": ["p"] * 6})
    plan = {"patterns": {"kinds": ["date"]}, "rules": {"DATE": {"technique": "shift", "scope": "document"}}}
    assert sd.sanitize(frame, plan, subject="who").documents["text"].nunique() > 1
