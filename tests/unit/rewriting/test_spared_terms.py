"""Terms of ``allow`` next to made-up values."""

from typing import Any

import pytest

import spark_deid as sd
from spark_deid.core.span import Span
from spark_deid.rewriting.spared_terms import SparedTerms, UnsparedLabels, settle_terms

PATTERN = r"\b(?:Ann )?Fisher\b|\bLee\b|\bMay\b|\b3W\b|New York|York"
PLAN: dict[str, Any] = {
    "patterns": {"kinds": ["date"], "custom": [{"label": "NAME", "pattern": PATTERN}]},
    "rules": {"NAME": {"technique": "surrogate", "scope": "document"}, "DATE": "shift"},
    "allow": {"words": ["Fisher", "May", "New York", "3/4/2014"]},
}
DETECTORS = frozenset({"model"})


def redacted(text: str, technique: str = "surrogate") -> str:
    rules = {**PLAN["rules"], "NAME": {"technique": technique, "scope": "document"}}
    return str(sd.Redactor({**PLAN, "rules": rules}).redact(text))


def settled(text: str, *marked: tuple[str, str]) -> list[str]:
    spans = [Span(text.index(word), text.index(word) + len(word), "NAME", source=source) for word, source in marked]
    found = settle_terms(text, spans, detectors=DETECTORS, kept=frozenset())
    return [text[span.start : span.end] for span in found if span.source == "model/allowed"]


@pytest.mark.parametrize("technique", ["surrogate", "pseudonym"])
def test_a_term_remains_unless_it_is_a_word_of_a_replaced_value(technique: str) -> None:
    kept = redacted("Fisher 4 bleed, seen by Dr. Lee", technique)
    assert kept.startswith("Fisher 4 bleed, seen by Dr. ")
    assert "Lee" not in kept

    replaced = redacted("Fisher 4 bleed, seen by Dr. Ann Fisher", technique)
    assert "Fisher" not in replaced
    assert "Ann" not in replaced


def test_a_date_under_shift_is_never_spared() -> None:
    assert "3/4/2014" not in redacted("Seen 3/4/2014 and 5/4/2014.")
    assert sd.detect("Seen 3/4/2014.", plan=sd.Plan(**PLAN))[0].source == "patterns/date"
    labels = UnsparedLabels(frozenset({"DATE"}), frozenset({"DATE", "NAME"}))
    assert (labels.has("DATE"), labels.has("NAME"), labels.has("VISIT")) == (True, False, False)


def test_dates_that_move_by_surrogates_are_never_spared() -> None:
    plan = {**PLAN, "rules": {"DATE": {"technique": "surrogate", "scope": "document"}}}
    assert "3/4/2014" not in sd.redact("Seen 3/4/2014.", plan)


def test_a_phrase_is_compared_by_its_main_words() -> None:
    assert settled("Bank of York, Duke of Lee", ("Bank of York", "model/allowed"), ("Duke of Lee", "model/x"))
    assert not settled("New York, Ann York", ("New York", "model/allowed"), ("Ann York", "model/x"))
    assert settled("New York, Ann York", ("New York", "model/allowed"), ("Ann York", "patterns/x"))


def test_a_replaced_term_replaces_further_terms() -> None:
    terms = SparedTerms(DETECTORS, frozenset({"ILL"}))
    text = "Lee Fisher Ann Fisher Lee May"
    terms.take(text, [Span(0, 10, "NAME", source="model/allowed"), Span(11, 21, "NAME", source="model/x")])
    terms.take(text, [Span(22, 25, "NAME", source="model/allowed"), Span(26, 29, "NAME", source="model/allowed")])
    terms.take(text, [Span(26, 29, "ILL", source="model/x")])
    assert terms.replaced() == {("lee", "fisher"), ("lee",)}


def test_accents_and_hidden_characters_do_not_part_words() -> None:
    assert not settled("Núñez, Ann Nu\u00adnez", ("Núñez", "model/allowed"), ("Ann Nu\u00adnez", "model/x"))


def test_the_recount_refuses_a_term_that_shows_a_replaced_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.plan.detectors.settle_terms", lambda _, spans, **__: spans)
    with pytest.raises(sd.GateRefused, match="1 terms of allow are words of values"):
        redacted("Fisher 4 bleed, seen by Dr. Ann Fisher")


def test_the_check_refuses_a_date_that_remains_next_to_moved_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.plan.detectors.unspared_labels", lambda _: UnsparedLabels())
    monkeypatch.setattr("spark_deid.surrogates.shift_technique.unmarked_dates", lambda *_, **__: ())
    with pytest.raises(sd.GateRefused, match="characters of spans to be edited are outside every edit"):
        redacted("Seen 3/4/2014.")


@pytest.mark.parametrize("technique", ["generalize", "recode"])
def test_allow_is_refused_by_techniques_that_count_every_term(technique: str) -> None:
    with pytest.raises(sd.UsageError, match=f"allow: {technique} counts every term"):
        sd.Plan(patterns={}, rules={"A": {"technique": technique}}, allow={"words": ["May"]})


def test_detect_shows_which_terms_remain() -> None:
    plan = sd.Plan(**PLAN)
    assert sd.detect("Fisher, seen by Lee", plan=plan)[0].source == "patterns/allowed"
    found = sd.detect("Fisher, seen by Ann Fisher", plan=plan)
    assert found[0].source == "patterns/not-spared"


def test_python_calls_take_terms() -> None:
    plan = {"patterns": {"kinds": ["email"]}, "sources": ["patterns"], "deny": {"words": ["Sol"], "label": "SHIP"}}
    text = "Ann of Sol wrote to help@example.org and ann@example.org"
    expected = "[TERM] of [SHIP] wrote to help@example.org and [EMAIL]"
    plan["sources"] = ["patterns", "deny"]
    allow, deny = ["help@example.org"], "Ann"
    assert sd.redact(text, plan, allow=allow, deny=deny) == expected
    assert sd.Redactor(plan, allow=[{"words": allow}], deny={"words": [deny]}).redact(text) == expected
    del plan["deny"]
    plan["sources"] = ["patterns"]
    assert sd.redact("Ann", plan, deny="Ann") == "[TERM]"
    assert [s.source for s in sd.detect("Ann wrote a@b.org", plan=plan, allow="a@b.org", deny="Ann")] == [
        "deny/word",
        "patterns/allowed",
    ]


@pytest.mark.parametrize("terms", [3, ["a", {"words": ["b"]}]])
def test_wrong_terms_are_reported(terms: Any) -> None:
    with pytest.raises(sd.UsageError, match="allow: expected words"):
        sd.redact("a", {"patterns": {}}, allow=terms)
