"""Spans that overlap become disjoint, and nothing that was marked is lost."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.overlaps import priority, resolve_overlaps
from spark_deid.core.span import Span
from tests.unit.core.marked_texts import marked, marked_texts

Marked = tuple[str, list[Span]]


@given(marked_texts())
def test_every_marked_character_remains_marked_exactly_once(case: Marked) -> None:
    text, spans = case
    resolved = resolve_overlaps(text, spans)
    assert marked(resolved) == marked(spans)
    assert sum(s.end - s.start for s in resolved) == len(marked(spans))


@given(marked_texts())
def test_a_word_character_belongs_to_its_best_span(case: Marked) -> None:
    text, spans = case
    resolved = resolve_overlaps(text, spans)
    for i in marked(spans):
        if text[i].isalnum():
            best = min((s for s in spans if s.start <= i < s.end), key=priority)
            owner = next(s for s in resolved if s.start <= i < s.end)
            assert (owner.label, owner.source) == (best.label, best.source)


@given(marked_texts())
def test_no_piece_of_an_overlap_is_without_a_word_character(case: Marked) -> None:
    text, spans = case
    for piece in resolve_overlaps(text, spans):
        if piece not in spans:
            assert any(c.isalnum() or c == "_" for c in text[piece.start : piece.end]) or not any(
                text[s.start : s.end].strip(" .,-\n😀") for s in spans if s.start < piece.end and piece.start < s.end
            )


@given(marked_texts(), st.randoms(use_true_random=False))
def test_the_order_of_spans_does_not_matter(case: Marked, random: Random) -> None:
    text, spans = case
    shuffled = spans[:]
    random.shuffle(shuffled)
    assert resolve_overlaps(text, spans) == resolve_overlaps(text, shuffled)


def test_the_longest_takes_the_overlap_and_the_rest_remains() -> None:
    spans = [Span(0, 8, "TITLE"), Span(4, 14, "NAME")]
    assert [s[:3] for s in resolve_overlaps("Dr. John Smith", spans)] == [(0, 4, "TITLE"), (4, 14, "NAME")]


def test_a_remainder_of_marks_joins_the_winner() -> None:
    spans = [Span(0, 7, "NAME"), Span(5, 9, "CODE")]
    assert [s[:3] for s in resolve_overlaps("Ann Lee--", spans)] == [(0, 9, "NAME")]


@given(marked_texts())
def test_pieces_are_those_of_every_character_looked_at_by_itself(case: Marked) -> None:
    _, spans = case
    text = "x" * max((s.end for s in spans), default=0)  # no marks, which would join what is next to them
    best = {i: min((s for s in spans if s.start <= i < s.end), key=priority) for i in marked(spans)}
    owners = [(s.start, s.end, s.label, s.source) for s in resolve_overlaps(text, spans)]
    borders = [i for i in sorted(best) if best.get(i - 1) != best[i]]
    assert [start for start, *_ in owners] == borders
    assert [owner[2:] for owner in owners] == [(best[i].label, best[i].source) for i in borders]


def test_long_documents_of_spans_that_all_overlap_are_gone_through_once() -> None:
    size = 40_000
    staggered = [Span(i, i + size, "AB"[i % 2]) for i in range(0, size, 2)]
    nested = [Span(size - i, size + i, "A") for i in range(1, size)]
    assert len(resolve_overlaps("x" * 2 * size, staggered)) == len(staggered)
    assert len(resolve_overlaps("x" * 2 * size, nested)) == 1
