"""Rules of plans: what becomes of each label's spans."""

from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule, NoSettings
from spark_deid.core.span import Span
from spark_deid.pipeline.describing import public_plan
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_methods, check_plan, load_plan
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.mask import MaskSettings
from spark_deid.rewriting.rules import SUPPRESSION, PreparedRules, prepare_rules

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}
BY_CHARACTER = {"technique": "mask", "per": "character"}
SUPPRESS = LabelRule("suppress", NoSettings())
RUN, CHARACTER = LabelRule("mask", MaskSettings()), LabelRule("mask", MaskSettings(per="character"))


def plan(**changes: object) -> PlanSettings:
    return check_plan(PLAN | changes, "plan")


def prepared(settings: PlanSettings) -> PreparedRules:
    unseen: Any = None
    return prepare_rules(settings.rules_by_label, unseen, unseen)


def written(settings: PlanSettings, text: str, *labels: str) -> list[str]:
    """Return what is written for the whole of a text that is marked by each label in turn."""
    document = Document("d", text)
    found = (decide(document, [Span(0, len(text), label)], prepared(settings)) for label in labels)
    return [edit.replacement for each in found for edit in each.edits]


def test_where_rules_are_silent_everything_is_suppressed_but_what_a_detector_has_its_own_for() -> None:
    assert plan().rules_by_label == {"*": SUPPRESS}
    assert plan(repeats={}).rules_by_label == {"*": SUPPRESS, "RARE": RUN}
    assert plan(repeats={}, sources=["patterns"]).rules_by_label == {"*": SUPPRESS, "RARE": RUN}


def test_a_label_s_rule_goes_over_its_detector_s_and_that_over_the_one_of_all_others() -> None:
    rules: dict[str, object] = {"RARE": BY_CHARACTER, "NAME": "suppress"}
    assert plan(repeats={}, rules=rules).rules_by_label == {"*": SUPPRESS, "NAME": SUPPRESS, "RARE": CHARACTER}
    assert plan(repeats={}, rules={"*": "suppress"}).rules_by_label == {"*": SUPPRESS, "RARE": RUN}
    assert plan(rules={"*": BY_CHARACTER, "NAME": "suppress"}).rules_by_label == {"*": CHARACTER, "NAME": SUPPRESS}


def test_spans_go_by_the_rule_of_their_label() -> None:
    settings = plan(rules={"NAME": "mask", "CITY": BY_CHARACTER})
    assert written(settings, "Ann", "NAME", "CITY", "DATE") == ["★", "★★★", "[DATE]"]
    settings = plan(rules={"*": BY_CHARACTER, "DATE": "suppress"})
    assert written(settings, "Ann", "NAME", "CITY", "DATE") == ["★★★", "★★★", "[DATE]"]
    assert written(plan(repeats={}), "Ann", "NAME", "RARE") == ["[NAME]", "★"]


def test_equal_rules_are_one_technique() -> None:
    rules = prepared(plan(rules={"NAME": "mask", "CITY": "mask", "DATE": BY_CHARACTER}))
    assert rules.of("NAME") is rules.of("CITY")
    assert rules.of("NAME") != rules.of("DATE")
    assert rules.of("AGE") == SUPPRESSION


def test_rules_are_reported() -> None:
    settings = plan(rules={"NAME": BY_CHARACTER}, repeats={}, sources=["patterns"])
    assert "   - NAME: one ★ per character\n" in explain(settings)
    assert "   - every other label: a placeholder such as [NAME]\n" in explain(settings)
    several = plan(rules={"NAME": BY_CHARACTER, "DATE": "mask", "CITY": BY_CHARACTER})
    assert "   - CITY, NAME: one ★ per character\n   - DATE: one ★ per run\n" in explain(several)
    assert explain(plan(rules={"DATE": "suppress"})) == explain(plan())
    assert public_plan(settings)["rules"] == {"*": "suppress", "NAME": "mask", "RARE": "mask"}
    assert settings.resolved()["rules"]["NAME"] == {"technique": "mask", "per": "character"}
    assert settings.resolved()["rules"]["*"] == {"technique": "suppress"}


def test_a_resolved_plan_is_a_plan() -> None:
    settings = plan(rules={"NAME": BY_CHARACTER, "*": "suppress"})
    assert check_plan(settings.resolved(), "again").rules_by_label == settings.rules_by_label


