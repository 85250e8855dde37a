"""Suppressions that join more than law 3 lets them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import CheckedEdit, faults_of
from spark_deid.guarantees.fields import count_overreaching
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.suppress import placeholder

TEXTS = st.text("ab \t\n\u00a0", max_size=16)
INTERVALS = st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)).map(lambda p: (min(p), max(p))), max_size=5)


def obviously(text: str, marked: list[tuple[int, int]], suppressed: list[tuple[int, int]]) -> int:
    """Count by looking at each character of each suppression."""
    inside = {place for start, end in marked for place in range(start, end)}
    count = 0
    for start, end in suppressed:
        shown = "".join("x" if place in inside else text[place] for place in range(start, end))
        if "x" not in shown:
            continue
        gaps = shown.strip("x") and [gap for gap in shown.split("x") if gap]
        joins = shown[0] == shown[-1] == "x" and all(
            gap in (" ", "  ", "\u00a0", " \u00a0", "\u00a0 ", "\u00a0\u00a0") for gap in gaps
        )
        count += not joins
    return count


@given(TEXTS, INTERVALS, INTERVALS)
def test_it_is_what_looking_at_each_character_finds(
    text: str, marked: list[tuple[int, int]], suppressed: list[tuple[int, int]]
) -> None:
    size = len(text)
    marked = [(min(start, size), min(end, size)) for start, end in marked]
    suppressed = [(min(start, size), min(end, size)) for start, end in suppressed if min(start, size) < min(end, size)]
    assert count_overreaching(text, marked, suppressed) == obviously(text, marked, suppressed)


@given(TEXTS, INTERVALS)
def test_what_the_enforcer_joins_may_be_joined(text: str, intervals: list[tuple[int, int]]) -> None:
    spans = [Span(start, end, "NAME") for start, end in intervals if start < end <= len(text)]
    edits = decide(Document("d", text), spans, PreparedRules({}, keeps_syntax=False)).edits
    assert count_overreaching(text, [span[:2] for span in spans], [edit[:2] for edit in edits]) == 0


@pytest.mark.parametrize("between", ["\t", "   ", "\n", " \r\n", "\u2028", ","])
def test_a_placeholder_over_fields_is_a_fault(between: str) -> None:
    text = f"Ann{between}Lee."
    end = len(text) - 1
    edit = CheckedEdit(0, end, "suppress", "[NAME]", "NAME")
    marked = [(0, 3, "NAME"), (end - 3, end, "NAME")]
    faults = faults_of(text, apply_edits(text, [Edit(*edit[:4])]), marked, [edit], {"suppress": placeholder})
    assert faults._replace(documents=0, overreaching=0) == type(faults)()
    assert faults.overreaching == 1
