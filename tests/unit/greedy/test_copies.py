import re

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.greedy.copies import with_copies
from spark_deid.text.view import View

WORDS = st.sampled_from(["Ann", "Lee", "Anna", "A-Lee", "x", ","])


def obvious(view, spans, length):
    """Search every piece of text everywhere, longest first."""
    text, result = view.text, list(spans)
    labels = {}
    for s in spans:
        labels.setdefault(text[s.start : s.end], set()).add(s.label)
    places = []
    for piece, names in labels.items():
        if len(piece) >= length and len(names) == 1 and re.match(r"\w", piece) and re.match(r"\w", piece[-1]):
            found = re.finditer(rf"(?<!\w)(?={re.escape(piece)}(?!\w))", text)
            places += [Span(m.start(), m.start() + len(piece), *names) for m in found]
    for copy in sorted(places, key=lambda s: (s.start - s.end, s.start)):
        if all(copy.end <= s.start or s.end <= copy.start for s in (*result, *view.removed)):
            result.append(copy)
    return sorted((s.start, s.end, s.label) for s in result)


@st.composite
def documents(draw):
    words = draw(st.lists(WORDS, min_size=1, max_size=14))
    text = " ".join(words)
    spans, removed, position = [], [], 0
    while position < len(words):
        size = draw(st.integers(1, 3))
        start = sum(len(w) + 1 for w in words[:position])
        end = start + len(" ".join(words[position : position + size]))
        kind = draw(st.sampled_from(["", "", "NAME", "PLACE", "gone"]))
        if kind == "gone":
            removed.append(Span(start, end, "NAME"))
        elif kind:
            spans.append(Span(start, end, kind))
        position += size
    return View(text).remove(removed), spans


@given(documents(), st.integers(1, 5))
def test_copies_are_what_searching_everywhere_finds(world, length):
    view, spans = world
    spans = [s for s in spans if not any(r.start < s.end and s.start < r.end for r in view.removed)]
    found = with_copies(view, spans, length)
    assert [(s.start, s.end, s.label) for s in found] == obvious(view, spans, length)


def test_a_piece_with_two_labels_is_not_copied():
    spans = (Span(0, 4, "NAME"), Span(5, 9, "PLACE"))
    assert with_copies(View("Lima Lima Lima"), spans, 4) == spans


def test_scores_of_what_was_found_stay():
    found = with_copies(View("Lima Lima"), (Span(0, 4, "PLACE", 0.9),), 4)
    assert [span.score for span in found] == [0.9, None]
