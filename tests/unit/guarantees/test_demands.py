"""Which guarantees a plan needs, and which assessments its release must have."""

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.pipeline.recounting import expected_of
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_plan

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}
COVERAGE, RARE, RESIDUAL = "every-marked-character-edited", "k-repeating-runs", "residual-risk"
DEMAND = {"residual_risk": {"loss_ratio": 3}}


def plan(**changes: object) -> PlanSettings:
    return check_plan(PLAN | changes, "plan")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {COVERAGE}),
        ({"sources": ["gold"]}, {COVERAGE}),
        ({"repeats": {"k": 5}}, {COVERAGE, RARE}),
        ({"repeats": {"k": 5}, "sources": ["patterns", "repeats"]}, {COVERAGE, RARE}),
        ({"repeats": {"k": 5}, "sources": ["patterns"]}, {COVERAGE}),
        ({"guarantees": DEMAND}, {COVERAGE, RESIDUAL}),
        ({"guarantees": {"residual_risk": None}}, {COVERAGE}),
        ({"guarantees": DEMAND, "repeats": {}}, {COVERAGE, RARE, RESIDUAL}),
    ],
)
def test_a_plan_needs_what_its_methods_and_its_guarantees_ask_for(
    changes: dict[str, object], expected: set[str]
) -> None:
    settings = plan(**changes)
    assert set(expected_of(settings)) == expected
    assert len(expected_of(settings)) == len(expected)


def test_a_demand_has_the_settings_of_what_asks_for_it() -> None:
    demands = plan(repeats={"k": 5}, guarantees=DEMAND).demands
    assert demands["k_repeating"].k == 5
    assert demands["residual_risk"].loss_ratio == 3


def test_every_demand_is_explained() -> None:
    told = explain(plan(repeats={"k": 5, "unit": "document"}))
    for words in ("every character of the spans to be edited", "at least 5 documents"):
        assert words in told


def test_no_two_guarantees_have_one_assessment() -> None:
    kinds = dict(GUARANTEES.built_in_items())
    assert len({kind.assessment for kind in kinds.values()}) == len(kinds)


@pytest.mark.parametrize("name", ["oracle", "coverage", "k_repeating"])
def test_what_can_not_be_demanded_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=rf"guarantees\.{name}: unknown key; known keys: residual_risk"):
        plan(guarantees={name: {}})
