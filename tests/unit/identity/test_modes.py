"""Modes that show values by rules: what they show, and what is found to be too much."""

from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.identity.generalized_values import write_value
from spark_deid.identity.modes import FULL, PARTIAL, rule_for, rules_of
from spark_deid.identity.recount.allowed import is_allowed
from spark_deid.identity.recount.covering import value_in
from spark_deid.plan.load import check_methods
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale
from tests.unit.identity.test_settings import PLAN

SPARSE = rules_of(FULL)["postcode"].sparse


@pytest.mark.parametrize(
    ("attribute", "kind", "value", "shown"),
    [
        ("age", "age", "89", "89"), ("age", "age", "90", "90+"), ("age", "age", "104", "90+"),
        ("zip", "postcode", "53710", "537**"), ("zip", "postcode", "03601", "000**"),
        ("zip", "postcode", "SW1A 1AA", None),
        ("birth_date", "date", "1971-06-22", "1971"), ("birth_date", "date", "1940-06-22", None),
        ("date", "date", "2001", "2001"), ("date", "date", "--06-22", None), ("state", "state", "WI", "WI"),
    ],
)  # fmt: skip
def test_safe_harbor(attribute: str, kind: str, value: str, shown: str | None) -> None:
    rule = rule_for(FULL, attribute, kind)
    assert rule is not None
    assert rule.published(value, 2030) == shown
    if shown is not None:
        assert is_allowed(FULL, attribute, kind, shown, SPARSE, 2030)
    assert shown == value or not is_allowed(FULL, attribute, kind, value, SPARSE, 2030)


def test_there_are_17_sparse_prefixes_and_they_can_be_replaced() -> None:
    assert len(set(SPARSE)) == 17
    rule = rule_for(FULL, "zip", "postcode", ("537",))
    assert rule is not None
    assert rule.published("53710", 2030) == "000**"
    assert rule.published("03601", 2030) == "036**"


@pytest.mark.parametrize(
    ("attribute", "kind"), [("name", "name"), ("mrn", "code"), ("city", "term"), ("street", "term")]
)
def test_what_safe_harbor_removes_has_no_rule(attribute: str, kind: str) -> None:
    assert rule_for(FULL, attribute, kind) is None
    assert not is_allowed(FULL, attribute, kind, "x", SPARSE, 2030)


def test_a_limited_data_set_keeps_dates_and_places() -> None:
    for attribute, kind, value in (
        ("city", "term", "madison"),
        ("zip", "postcode", "53710"),
        ("date", "date", "2001-06-22"),
    ):
        rule = rule_for(PARTIAL, attribute, kind)
        assert rule is not None
        assert rule.published(value, 2030) == value
        assert is_allowed(PARTIAL, attribute, kind, value, (), 2030)
    assert rule_for(PARTIAL, "name", "name") is None
    assert rule_for(PARTIAL, "street", "term") is None


@pytest.mark.parametrize(
    "city", ["tromsø", "łodz", "gießen", "æbeltoft", "москва", "東京", "são paulo", "100 mile house"]
)
def test_cities_of_all_scripts_may_be_in_a_limited_data_set(city: str) -> None:
    value = read_value("city", city, ValueLocale())
    assert value is not None
    assert is_allowed(PARTIAL, "town", "city", value, (), 2030)


@pytest.mark.parametrize(
    "city", ["tromsø", "łodz", "gießen", "москва", "são paulo", "vitoria gasteiz", "Île-Bizard", "E-41013", "Zürich"]
)
def test_cities_may_occur_as_a_limited_data_set_writes_them(city: str) -> None:
    value = read_value("city", city, ValueLocale())
    assert value is not None
    assert is_allowed(PARTIAL, "town", "city", value_in(write_value(city, "city", value)), (), 2030)


def test_a_city_as_it_was_written_is_found() -> None:
    assert not is_allowed(PARTIAL, "city", "city", "TROMSØ", (), 2030)
    assert not is_allowed(PARTIAL, "city", "city", "St.-tropez", (), 2030)
    assert not is_allowed(PARTIAL, "city", "term", "Oslo", (), 2030)
    assert not is_allowed(PARTIAL, "city", "city", "oslo, n", (), 2030)
    assert not is_allowed(PARTIAL, "state", "state", "Łodz", (), 2030)


def test_every_part_of_a_date_may_be_in_a_limited_data_set() -> None:
    for value in ("2001-06-22", "2001-06", "2001", "--06-22", "--06"):
        assert is_allowed(PARTIAL, "date", "date", value_in(write_value("x", "date", value)), (), 2030)


def without_classes(**roles: list[str]) -> dict[str, Any]:
    identity = PLAN["identity"] | {"mode": "full"}
    identity = identity | {"roles": identity["roles"] | roles}
    return {name: value for name, value in (PLAN | {"identity": identity}).items() if name != "anonymity"}


def test_modes_have_no_classes() -> None:
    plan = check_methods(without_classes(), "plan")
    assert "shown_by_the_mode" in plan.demands
    assert "k_anonymous_persons" not in plan.demands
    with pytest.raises(UsageError, match="anonymity: mode full shows values by its own rules"):
        check_methods(PLAN | without_classes(), "plan")


def test_a_quasi_identifier_that_a_mode_does_not_show_is_refused() -> None:
    with pytest.raises(UsageError, match="name: mode full does not publish it"):
        check_methods(without_classes(identifiers=["birth_date"], quasi=["age", "gender", "name"]), "plan")
