from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import Faults, Replaced, faults_of, is_faithful, overlapping, uncovered
from spark_deid.rewriting.suppress import suppress

INTERVALS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda p: (min(p), max(p))), max_size=8)
TEXTS = st.text("ab .[N]\n", max_size=20)


def characters(intervals: list[tuple[int, int]]) -> set[int]:
    return {offset for start, end in intervals for offset in range(start, end)}


@given(INTERVALS, INTERVALS)
def test_uncovered_is_a_difference_of_sets(spans: list[tuple[int, int]], edits: list[tuple[int, int]]) -> None:
    assert uncovered(spans, edits) == len(characters(spans) - characters(edits))


@given(TEXTS, INTERVALS)
def test_edits_of_the_policy_pass(text: str, intervals: list[tuple[int, int]]) -> None:
    spans = [Span(start, end, "NAME") for start, end in intervals if start < end <= len(text)]
    edits = suppress(text, spans)
    replaced = [Replaced(*edit) for edit in edits]
    faults = faults_of(text, apply_edits(text, edits), [(s.start, s.end) for s in spans], replaced)
    assert faults == Faults(documents=1)


@given(TEXTS, INTERVALS, st.integers(0, 20), st.characters(categories=["Lu"]))
def test_any_other_change_is_noticed(text: str, intervals: list[tuple[int, int]], place: int, letter: str) -> None:
    edits = suppress(text, [Span(start, end, "NAME") for start, end in intervals if start < end <= len(text)])
    published = apply_edits(text, edits)
    place = min(place, len(published))
    forged = published[:place] + letter + published[place:]
    assert not is_faithful(text, forged, [Replaced(*edit) for edit in edits])


def test_span_without_an_edit() -> None:
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8)], []) == Faults(documents=1, uncovered=3)


def test_edit_that_was_not_applied() -> None:
    edit = Replaced(5, 8, "suppress", "[NAME]")
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8)], [edit]) == Faults(documents=1, altered=1)


def test_surrogate_equal_to_its_source() -> None:
    edit = Replaced(5, 8, "surrogate", "Ann")
    assert faults_of("I am Ann.", "I am Ann.", [(5, 8)], [edit]) == Faults(documents=1, unchanged=1)


def test_placeholder_of_the_input_may_be_suppressed_by_the_same_placeholder() -> None:
    edit = Replaced(5, 11, "suppress", "[NAME]")
    assert faults_of("I am [NAME].", "I am [NAME].", [(5, 11)], [edit]) == Faults(documents=1)


def test_overlapping_and_outside_edits() -> None:
    assert overlapping([(0, 2), (2, 4)], 4) == 0
    assert overlapping([(0, 3), (2, 4)], 4) == 1
    assert overlapping([(2, 5)], 4) == 1


def test_document_of_one_side_only() -> None:
    assert faults_of("I", None, [], []) == Faults(documents=1, lost=1)
    assert faults_of(None, "I", [], []) == Faults(foreign=1)
    assert faults_of(None, None, [(0, 3)], []) == Faults(uncovered=3)


def test_offsets_are_code_points() -> None:
    edits = [Edit(2, 5, "suppress", "[NAME]")]
    text = "😀 Ann"
    assert faults_of(text, apply_edits(text, edits), [(2, 5)], [Replaced(*edits[0])]) == Faults(documents=1)
