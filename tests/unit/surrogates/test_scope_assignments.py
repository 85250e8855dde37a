"""Values of scopes that come one after the other: each scope's are assigned once, and all of them kept."""

from collections.abc import Iterable, Sequence
from typing import cast

from spark_deid.surrogates.scope_assignments import ScopeAssignments
from spark_deid.surrogates.scoped import AssignedText, ScopedTechnique


class _Numbered:
    """Number the values of a scope, after those that were assigned earlier."""

    def assign(
        self, scope: str, values: Iterable[tuple[str, str]], earlier: Sequence[AssignedText]
    ) -> Iterable[AssignedText]:
        yield from earlier
        known = {each.value for each in earlier}
        for number, (pool, value) in enumerate((row for row in values if row[1] not in known), len(earlier) + 1):
            yield AssignedText(pool, value, f"{scope} {number}")


def test_each_scope_has_its_own_and_keeps_what_is_earlier() -> None:
    assigning = ScopeAssignments(cast(ScopedTechnique, _Numbered()))
    assigning.take("a", [("word", "x", "old")], is_earlier=True)
    assigning.take("a", [("word", "x", None), ("word", "y", None)], is_earlier=False)
    assigning.take("a", [("word", "y", None)], is_earlier=False)
    assert {value: each.text for (_, value), each in assigning.of_scope("a").items()} == {"x": "old", "y": "a 2"}
    assert assigning.rows() == [("a", "word", "x", "old", False), ("a", "word", "y", "a 2", False)]
    assigning.take("b", [("word", "z", "kept")], is_earlier=True)
    assigning.take("c", [("word", "x", None)], is_earlier=False)
    assert [row[:1] + row[2:4] for row in assigning.rows(is_end=True)] == [("b", "z", "kept"), ("c", "x", "c 1")]


def test_a_scope_without_values_has_nothing() -> None:
    assert ScopeAssignments(cast(ScopedTechnique, _Numbered())).of_scope("a") == {}
