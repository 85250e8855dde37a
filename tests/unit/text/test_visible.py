import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.text.view import TextView
from spark_deid.text.visible import visible

SHY, SPACE, WORD_JOINER, BOM, RIGHT_TO_LEFT, ZWJ, ZWNJ = "\u00ad\u200b\u2060\ufeff\u200f\u200d\u200c"
ALWAYS = f"{SHY}{SPACE}{WORD_JOINER}{BOM}{RIGHT_TO_LEFT}\u202e\u2066\u061c\x01\x7f\x80\x9f"
TEXTS = st.text(st.sampled_from(f"aZé9 \n.@[漢😀{ALWAYS}"), max_size=20)


@pytest.mark.parametrize("character", ALWAYS)
def test_what_no_one_sees_is_left_out(character: str) -> None:
    assert visible(f"P{character}érez {character}9").text == "Pérez 9"


@pytest.mark.parametrize("text", ["１２３\ufe0f-45", "45\u2011\ufe0f67", "\u0661\u0662\u200d\u0663", "a.\u200d\u0628"])
def test_nothing_joins_digits_and_marks_and_they_have_no_variants(text: str) -> None:
    assert visible(text).text == text.replace("\ufe0f", "").replace("\u200d", "")


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧",
        "❤\ufe0f\u200d🔥",
        "🏃🏽\u200d♀\ufe0f",
        "1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "漢\U000e0100",
        "\u0600\u0661",
        "naïve, ordinary\ttext\r\n",
        "Mx\u0301xico",
        " \u0301a",
        "1\u20e3",
        "It\x92s 5\x966",
        "a\x85b",
    ],
)
def test_what_a_script_or_an_emoji_needs_remains(text: str) -> None:
    assert visible(text).is_whole
    assert visible(text).text == text


@pytest.mark.parametrize(
    "text",
    ["a\u200db", "a\u200c1", "1\ufe0f2", "a\u034fb", "a\u3164b", "漢\u200d字", "a\u200d😀", "1\u03362", "-\u0332a"],
)
def test_what_is_of_no_use_where_it_occurs_is_invisible(text: str) -> None:
    assert visible(text).text == text[0] + text[2]


@given(TEXTS)
def test_offsets_show_where_each_character_was(text: str) -> None:
    shown = visible(text)
    assert shown.text == "".join(character for character in text if character not in ALWAYS)
    reached = 0
    for place, character in enumerate(shown.text if not shown.is_whole else ""):
        start, end = int(shown.starts[place]), int(shown.ends[place])
        piece = text[start:end]
        assert start >= reached
        assert visible(piece).text == character
        assert character.isspace() <= (len(piece) == 1)
        assert all(unicodedata.category(c) in ("Cf", "Cc") for c in text[reached:start])
        reached = end
    for start in range(len(shown.text)):
        for end in range(start + 1, len(shown.text) + 1):
            if not shown.is_whole:
                assert shown.inside(shown.original(Span(start, end, "X"))) == Span(start, end, "X")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [(f"An{SHY}n{SPACE} b", 0, 5), (f"{BOM}Ann", 0, 4), (f"a {BOM}Ann", 2, 6), (f"a{SPACE} Ann", 3, 6)],
)
def test_invisible_characters_belong_to_their_word(text: str, start: int, end: int) -> None:
    shown = visible(text)
    place = shown.text.index("Ann")
    assert shown.original(Span(place, place + 3, "NAME")) == Span(start, end, "NAME")


@given(TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_a_view_shows_what_is_seen_outside_removed_pieces(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    view = TextView(text).remove([Span(start, end, "X")] if start < end else [])
    shown = [text[:start], text[end:]] if start < end else [text]
    codes = [np.frombuffer(visible(piece).text.encode("utf-32-le"), np.uint32).tolist() for piece in shown]
    assert view.codes.tolist() == (codes[0] + [0x110000] + codes[1] if start < end else codes[0])
    assert len(view.starts) == len(view.ends) == len(view.codes)
    assert (view.ends[:-1] <= view.starts[1:]).all()
    for code, first, last in zip(view.codes.tolist(), view.starts.tolist(), view.ends.tolist(), strict=True):
        assert (first, last) == (start, end) if code == 0x110000 else visible(text[first:last]).text == chr(code)


@given(st.text(st.sampled_from("ae\u0301\u0327\u0308xÅ\u212b가\u1100\u1161\u11a8 \u00ad5"), max_size=12))
def test_letters_and_their_accents_are_one_character(text: str) -> None:
    shown = visible(text)
    assert unicodedata.is_normalized("NFC", shown.text)
    for place in range(0 if shown.is_whole else len(shown.text)):
        start, end = int(shown.starts[place]), int(shown.ends[place])
        assert shown.text[place] in unicodedata.normalize("NFC", visible(text[start:end]).text)


def test_spans_take_accents_with_their_letters() -> None:
    shown = visible("Pe\u0301rez, Jose\u0301")
    assert shown.text == "Pérez, José"
    assert shown.original(Span(1, 2, "X")) == Span(1, 3, "X")
    assert shown.original(Span(7, 11, "X")) == Span(8, 13, "X")
    assert shown.inside(Span(8, 13, "X")) == Span(7, 11, "X")
