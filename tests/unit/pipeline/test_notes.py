"""What a report says of what a plan looks for, and of what it does not."""

import pytest

from spark_deid.core.kinds import DetectorScope
from spark_deid.pipeline.describing import checks_of, looked_for, not_looked_for
from spark_deid.plan.load import check_methods
from spark_deid.text.patterns import ALL_KINDS, KINDS

PATTERNS = {"patterns": {"kinds": "all"}}
NAMES = ("LOCATION", "NAME", "ORGANIZATION")


def test_patterns_only_look_for_no_names() -> None:
    assert not_looked_for(check_methods(PATTERNS, "plan")) == NAMES


def test_a_model_only_looks_for_no_patterns() -> None:
    missing = not_looked_for(check_methods({"model": "english"}, "plan"))
    assert set(missing) == {KINDS[name].label for name in ALL_KINDS}
    assert not_looked_for(check_methods(PATTERNS | {"model": "english"}, "plan")) == ()


def test_what_is_found_but_not_edited_was_not_looked_for() -> None:
    plan = check_methods(PATTERNS | {"model": "english", "sources": ["patterns"]}, "plan")
    assert not_looked_for(plan) == NAMES
    assert set(looked_for(plan)) == {"patterns"}


def test_kinds_that_find_a_part_of_a_label_do_not_represent_it() -> None:
    kinds = ["age_over_89", "titled", "email"]
    custom = [{"label": "CASE", "pattern": "Case [0-9]+"}]
    plan = check_methods({"patterns": {"kinds": kinds, "custom": custom}}, "plan")
    assert looked_for(plan)["patterns"] == DetectorScope(("EMAIL", "CASE"), ("ages over 89", "names after titles"))
    assert {"AGE", "NAME"} <= set(not_looked_for(plan))


@pytest.mark.parametrize(
    ("strict", "texts"), [("original", "--workspace {workspace}"), ("published", "--published")], ids=str
)
def test_rare_text_has_a_command_that_counts_it_again(strict: str, texts: str) -> None:
    told = checks_of(check_methods({"repeats": {"k": 5, "strict": strict}}, "plan"))
    assert told == {"k-repeating-runs": f"assess --release {{release}} {texts} --k 5 --unit {{unit}}"}
