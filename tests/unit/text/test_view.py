import pickle
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.overlaps import join_adjacent
from spark_deid.core.span import Span
from spark_deid.text.view import FIRST_PLACEHOLDER, TextView
from spark_deid.text.visible import visible

SEEN = st.characters().filter(lambda character: visible(f"a{character}").is_whole and visible(f"1{character}").is_whole)


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, tuple[Span, ...]] | None:
    text = draw(st.text(st.sampled_from("ab \n\u0301😀漢[]"), max_size=20) | st.text(SEEN, max_size=20))
    borders = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    spans = tuple(Span(a, b, draw(st.sampled_from("AB"))) for a, b in zip(borders[::2], borders[1::2], strict=False))
    return text, spans


@given(texts_with_spans())
def test_codes_are_the_text_with_one_code_for_each_removed_piece(case: tuple[str, tuple[Span, ...]]) -> None:
    text, spans = case
    view = TextView(text).remove(spans)
    shown, position = [], 0
    for span in view.removed:
        shown += [ord(char) for char in text[position : span.start]]
        shown.append(FIRST_PLACEHOLDER + view.classes.index(span.label))
        position = span.end
    shown += [ord(char) for char in text[position:]]
    assert view.codes.tolist() == shown


@given(texts_with_spans())
def test_offsets_map_every_code_to_its_place_in_the_text(case: tuple[str, tuple[Span, ...]]) -> None:
    text, spans = case
    view = TextView(text).remove(spans)
    assert len(view.starts) == len(view.ends) == len(view.codes)
    places = list(zip(view.starts.tolist(), view.ends.tolist(), strict=True))
    assert [end for _, end in places[:-1]] == [start for start, _ in places[1:]]
    assert places[:1] == ([(0, places[0][1])] if text else [])
    pieces = {(span.start, span.end) for span in view.removed}
    for (start, end), code in zip(places, view.codes.tolist(), strict=True):
        assert (start, end) in pieces if code >= FIRST_PLACEHOLDER else text[start:end] == chr(code)


@given(texts_with_spans(), st.randoms())
def test_removing_in_two_steps_is_removing_at_once(case: tuple[str, tuple[Span, ...]], random: random.Random) -> None:
    text, spans = case
    first = [span for span in spans if random.random() < 0.5]
    second = [span for span in spans if span not in first]
    assert TextView(text).remove(first).remove(second) == TextView(text).remove(spans)


@given(texts_with_spans())
def test_removed_pieces_are_those_of_the_release(case: tuple[str, tuple[Span, ...]]) -> None:
    text, spans = case
    assert TextView(text).remove(spans).removed == join_adjacent(text, spans)


def test_pieces_of_one_label_join_over_spaces_and_not_over_lines_or_labels() -> None:
    view = TextView("Ann Lee\nBob Ray 42").remove(
        [Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(8, 11, "NAME"), Span(12, 15, "NAME"), Span(16, 18, "ID")]
    )
    assert [span[:3] for span in view.removed] == [(0, 7, "NAME"), (8, 15, "NAME"), (16, 18, "ID")]


def test_a_bracketed_word_of_the_text_is_text() -> None:
    assert max(TextView("[NAME] came").codes) < 128


def test_no_text_in_repr() -> None:
    assert "Ann" not in repr(TextView("Ann came", (Span(0, 3, "NAME"),)))


def test_a_long_text_with_many_pieces() -> None:
    text = "name, " * 20_000
    view = TextView(text).remove([Span(i * 6, i * 6 + 4, "NAME") for i in range(0, 20_000, 2)])
    assert len(view.codes) == len(text) - 3 * 10_000
    assert np.count_nonzero(view.codes == FIRST_PLACEHOLDER) == 10_000


def test_what_was_computed_does_not_travel() -> None:
    view = TextView("Ann Lee came." * 10_000, (Span(0, 7, "NAME"),))
    before = len(pickle.dumps(view))
    assert len(view.codes) + 6 == len(view.text)
    assert len(pickle.dumps(view)) == before
    assert pickle.loads(pickle.dumps(view)) == view
