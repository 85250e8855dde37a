"""Guarantees of installed packages, with a toy package that brings one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.pipeline.recounting import expected_of, statements_of
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import check_guarantees, explain
from spark_deid.plan.load import check_plan
from tests.unit.toy_packages import install

TOY = """
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeKind, PlanSection

class ShortSettings(PlanSection):
    characters: int

def before(settings, plan):
    return ("no text is that short",) if settings.characters < 1 else ()

KIND = GuaranteeKind(
    assessment="short-texts",
    describe=lambda settings: f"texts have at most {settings.characters} characters",
    assess=lambda settings, evidence: AssessmentResult(Assessment("short-texts", "", 0.0, 0.0, True, "")),
    of=lambda given, plan: given,
    settings=ShortSettings,
    before=before,
    tell=lambda plan: {"unit": "characters"},
)
FOLLOWS = GuaranteeKind(
    assessment="spotless",
    describe=lambda settings: "nothing is spotted",
    assess=lambda settings, evidence: AssessmentResult(Assessment("spotless", "", 1.0, 0.0, False, "")),
    of=lambda given, plan: True if "patterns" in plan.sections else None,
)
"""
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "sources": ["gold"]}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    names = {"short": "toy_short:KIND", "coverage": "toy_short:KIND", "spotless": "toy_short:FOLLOWS"}
    install(tmp_path, monkeypatch, "toy_short", TOY, {"spark_deid.guarantees": names})
    yield
    sys.modules.pop("toy_short", None)


def plan(demand: dict[str, object]) -> PlanSettings:
    return check_plan(PLAN | {"guarantees": demand}, "plan")


def test_a_plan_that_demands_it_expects_it_explains_it_and_is_reported() -> None:
    settings = plan({"short": {"characters": 7}})
    assert expected_of(settings) == ("every-marked-character-edited", "short-texts")
    assert "texts have at most 7 characters" in explain(settings)
    assert statements_of(settings) == {"short": {"unit": "characters"}}
    check_guarantees(settings)


def test_a_plan_that_does_not_demand_it_knows_nothing_of_it() -> None:
    settings = plan({})
    assert expected_of(settings) == ("every-marked-character-edited",)
    assert statements_of(settings) == {}


def test_every_demand_that_can_not_be_met_is_named_before_anything_is_read() -> None:
    with pytest.raises(GateRefused, match=r"residual-risk: .*; short-texts: no text is that short"):
        check_guarantees(plan({"short": {"characters": 0}, "residual_risk": {"loss_ratio": 3}}))


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        ({"short": {}}, r"guarantees\.short\.characters: missing"),
        ({"short": {"characters": 1, "words": 2}}, r"guarantees\.short\.words: unknown key; known keys: characters"),
        ({"coverage": {"characters": 7}}, r"guarantees\.coverage: unknown key"),
    ],
)
def test_a_wrong_demand_is_named(demand: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan(demand)


def test_one_that_follows_from_a_method_is_expected_without_being_named() -> None:
    content = PLAN | {"patterns": {"kinds": "all"}, "sources": ["patterns"]}
    assert expected_of(check_plan(content, "plan")) == ("every-marked-character-edited", "spotless")


def test_one_that_cannot_be_loaded_lets_no_plan_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "toy_broken", "", {"spark_deid.guarantees": {"broken": "toy_long:KIND"}})
    with pytest.raises(UsageError, match=r"guarantees broken: toy_long:KIND can't be loaded"):
        check_guarantees(plan({}))
