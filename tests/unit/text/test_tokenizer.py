import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_deid.core.overlaps import is_gap
from spark_deid.core.span import Span
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.tokenizer import ALL_BORDERS, TokenBorder, ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.visible import visible
from spark_deid.text.vocabulary import load_vocabulary

PLAIN = ViewTokenizer(merged=False)
MERGING = ViewTokenizer(vocabulary=load_vocabulary(("en", "es")))
LIVELY = st.text(st.sampled_from("aAzZ9 0\n\t.,@:/-()\u0301\u200d😀漢かナ한กß_'’") | st.characters(), max_size=40)
PIECES = "3 12 2009 1999 de marzo march años a@b.c www http :// / - . , 666 93 x s n E 28012 four months"
DATES = st.lists(st.sampled_from([*PIECES.split(), " ", "\n"]), max_size=14).map("".join)


def words(text: str, tokenizer: ViewTokenizer = PLAIN) -> list[str]:
    tokens = tokenizer(TextView(text))
    return [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


def merged(text: str) -> list[tuple[str, str]]:
    tokens = MERGING(TextView(text))
    places = zip(tokens.starts, tokens.ends, tokens.arrays.merged, strict=True)
    return [(KINDS[kind], text[start:end]) for start, end, kind in places if kind]


@given(LIVELY | DATES, st.sampled_from(range(16)), st.booleans())
@example("\x08", 0, False)
def test_every_character_but_white_space_is_in_exactly_one_token(text: str, borders: int, merging: bool) -> None:
    tokens = ViewTokenizer(TokenBorder(borders), load_vocabulary(("en", "es")), merged=merging)(TextView(text))
    covered = [0] * len(text)
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        assert start < end
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        for offset in range(start, end):
            covered[offset] += 1
    shown = visible(text).text
    for count, char in zip(covered, text, strict=True):
        assert count == 1 or (count == 0 and (char.isspace() or char not in shown))
    assert tokens.starts.tolist() == sorted(tokens.starts.tolist())


@given(LIVELY | DATES, st.data())
def test_a_removed_piece_is_a_token_of_its_own(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    removed = (Span(start, end, "NAME"),) if start < end else ()
    tokens = MERGING(TextView(text, removed))
    places = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))
    assert [place for place, hidden in zip(places, tokens.is_placeholder, strict=True) if hidden] == [
        span[:2] for span in removed
    ]
    assert all(b <= start or a >= end or (a, b) == (start, end) for a, b in places if removed)


@given(LIVELY)
def test_a_combining_mark_remains_with_its_character(text: str) -> None:
    for token_start in PLAIN(TextView(text)).starts.tolist():
        if unicodedata.category(text[token_start])[0] == "M":
            assert token_start == 0 or text[token_start - 1].isspace()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25yo, nH AnnLee", ["25", "yo", ",", "nH", "Ann", "Lee"]),
        ("jose\u0301 n\u0303o", ["jose\u0301", "n\u0303o"]),
        ("漢字かなナ한국어 กิน", ["漢", "字", "か", "な", "ナ", "한국어", "กิ", "น"]),
        ("a\u00a0b\u2028c", ["a", "b", "c"]),
        ("𝒜b😀👍🏽", ["𝒜b", "😀", "👍", "🏽"]),
        ("٣٤ Ⅷ ² ª", ["٣٤", "Ⅷ", "²", "ª"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_borders(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("without", "text", "expected"),
    [
        (TokenBorder.MARK, "don't, 3.5mg", ["don't,", "3.5", "mg"]),
        (TokenBorder.DIGIT, "25yo AnnLee2", ["25yo", "Ann", "Lee2"]),
        (TokenBorder.CASE, "AnnLee", ["AnnLee"]),
        (TokenBorder.IDEOGRAPH, "漢字かな", ["漢字", "かな"]),
    ],
)
def test_a_border_can_be_left_out(without: TokenBorder, text: str, expected: list[str]) -> None:
    assert words(text, ViewTokenizer(ALL_BORDERS & ~without, merged=False)) == expected


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("mail", "a.b-c_d+e@sub.host.org"),
        ("url", "https://a.b/c?d=e#f"),
        ("url", "www.a.b"),
        ("date", "3/12/2009"),
        ("date", "03.12.09"),
        ("date", "2009-12-03"),
        ("written-date", "3 de marzo de 2009"),
        ("written-date", "3rd of March, 2009"),
        ("written-date", "March 3, 2009"),
        ("month", "marzo de 2009"),
        ("month", "diciembre-08"),
        ("phone", "34 666 12 34 56"),
        ("phone", "1-617-555-0123"),
        ("long", "28 12345678 12"),
        ("grouped", "28 28 12345"),
        ("age", "45 años"),
        ("age-words", "four months"),
        ("slashed", "s/n"),
        ("postal", "E-28012"),
    ],
)
def test_merged_tokens(kind: str, text: str) -> None:
    assert merged(text) == [(kind, text)]
    assert merged(f"({text}), x") == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    ["a @ b", "@", "3/12", "3/12/20091", "3/12/2009/1", "1.3.12.09", "marzo", "45", "s / n", "e-28012", "E-2801",
     "3 de\nmarzo", "12345678901", "www", "http://", "666 12 34 56/2"],
)  # fmt: skip
def test_near_misses_are_not_merged(text: str) -> None:
    assert merged(text) == []


def test_nothing_is_merged_over_a_removed_piece() -> None:
    text = "3 de marzo de 2009"
    assert not MERGING(TextView(text, (Span(5, 10, "X"),))).arrays.merged.any()
    assert not MERGING(TextView("ab@cd.ef", (Span(3, 5, "X"),))).arrays.merged.any()


@given(st.text("aB1. \t\n\x1f\u00a0", max_size=24))
def test_tokens_are_separate_where_pieces_would_not_join(text: str) -> None:
    tokens = PLAIN(TextView(text))
    between = [text[end:start] for end, start in zip(tokens.ends, tokens.starts[1:], strict=False)]
    assert tokens.is_apart.tolist()[1:] == [not is_gap(each) for each in between]
