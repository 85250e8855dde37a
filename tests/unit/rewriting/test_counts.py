"""What edits leave of documents, counted by columns and by looking at every character."""

from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import GOLD, Span
from spark_deid.core.words import WORD, after_titles, count_words
from spark_deid.rewriting.counts import count_rewritten

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
def test_what_edits_leave_is_counted_as_the_obvious_way_does(case: tuple[str, Borders, Borders]) -> None:
    text, spans, edits = case
    found = [[Span(*span, "X", None, source) for span in spans for source in (GOLD, "model")], [], []]
    cells = [[LabelledEdit(*edit, "mask", "*", "X") for edit in each] for each in (edits, [], [(0, 1)])]
    columns = lists_of(found, tables.SPAN_STRUCT), lists_of(cells, tables.EDIT_STRUCT)
    counts = np.transpose(count_rewritten([text, "Dr. ab", "ab c"], *columns)).tolist()
    unedited = sum(keeps_a_word(text, *span, edits) for span in spans)
    assert counts == [[*count_words(text, edits), unedited], [2, 2, 0], [2, 1, 0]]


def test_titles_of_long_annotations_do_not_count_either() -> None:
    text = "Dr. " + "a" * 120
    spans = lists_of([[Span(0, 124, "X", None, GOLD)]] * 2, tables.SPAN_STRUCT)
    edits = lists_of([[LabelledEdit(*place, "mask", "*", "X")] for place in ((4, 124), (5, 124))], tables.EDIT_STRUCT)
    assert count_rewritten([text, text], spans, edits).gold_unedited.tolist() == [0, 1]
