"""Terms that remain where they are all that a detector found."""

from typing import Any

import numpy as np
import pytest

import spark_deid as sd
from spark_deid.core.span import Span
from spark_deid.guarantees.checking import allowed_texts
from spark_deid.text.terms.sparing import AllowSettings, spared_spans

ALLOW = {"words": ["May", "New York"]}


def spared(text: str, *marked: str, allow: Any = ALLOW) -> list[str]:
    """Return the texts of the spans that remain, of detectors that find these stretches where they first occur."""
    spans = [Span(text.index(each), text.index(each) + len(each), "NAME", source="model/round-1") for each in marked]
    found = spared_spans(text, finders=(lambda _: spans,), lists=AllowSettings(**_given(allow)).prepared())
    assert [span[:3] for span in found] == [span[:3] for span in spans]
    return [text[span.start : span.end] for span in found if span.source == "model/allowed"]


def _given(allow: Any) -> Any:
    return AllowSettings.model_validate(allow).model_dump()


@pytest.mark.parametrize(
    ("text", "marked", "stays"),
    [
        ("In May it rained.", ["May"], ["May"]),
        ("In MAY, it rained.", ["MAY,"], ["MAY,"]),
        ("To new\nyork.", ["new\nyork."], ["new\nyork."]),
        ("May Smith came.", ["May Smith"], []),
        ("May Smith came.", ["May", "Smith"], []),
        ("Smith, May", ["Smith", "May"], []),
        ("Smith\nMay", ["Smith", "May"], ["May"]),
        ("Smith came in May.", ["Smith", "May"], ["May"]),
        ("Mayor and May", ["Mayor"], []),
        ("May 3", ["May", "May 3"], []),
    ],
)
def test_a_span_remains_that_is_a_term_and_occurs_singly(text: str, marked: list[str], stays: list[str]) -> None:
    assert spared(text, *marked) == stays


def test_case_counts_where_a_list_reports_it() -> None:
    assert spared("In may and in May.", "may", "May", allow={"words": ["May"], "match_case": True}) == ["May"]


def test_what_remains_is_not_edited_and_passes_the_check() -> None:
    plan = {"patterns": {"kinds": ["email"]}, "allow": {"words": ["help@example.org"]}}
    redactor = sd.Redactor(plan)
    assert redactor.redact("Write to help@example.org or ann@example.org.") == "Write to help@example.org or [EMAIL]."
    assert sd.detect("help@example.org", plan=plan)[0].source == "patterns/allowed"


def test_the_check_refuses_what_is_no_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the enforcer spare everything: what checks must not believe it."""
    monkeypatch.setattr("spark_deid.text.terms.sparing._is_term", lambda *_: True)
    with pytest.raises(sd.GateRefused, match="characters of spans to be edited are outside every edit"):
        sd.Redactor({"patterns": {}, "allow": {"words": ["help"]}}).redact("ann@example.org")


def test_the_check_knows_all_that_remains() -> None:
    """Compare on random spellings: what the enforcer spares the checker must know, or good releases were refused."""
    random = np.random.default_rng(3)
    pieces = ["New", "York", "new", " ", "  ", "\n", ".", "-", "É", "e\u0301", "ﬁ", "東", "U.S."]
    for _ in range(2000):
        term, text = ("".join(random.choice(pieces, random.integers(1, 5))) for _ in range(2))
        if not any(map(str.isalnum, term)) or not text:
            continue
        match_case = bool(random.integers(2))
        lists = AllowSettings.model_validate({"words": [term], "match_case": match_case}).prepared()
        (found,) = spared_spans(text, finders=(lambda given: [Span(0, len(given), "A", source="m/x")],), lists=lists)
        known = allowed_texts([([term], match_case)]).is_spared(text, 0, len(text), "m/allowed")
        assert known or found.source != "m/allowed", (term, text)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"deny": {"words": ["may"]}, "allow": ALLOW}, "deny hides 1 of its terms"),
        ({"patterns": {}, "repeats": {"k": 2}, "allow": ALLOW}, "repeats needs a whole corpus"),
        ({"patterns": {}, "rules": {"A": {"technique": "generalize"}}, "allow": ALLOW}, "generalize counts every term"),
        ({"patterns": {}, "allow": {"expressions": ["a"]}}, "unknown key"),
        ({"patterns": {}, "allow": {"words": []}}, "expected words or files"),
    ],
)
def test_what_does_not_go_together_is_reported(plan: Any, message: str) -> None:
    with pytest.raises(sd.UsageError, match=message):
        sd.Plan(**plan)


def test_a_certificate_is_not_for_plans_that_spare_terms() -> None:
    plan = {"model": "english", "allow": ALLOW, "guarantees": {"residual_risk": {"loss_ratio": 1}}}
    with pytest.raises(sd.GateRefused, match="the plan has allow"):
        sd.Redactor(plan)
