from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import (
    CheckedEdit,
    CoverageFaults,
    count_overlapping,
    count_uncovered,
    count_unexpected,
    faults_of,
    is_exempt,
    is_faithful,
)
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.suppress import placeholder

INTERVALS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda p: (min(p), max(p))), max_size=8)
TEXTS = st.text("ab .[N]\n", max_size=20)


PLACEHOLDERS = {"suppress": placeholder}


def suppressed(text: str, spans: list[Span]) -> tuple[LabelledEdit, ...]:
    return decide(Document("d", text), spans, PreparedRules({})).edits


def characters(intervals: list[tuple[int, int]]) -> set[int]:
    return {offset for start, end in intervals for offset in range(start, end)}


@given(INTERVALS, INTERVALS)
def test_uncovered_is_a_difference_of_sets(spans: list[tuple[int, int]], edits: list[tuple[int, int]]) -> None:
    assert count_uncovered(spans, edits) == len(characters(spans) - characters(edits))


@given(TEXTS, INTERVALS)
def test_edits_of_the_policy_pass(text: str, intervals: list[tuple[int, int]]) -> None:
    spans = [Span(start, end, "NAME") for start, end in intervals if start < end <= len(text)]
    edits = suppressed(text, spans)
    replaced = [CheckedEdit(*edit[:4]) for edit in edits]
    marked = [(span.start, span.end, span.label) for span in spans]
    faults = faults_of(text, apply_edits(text, edits), marked, replaced, PLACEHOLDERS, ("[NAME]",))
    assert faults == CoverageFaults(documents=1)


@given(TEXTS, INTERVALS, st.integers(0, 20), st.characters(categories=["Lu"]))
def test_any_other_change_is_noticed(text: str, intervals: list[tuple[int, int]], place: int, letter: str) -> None:
    edits = suppressed(text, [Span(start, end, "NAME") for start, end in intervals if start < end <= len(text)])
    published = apply_edits(text, edits)
    place = min(place, len(published))
    forged = published[:place] + letter + published[place:]
    assert not is_faithful(text, forged, [CheckedEdit(*edit[:4]) for edit in edits])


def test_span_without_an_edit() -> None:
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8, "NAME")], [], PLACEHOLDERS) == CoverageFaults(
        documents=1, uncovered=3
    )


def test_edit_that_was_not_applied() -> None:
    edit = CheckedEdit(5, 8, "suppress", "[NAME]")
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8, "NAME")], [edit], PLACEHOLDERS) == CoverageFaults(
        documents=1, altered=1
    )


def test_surrogate_equal_to_its_source() -> None:
    edit = CheckedEdit(5, 8, "surrogate", "Ann")
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8, "NAME")], [edit], PLACEHOLDERS) == CoverageFaults(
        documents=1, unchanged=1
    )


def test_a_listed_placeholder_of_the_input_may_be_suppressed_by_the_same_placeholder() -> None:
    edit, text, span = CheckedEdit(5, 11, "suppress", "[NAME]"), "I am [NAME].", (5, 11, "NAME")
    assert faults_of(text, text, [span], [edit], PLACEHOLDERS, ("[NAME]",)) == CoverageFaults(documents=1)
    assert faults_of(text, text, [span], [edit], PLACEHOLDERS) == CoverageFaults(documents=1, unchanged=1)


@pytest.mark.parametrize("technique", ["surrogate", "date-shift", ""])
def test_only_what_reports_nothing_of_the_original_may_put_it_back(technique: str) -> None:
    edit = CheckedEdit(5, 8, technique, "Ann")
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8, "NAME")], [edit], PLACEHOLDERS).unchanged == 1
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8, "NAME")], [edit], {technique: placeholder}).unexpected == 1


