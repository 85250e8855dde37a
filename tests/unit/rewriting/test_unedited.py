from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_deid.core.words import WORD, after_titles
from spark_deid.rewriting.unedited import count_unedited

Borders = list[tuple[int, int]]


def keeps_a_word(text: str, start: int, end: int, edits: Borders) -> bool:
    """Look at every character of a span, and for it at every edit."""
    if any(first < end and last > start for first, last in edits):
        start = after_titles(text, start, end)
    clear = (place for place in range(start, end) if not any(first <= place < last for first, last in edits))
    return any(WORD.match(text[place]) for place in clear)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, Borders, Borders]:
    text = "".join(draw(st.lists(st.sampled_from(["Dr. ", "mrs", "ab", "é", " ", "-", "\n"]), max_size=8)))
    borders = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(borders, borders).filter(lambda each: each[0] <= each[1]), max_size=6))
    cuts = sorted(set(draw(st.lists(borders, max_size=8))))
    return text, spans, [each for each in pairwise(cuts) if draw(st.booleans())]


@given(edited())
@example(("Dr. ab", [(0, 6)], [(4, 6)]))
@example(("a-b-c d", [(0, 5), (0, 7)], [(0, 1), (2, 3), (4, 5)]))
@example(("a b-c", [(0, 5)], [(0, 1), (4, 5)]))
@example(("a-b c-d", [(0, 3), (4, 7), (0, 7)], [(0, 1), (2, 3), (4, 5), (6, 7)]))
@example(("a-b c-d e", [(0, 3)], [(0, 1), (2, 3), (6, 7), (8, 9)]))
def test_spans_that_keep_a_word_are_counted_as_the_obvious_way_does(case: tuple[str, Borders, Borders]) -> None:
    text, spans, edits = case
    assert count_unedited(text, spans, edits) == sum(keeps_a_word(text, *span, edits) for span in spans)


def test_spans_over_one_another_are_not_read_edit_by_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ab " * 2_000
    edits = [(place, place + 2) for place in range(0, len(text), 3)]
    spans = [(place, len(text) - place) for place in range(0, len(text) // 2, 3)]
    looked: list[tuple[int, int]] = []

    class Counting:
        def search(self, text: str, start: int, end: int) -> None:
            looked.append((start, end))

    monkeypatch.setattr("spark_deid.rewriting.unedited.WORD", Counting())
    assert count_unedited(text, spans, edits) == 0
    assert len(looked) <= len(edits) + 2 * len(spans)
