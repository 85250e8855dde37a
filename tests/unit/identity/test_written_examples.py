"""What plans say that is written for a label."""

from pathlib import Path
from typing import Any

import pytest

from spark_deid.plan.detectors import describe_rules
from spark_deid.plan.load import check_methods

QUASI = ["age", "birth_date", "zip", "gender", "city", "job"]
IDENTITY: dict[str, Any] = {
    "attributes": {"NAME": "name"} | {name.upper(): name for name in QUASI},
    "roles": {"identifiers": ["name"], "quasi": QUASI},
}
PLAN: dict[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": dict.fromkeys(["AGE", "BIRTH_DATE", "ZIP", "GENDER", "CITY", "JOB", "NAME"], "recode"),
    "identity": IDENTITY,
    "anonymity": {"model": {"k": 5}},
}


def told(plan: dict[str, Any]) -> str:
    return describe_rules(check_methods(plan, "plan"))


def by_mode(mode: str, quasi: list[str], **more: Any) -> str:
    names = [*QUASI, "name"]
    roles = {"quasi": quasi, "identifiers": [name for name in names if name not in quasi]}
    identity = IDENTITY | {"mode": mode, "roles": roles} | more
    return told({name: value for name, value in (PLAN | {"identity": identity}).items() if name != "anonymity"})


def test_classes_are_reported_by_what_they_may_share() -> None:
    plan = told(PLAN)
    assert "of AGE what the class of its person shares, such as [70-79]" in plan
    assert "of BIRTH_DATE what the class of its person shares, such as [1940-01-01..1949-12-31]" in plan
    assert "of CITY what the class of its person shares, such as [Wisconsin]" in plan
    assert "of JOB what the class of its person shares, such as a set of values, {a, b}" in plan
    assert "of NAME a placeholder, since name is no quasi-identifier" in plan


def test_one_level_for_all_is_reported_by_levels() -> None:
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "algorithm": "incognito", "places": []}})
    assert "of ZIP what the class of its person shares, such as [5371*]" in plan
    assert "of CITY, GENDER, JOB what the class of its person shares, such as the value itself" in plan


def test_hierarchies_of_the_plan_have_labels_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("77;old;*\n")
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "hierarchies": str(tmp_path)}})
    assert "of AGE what the class of its person shares, such as a label of age.csv" in plan
    assert "of ZIP what the class of its person shares, such as [53710-53719]" in plan


def test_a_hierarchy_of_places_in_the_plan_comes_before_those_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text("madison;lakes;*\n")
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "hierarchies": str(tmp_path)}})
    assert "of CITY what the class of its person shares, such as a label of city.csv" in plan


def test_sensitive_attributes_show_nothing() -> None:
    roles = {"identifiers": ["name"], "quasi": QUASI[:-1], "sensitive": ["job"]}
    plan = told(PLAN | {"identity": IDENTITY | {"roles": roles}, "anonymity": {"model": {"k": 5, "l": 2}}})
    assert "of JOB, NAME a placeholder" in plan or "of JOB a placeholder, since job is no quasi-identifier" in plan


def test_modes_are_reported_by_what_their_rules_write() -> None:
    full = by_mode("full", ["age", "birth_date", "zip", "gender"])
    assert "of AGE its age by mode full, such as [77] or [90+]" in full
    assert "of BIRTH_DATE its birth date by mode full, such as [2001]" in full
    assert "of ZIP its zip by mode full, such as [537**] or [000**]" in full
    assert "of CITY a placeholder, since city is no quasi-identifier" in full
    partial = by_mode("partial", ["age", "birth_date", "zip", "gender", "city"])
    assert "of BIRTH_DATE its birth date by mode partial, such as [2001-06-22]" in partial
    assert "of CITY its city by mode partial, such as [Madison]" in partial


@pytest.mark.parametrize("mode", ["full", "partial"])
def test_no_mode_shows_a_range(mode: str) -> None:
    assert "[70-79]" not in by_mode(mode, ["age", "zip"])
