"""What plans say that is written for a label."""

from pathlib import Path
from typing import Any

import pytest

from spark_deid.plan.detectors import rule_lines
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
    return "\n".join(rule_lines(check_methods(plan, "plan")))


def by_mode(mode: str, quasi: list[str], **more: Any) -> str:
    names = [*QUASI, "name"]
    roles = {"quasi": quasi, "identifiers": [name for name in names if name not in quasi]}
    identity = IDENTITY | {"mode": mode, "roles": roles} | more
    return told({name: value for name, value in (PLAN | {"identity": identity}).items() if name != "anonymity"})


def test_classes_are_reported_by_what_they_may_share() -> None:
    plan = told(PLAN)
    assert "AGE: a value that fits all people of the equivalence class, such as [70-79]" in plan
    assert "BIRTH_DATE: a value that fits all people of the equivalence class, such as [1940-01-01..1949-12-31]" in plan
    assert "CITY: a value that fits all people of the equivalence class, such as [Wisconsin]" in plan
    assert "JOB: a value that fits all people of the equivalence class, such as a set of values {a, b}" in plan
    assert "NAME: a placeholder, because name is not a quasi-identifier" in plan


def test_one_level_for_all_is_reported_by_levels() -> None:
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "algorithm": "incognito", "places": []}})
    assert "ZIP: a value that fits all people of the equivalence class, such as [5371*]" in plan
    assert (
        "CITY, GENDER, JOB: a value that fits all people of the equivalence class, such as the original value" in plan
    )


def test_hierarchies_of_the_plan_have_labels_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("77;old;*\n")
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "hierarchies": str(tmp_path)}})
    assert "AGE: a value that fits all people of the equivalence class, such as a label of age.csv" in plan
    assert "ZIP: a value that fits all people of the equivalence class, such as [53710-53719]" in plan


def test_a_hierarchy_of_places_in_the_plan_comes_before_those_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text("madison;lakes;*\n")
    plan = told(PLAN | {"anonymity": {"model": {"k": 5}, "hierarchies": str(tmp_path)}})
    assert "CITY: a value that fits all people of the equivalence class, such as a label of city.csv" in plan


def test_sensitive_attributes_show_nothing() -> None:
    roles = {"identifiers": ["name"], "quasi": QUASI[:-1], "sensitive": ["job"]}
    plan = told(PLAN | {"identity": IDENTITY | {"roles": roles}, "anonymity": {"model": {"k": 5, "l": 2}}})
    assert "JOB, NAME: a placeholder" in plan or "JOB: a placeholder, because job is not a quasi-identifier" in plan


def test_modes_are_reported_by_what_their_rules_write() -> None:
    full = by_mode("full", ["age", "birth_date", "zip", "gender"])
    assert "AGE: the age that mode full allows, such as [77] or [90+]" in full
    assert "BIRTH_DATE: the birth date that mode full allows, such as [2001]" in full
    assert "ZIP: the zip that mode full allows, such as [537**] or [000**]" in full
    assert "CITY: a placeholder, because city is not a quasi-identifier" in full
    partial = by_mode("partial", ["age", "birth_date", "zip", "gender", "city"])
    assert "BIRTH_DATE: the birth date that mode partial allows, such as [2001-06-22]" in partial
    assert "CITY: the city that mode partial allows, such as [Madison]" in partial


@pytest.mark.parametrize("mode", ["full", "partial"])
def test_no_mode_shows_a_range(mode: str) -> None:
    assert "[70-79]" not in by_mode(mode, ["age", "zip"])
