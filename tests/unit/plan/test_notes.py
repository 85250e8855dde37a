"""What a report says of what a plan does not look for."""

import pytest

from spark_deid.plan.deliver import not_looked_for
from spark_deid.plan.load import check_methods

PATTERNS = {"patterns": {"kinds": "all"}}


def test_patterns_alone_look_for_no_names() -> None:
    (told,) = not_looked_for(check_methods(PATTERNS, "plan"))
    assert "names of persons" in told


@pytest.mark.parametrize("more", [{"model": "english"}, {"repeats": {"k": 4}}, {"sources": ["gold", "patterns"]}])
def test_what_else_is_edited_may_hold_them(more: dict[str, object]) -> None:
    assert not_looked_for(check_methods(PATTERNS | more, "plan")) == ()
