"""Terms of ``allow`` over the texts of a person, with surrogates and moved dates."""

from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from tests.unit.rewriting.test_spared_terms import PLAN

ROWS = [
    ("a", "p", "Fisher 4 bleed, seen by Dr. Lee on 3/4/2014."),
    ("b", "p", "Seen by Dr. Ann Fisher in 5/4/2014."),
    ("c", "q", "Fisher 2 bleed, seen by Dr. Lee."),
    ("d", None, "Fisher 3 bleed."),
]
FRAME = pd.DataFrame(ROWS, columns=["doc_id", "patient", "text"])
RULES = {"NAME": "surrogate", "DATE": "shift"}


def sanitized(**changes: Any) -> sd.Sanitized[pd.DataFrame]:
    return sd.sanitize(FRAME, {**PLAN, "rules": RULES, **changes}, subject_id="patient")


@pytest.mark.parametrize("technique", ["surrogate", "pseudonym"])
def test_a_term_is_replaced_in_all_texts_of_a_person_with_the_name(spark: SparkSession, technique: str) -> None:
    rule = {"technique": technique, "scope": "subject"}
    done = sanitized(rules={"NAME": rule, "DATE": "shift"})
    texts = dict(zip(done.documents["doc_id"], done.documents["text"], strict=True))

    assert "Fisher" not in texts["a"] + texts["b"]
    assert texts["c"].startswith("Fisher 2 bleed")
    assert texts["d"] == "Fisher 3 bleed."
    found = dict(zip(done.assessments["guarantee"], done.assessments["evidence"], strict=True))
    assert "spared=2, terms=0" in found["consistent-surrogates"]
    assert any("2 spans" in each and "allow" in each for each in done.warnings)


def test_no_date_of_the_list_remains(spark: SparkSession) -> None:
    assert not sanitized().documents["text"].str.contains("3/4/2014").any()


def test_the_recount_refuses_terms_of_other_texts(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.pipeline.detecting.TermGatherer", lambda *_: lambda corpus, _: corpus)
    with pytest.raises(sd.GateRefused, match="1 terms of allow are words of values"):
        sanitized()


def test_further_terms_are_arguments(spark: SparkSession) -> None:
    done = sanitized(allow=None, sources=["patterns"], rules={})
    assert not done.documents["text"].str.contains("Fisher").any()
    plan = {**PLAN, "allow": None, "sources": ["patterns"], "rules": {}}
    done = sd.sanitize(FRAME, plan, subject_id="patient", allow="Fisher", deny=["bleed"])
    texts = dict(zip(done.documents["doc_id"], done.documents["text"], strict=True))
    assert texts["d"] == "Fisher 3 [TERM]."
