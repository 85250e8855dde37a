"""Annotations of the input of which something stays in clear."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import GOLD, Span
from spark_deid.guarantees.counter import labels_in_clear

PLACES = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)


def letter_by_letter(text: str, spans: Sequence[Span], edits: Sequence[LabelledEdit]) -> list[tuple[str, bool]]:
    """Tell the same from the places of letters alone."""
    found = []
    for span in spans:
        letters = {place for place in range(span.start, span.end) if text[place].isalnum() or text[place] == "_"}
        shown = {place for place in letters if not any(edit.start <= place < edit.end for edit in edits)}
        if shown:
            found.append((span.label, shown == letters))
    return found


@given(st.text("aé1_ .-😀", min_size=12, max_size=12), st.lists(PLACES, max_size=4), st.lists(PLACES, max_size=4))
def test_what_remains_in_clear_is_what_letters_show(
    text: str, marked: list[list[int]], edited: list[list[int]]
) -> None:
    spans = [Span(start, end, f"L{number}", source=GOLD) for number, (start, end) in enumerate(marked)]
    edits = [LabelledEdit(start, end, "suppress", "[X]", "X") for start, end in edited]
    assert list(labels_in_clear(text, spans, edits)) == letter_by_letter(text, spans, edits)


def test_a_title_before_a_hidden_name_is_no_leak_and_one_before_a_shown_name_is() -> None:
    text, name = "Prof. Dr. Ann Ito", Span(0, 17, "NAME", source=GOLD)
    for shown, told in (((10, 17), []), ((14, 17), [("NAME", False)]), ((6, 9), [("NAME", True)]), (None, None)):
        edits = [LabelledEdit(*shown, "suppress", "[NAME]", "NAME")] if shown else []
        assert list(labels_in_clear(text, [name], edits)) == ([("NAME", True)] if told is None else told)
    assert list(labels_in_clear("Dr Ito", [Span(0, 2, "TITLE", source=GOLD)], [])) == [("TITLE", True)]
