"""Stars as long as what they stand for: six for "female", four for "male", whatever the view generalizes them to."""

from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.load import check_methods

IDENTITY = {
    "attributes": {"AGE": "age", "SEX": "gender", "NAME": "name", "ILL": "diagnosis"},
    "roles": {"quasi": ["age", "gender"], "identifiers": ["name"], "sensitive": ["diagnosis"]},
}
LONG = {"technique": "mask", "per": "character"}


def plan(rules: dict[str, Any], **others: Any) -> dict[str, Any]:
    base = {"sources": ["gold", "identity"], "identity": IDENTITY, "anonymity": {"model": {"k": 5}}}
    return base | {"rules": {"AGE": "recode"} | rules} | others


@pytest.mark.parametrize(
    "rules", [{"SEX": LONG}, {"NAME": LONG}, {"ILL": LONG}, {"*": LONG}, {"AGE": LONG, "SEX": "recode"}]
)
def test_a_star_for_each_character_of_a_label_of_the_view_is_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="one star per character shows the length of the original"):
        check_methods(plan(rules), "plan")


def test_one_star_a_run_and_other_labels_may_be_masked() -> None:
    check_methods(plan({"SEX": {"technique": "mask", "per": "run"}, "PHONE": LONG}), "plan")


def test_a_mode_that_shows_by_rules_refuses_it_too() -> None:
    content = plan({"SEX": LONG})
    del content["anonymity"]
    content["identity"] = IDENTITY | {"mode": "partial"}
    with pytest.raises(UsageError, match=r"rules\.SEX: one star per character"):
        check_methods(content, "plan")