@pytest.mark.parametrize(
    ("source", "exempt", "is_free"),
    [
        ("gold", ("gold",), True),
        ("model/round-2", ("patterns", "model"), True),
        ("modelled/round-2", ("model",), False),
        ("golden", ("gold",), False),
        ("mod", ("model",), False),
        ("oracle", ("gold", "model"), False),
        ("", ("gold",), False),
        ("gold", (), False),
        ("patterns", ("patterns/date",), False),
    ],
)
def test_only_spans_of_exempt_detectors_are(source: str, exempt: tuple[str, ...], is_free: bool) -> None:
    assert is_exempt(source, exempt) is is_free


def test_overlapping_and_outside_edits() -> None:
    assert count_overlapping([(0, 2), (2, 4)], 4) == 0
    assert count_overlapping([(0, 3), (2, 4)], 4) == 1
    assert count_overlapping([(2, 5)], 4) == 1


def test_a_placeholder_of_another_label_puts_nothing_back() -> None:
    same, text = CheckedEdit(5, 11, "suppress", "[NAME]", "NAME"), "I am [NAME]."
    assert faults_of(text, text, [(5, 11, "CITY")], [same], PLACEHOLDERS, ("[NAME]",)).unexpected == 1
    part = same._replace(end=10, replacement="[NAME")
    assert faults_of(text, text, [(5, 10, "NAME")], [part], PLACEHOLDERS, ("[NAME]",)).unchanged == 1


def test_what_states_another_label_than_its_span_has_is_no_edit_of_a_rule() -> None:
    text, spans = "uses marijuana", [(5, 14, "DRUG")]
    edit = CheckedEdit(5, 14, "generalize", "soft drug", "DRUG")
    assert count_unexpected(text, spans, [edit], PLACEHOLDERS) == 0
    assert count_unexpected(text, spans, [edit._replace(label="CITY")], PLACEHOLDERS) == 1
    assert count_unexpected(text, spans, [edit._replace(label="")], PLACEHOLDERS) == 0
    assert count_unexpected(text, spans, [CheckedEdit(0, 4, "generalize", "thing", "CITY")], PLACEHOLDERS) == 0


def test_document_of_one_side_only() -> None:
    assert faults_of("I", None, [], [], PLACEHOLDERS) == CoverageFaults(documents=1, lost=1)
    assert faults_of(None, "I", [], [], PLACEHOLDERS) == CoverageFaults(foreign=1)
    assert faults_of(None, None, [(0, 3, "NAME")], [], PLACEHOLDERS) == CoverageFaults(uncovered=3)


def test_offsets_are_code_points() -> None:
    edits = [Edit(2, 5, "suppress", "[NAME]")]
    text = "😀 Ann"
    assert faults_of(
        text, apply_edits(text, edits), [(2, 5, "NAME")], [CheckedEdit(*edits[0])], PLACEHOLDERS
    ) == CoverageFaults(documents=1)


@pytest.mark.parametrize("seed", range(30))
def test_expected_placeholders_are_those_of_every_label_looked_at_by_itself(seed: int) -> None:
    draw = Random(seed)
    size, text = 60, "x" * 60
    places = [sorted(draw.sample(range(size), 2)) for _ in range(12)]
    spans = [(start, end, draw.choice("ABC")) for start, end in places]
    borders = sorted(draw.sample(range(size), 10))
    edits = [
        CheckedEdit(s, e, draw.choice(("suppress", "generalize")), f"[{draw.choice('AB')}]", draw.choice("AB"))
        for s, e in zip(borders[::2], borders[1::2], strict=True)
    ]
    expected = 0
    for edit in edits:
        below = {label for start, end, label in spans if start < edit.end and edit.start < end}
        told = edit.replacement[1] if edit.technique == "suppress" else edit.label
        expected += bool(below) and told not in below
    assert count_unexpected(text, spans, edits, PLACEHOLDERS) == expected


def test_long_documents_of_partly_covered_spans_are_gone_through_once() -> None:
    starts = range(0, 300_000, 10)
    spans = [span for i in starts for span in ((i, i + 6, "A"), (i + 4, i + 9, "B"))]
    edits = [CheckedEdit(i + 6, i + 9, "suppress", "[B]") for i in starts]
    assert count_unexpected("x" * 300_010, spans, edits, PLACEHOLDERS) == 0