def test_a_rule_can_be_set_over_a_file_s(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("input: {path: n, format: text}\nworkspace: w\nrelease: r\npatterns: {kinds: all}\n")
    settings = load_plan(path, ["rules.NAME.technique=mask", "rules.NAME.per=character"])
    assert settings.rules_by_label["NAME"] == CHARACTER


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"repeats": {}, "rules": {"RARE": "suppress"}},
            r"rules\.RARE: suppress cannot replace spans of repeats\. Expected mask",
        ),
        (
            {"repeats": {}, "rules": {"RARE": "suppress"}, "sources": ["patterns"]},
            r"rules\.RARE: suppress cannot replace spans of repeats",
        ),
        ({"repeats": {}, "rules": {"NAME": "mask"}}, r"rules\.NAME: mask represents spans of repeats\. Choose another"),
        ({"repeats": {}, "rules": {"NAME": BY_CHARACTER}}, r"rules\.NAME: mask represents spans of repeats"),
        ({"repeats": {}, "rules": {"*": "mask"}}, r"rules\.\*: mask represents spans of repeats"),
    ],
)
def test_stars_represent_rare_text_only_and_nothing_else_does(changes: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan(**changes)


@pytest.mark.parametrize("changes", [{}, {"repeats": {}, "sources": ["patterns"]}])
def test_stars_may_represent_names_where_no_rare_text_is_hidden(changes: dict[str, object]) -> None:
    assert plan(**changes, rules={"NAME": "mask"}).rules_by_label["NAME"] == RUN


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("maks", "expected one of suppress, keep, mask, .*, erase, neighbour, surrogate, shift, pseudonym, got 'maks'"),
        (
            {"technique": "maks"},
            "expected one of suppress, keep, mask, .*, neighbour, surrogate, shift, pseudonym, got 'maks'",
        ),
        ({"technique": "mask", "per": "word"}, r"\.per: .*'run' or 'character'"),
        ({"technique": "mask", "colour": "red"}, r"\.colour: "),
        ({"technique": "suppress", "per": "run"}, r"\.per: "),
        ({"per": "run"}, r"expected a technique, such as suppress, or \{technique: mask, per: character\}"),
        (7, "expected a technique"),
        (None, "expected a technique"),
        (["mask"], "expected a technique"),
    ],
)
def test_a_wrong_rule_is_named(rule: object, words: str) -> None:
    with pytest.raises(UsageError, match=rf"^plan: rules\.NAME(?:: |(?=\.)){words}"):
        plan(rules={"NAME": rule})


def test_every_mistake_of_rules_is_reported_at_once_with_the_others() -> None:
    wrong = {"NAME": "maks", "DATE": {"technique": "mask", "per": "word", "colour": "red"}, "*": 7, "CITY": "mask"}
    with pytest.raises(UsageError) as caught:
        plan(rules=wrong, sources=["oracle"], paint="red")
    lines = str(caught.value).splitlines()
    known = "suppress, keep, mask, generalize, recode, erase, neighbour, surrogate, shift, pseudonym"
    assert f"plan: rules.NAME: expected one of {known}, got 'maks'; did you mean mask?" in lines
    assert "plan: rules.DATE.per: expected 'run' or 'character', got 'word'" in lines
    assert "plan: rules.DATE.colour: unknown option; known here: per" in lines
    for beginning in ("plan: rules.*: expected a technique", "plan: sources[0]: ", "plan: paint: unknown key"):
        assert any(line.startswith(beginning) for line in lines)
    assert not any("rules.CITY" in line for line in lines)


def test_every_rule_that_does_not_go_with_a_detector_is_reported_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        plan(repeats={}, rules={"RARE": "suppress", "NAME": "mask", "CITY": "mask"})
    for label in ("RARE", "NAME", "CITY"):
        assert f"rules.{label}: " in str(caught.value)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"repeats": {"k": 5}, "patterns": {"kinds": "all"}}, "repeats needs a whole corpus"),
        ({"patterns": {"kinds": "all"}, "rules": {"NAME": "generalize"}}, "generalize counts every term"),
    ],
)
def test_terms_that_remain_go_with_what_looks_at_a_text_by_itself(given: dict[str, object], why: str) -> None:
    allow = {"allow": [{"words": ["Springfield"]}]}
    (reason,) = check_methods(given, "plan").reasons_against_allow()
    assert why in reason
    with pytest.raises(UsageError, match=why):
        check_methods({**given, **allow}, "plan")
    assert not [*check_methods({"patterns": {"kinds": "all"}, **allow}, "plan").reasons_against_allow()]
