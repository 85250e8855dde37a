"""Techniques of installed packages, with a toy package that brings one."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.pipeline.describing import public_plan
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_plan
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.registry import TECHNIQUES, writes_placeholders
from spark_deid.rewriting.rules import prepare_rules
from tests.unit.toy_packages import install

TOY = """
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import PlanSection, TechniqueKind

class InitialSettings(PlanSection):
    dot: str = "."

def prepare(settings, corpus, run):
    return lambda document, spans: [Edit(s.start, s.end, "", document.text[s.start] + settings.dot) for s in spans]

KIND = TechniqueKind(describe=lambda settings: "its initial", prepare=prepare, settings=InitialSettings)
"""
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    names = {"initials": "toy_initials:KIND", "suppress": "toy_initials:KIND", "broken": "toy_finals:KIND"}
    install(tmp_path, monkeypatch, "toy_initials", TOY, {"spark_deid.techniques": names})
    yield
    sys.modules.pop("toy_initials", None)


def plan(**rules: object) -> PlanSettings:
    return check_plan(PLAN | {"rules": rules}, "plan")


def test_a_rule_may_name_it_and_what_it_does_not_change_is_suppressed() -> None:
    settings = plan(NAME={"technique": "initials", "dot": ""})
    unseen: Any = None
    rules = prepare_rules(settings.rules_by_label, unseen, unseen)
    found = decide(Document("d", "Ann X, Lee"), [Span(0, 3, "NAME"), Span(4, 5, "NAME"), Span(7, 10, "CITY")], rules)
    assert [(edit.technique, edit.replacement) for edit in found.edits] == [
        ("initials", "A"),
        ("suppress", "[NAME]"),
        ("suppress", "[CITY]"),
    ]
    assert found.handed_back == (("initials", "unchanged", 1),)


def test_it_is_reported_and_writes_no_placeholders() -> None:
    settings = plan(NAME="initials")
    assert "NAME: its initial" in explain(settings)
    assert public_plan(settings)["rules"] == {"*": "suppress", "NAME": "initials"}
    assert not writes_placeholders("initials")


def test_a_name_of_ours_is_not_taken() -> None:
    assert TECHNIQUES.names() == (
        "suppress",
        "keep",
        "mask",
        "generalize",
        "recode",
        "erase",
        "neighbour",
        "surrogate",
        "shift",
        "pseudonym",
        "broken",
        "initials",
    )
    assert writes_placeholders("suppress")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("oracle", r"rules\.NAME: expected one of .*, recode, erase, .*, broken, initials, got 'oracle'"),
        ({"technique": "initials", "per": "run"}, r"rules\.NAME\.per: "),
        ("broken", r"technique broken: toy_finals:KIND can't be loaded \(ModuleNotFoundError\)"),
    ],
)
def test_a_wrong_rule_is_named(rule: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan(NAME=rule)
