"""Sensitive attributes that stay in texts: what is counted of them, and who gives way to whom."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.identity.recount.counting import RecountedPerson, can_be_given, count_class
from spark_deid.plan.load import check_methods
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import KEEP, PreparedRule, PreparedRules, leave_all

RULES = PreparedRules({"ILL": PreparedRule(KEEP, leave_all)})
PLAN = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode", "ILL": "keep"},
    "identity": {
        "attributes": {"AGE": "age", "ILL": "illness", "NAME": "name"},
        "roles": {"quasi": ["age"], "sensitive": ["illness"], "identifiers": ["name"]},
    },
    "anonymity": {"model": {"k": 2, "l": 2}},
}


def test_an_edited_span_wins_every_overlap_with_what_remains() -> None:
    text = "Lou Gehrig's disease of Lou."
    stays = Span(0, 20, "ILL", 0.9, "gold")
    assert decide(Document("d", text), [stays], RULES).edits == ()
    edits = decide(Document("d", text), [stays, Span(0, 3, "NAME", 0.1, "model"), Span(24, 27, "NAME")], RULES).edits
    assert [each[:4] for each in edits] == [(0, 3, "suppress", "[NAME]"), (24, 27, "suppress", "[NAME]")]


def test_only_labels_that_remain_are_exempt() -> None:
    checking = CheckSettings((), {}, staying=frozenset({"ILL"}))
    assert checking.must_be_edited("flu of Ann", 7, 10, "NAME", "gold")
    assert not checking.must_be_edited("flu of Ann", 0, 3, "ILL", "gold")


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({"AGE": "keep"}, "rules.AGE: "),
        ({"NAME": "keep"}, "rules.NAME: "),
        ({"DATE": "keep"}, "rules.DATE: keep works only on labels of attributes in identity.roles.sensitive"),
        ({"*": "keep"}, r"rules.\*: keep works only on labels of attributes in identity.roles.sensitive"),
    ],
)
def test_nothing_but_sensitive_attributes_may_remain(rules: dict[str, str], told: str) -> None:
    check_methods(PLAN, "plan")
    with pytest.raises(UsageError, match=told):
        check_methods(PLAN | {"rules": {"AGE": "recode", **rules}}, "plan")
    with pytest.raises(UsageError, match="The plan has no identity"):
        check_methods({"patterns": {"kinds": ["email"]}, "rules": {"ILL": "keep"}}, "plan")


@pytest.mark.parametrize("seed", range(30))
def test_people_are_given_values_as_trying_every_order_gives_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    held = [
        [("ill", str(value)) for value in random.choice(5, int(random.integers(0, 4)), replace=False)]
        for _ in range(int(random.integers(1, 6)))
    ]
    most = 0
    for order in permutations(held):
        taken: set[str] = set()
        for values in order:
            free = [value for _, value in values if value not in taken]
            taken.update(free[:1])
        most = max(most, len(taken))
    # In some order of persons and of their values all of a largest matching find theirs.
    best = max(most, _best(held))
    assert can_be_given(held, "ill", best)
    assert not can_be_given(held, "ill", best + 1)


def _best(held: list[list[tuple[str, str]]], taken: frozenset[str] = frozenset()) -> int:
    if not held:
        return 0
    first, *rest = held
    return max([_best(rest, taken), *(1 + _best(rest, taken | {v}) for _, v in first if v not in taken)])


def test_what_remains_is_counted_as_texts_show_it_whatever_else_they_show() -> None:
    flu, gout = ("illness", "flu"), ("illness", "gout")

    def linked(*staying: tuple[tuple[str, str], ...], shown: str | None = "[70-79]") -> int:
        persons = [RecountedPerson(("71",), (), (flu, gout), each) for each in staying]
        given = {"k": 2, "shares": (Fraction(1, 2),), "distinct": {"illness": 2}, "staying": ("illness",)}
        return count_class(("age",), [shown], persons, {}, **given).linked  # type: ignore[arg-type]

    assert linked((flu,), (gout,)) == 1, "the view links each to both persons"
    persons = [RecountedPerson(("71",), (), (each,), (each,)) for each in (flu, gout)]
    given = {"k": 2, "shares": (Fraction(1, 2),), "distinct": {"illness": 2}, "staying": ("illness",)}
    assert count_class(("age",), ["[70-79]"], persons, {}, **given).linked == 0  # type: ignore[arg-type]
    persons = [person._replace(staying=(flu,)) for person in persons]
    assert count_class(("age",), ["[70-79]"], persons, {}, **given).linked == 1  # type: ignore[arg-type]
    assert count_class(("age",), [None], persons, {}, **given).linked == 1  # type: ignore[arg-type]
