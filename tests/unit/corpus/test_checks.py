import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import (
    GOLD,
    GOLD_UTF16,
    GOLD_WHITESPACE,
    checked_id,
    checked_meta,
    checked_pieces,
    checked_span,
    checked_subject,
    checked_text,
    decode,
    from_utf16,
)


@pytest.mark.parametrize(
    ("data", "reason"), [(b"a\xff", "invalid-utf8"), (b"a\0b", "nul"), (b"", "empty"), (b"\xef\xbb\xbf", "empty")]
)
def test_bytes_that_are_no_text_are_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        decode(data)
    assert caught.value.reason == reason


def test_only_the_byte_order_mark_is_removed() -> None:
    assert decode("\ufeff \r\n".encode()) == " \r\n"
    assert decode("a\ufeff".encode()) == "a\ufeff"


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, "no-text"), (7, "no-text"), ("", "empty"), ("a\0", "nul"), ("a\ud800", "malformed")],
)
def test_values_that_are_no_text_are_refused_with_a_reason(value: object, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        checked_text(value)
    assert caught.value.reason == reason


def test_ids_are_strings_or_integers() -> None:
    assert checked_id(7, "d") == "7"
    assert checked_id(None, "d") == "d"
    values: tuple[object, ...] = (True, 1.5, "", [], "a\0")
    for value in values:
        with pytest.raises(FormatError):
            checked_id(value, "d")
    assert checked_subject("") is None
    assert checked_subject(" \u00ad") is None


@pytest.mark.parametrize("written", ["Jos\u00e9", " Jos\u00e9 ", "Jose\u0301", "Jos\u00e9\u200b", "\ufeffJos\u00e9\t"])
def test_a_person_is_one_however_the_id_is_padded(written: str) -> None:
    assert checked_subject(written) == "José"


def test_a_surface_is_read_exactly_then_without_regard_to_white_space_then_in_utf16() -> None:
    text = "😀 Ann\r\nLee"
    assert checked_span(text, 2, 5, "Ann", "N") == Span(2, 5, "N", None, GOLD)
    assert checked_span(text, 2, 10, "Ann Lee", "N").source == GOLD_WHITESPACE
    assert checked_span(text, 3, 6, "Ann", "N") == Span(2, 5, "N", None, GOLD_UTF16)
    assert checked_span(text, 2, 5, None, "N").source == GOLD


@pytest.mark.parametrize(
    ("start", "end", "surface", "label"),
    [
        (0, 3, "Bob", "N"),
        (0, 0, "", "N"),
        (2, 1, None, "N"),
        (-1, 2, None, "N"),
        (0, 8, None, "N"),
        (0.0, 3, None, "N"),
        (True, 3, None, "N"),
        ("0", 3, None, "N"),
        (0, 3, None, None),
        (0, 3, None, 7),
    ],
)
def test_annotations_that_do_not_fit(start: object, end: object, surface: str | None, label: object) -> None:
    with pytest.raises(FormatError, match="annotation 4") as caught:
        checked_span("Ann Lee", start, end, surface, label, where="annotation 4")
    assert caught.value.reason == "bad-annotation"
    assert "Ann" not in caught.value.detail


def test_pieces_are_read_together() -> None:
    text = "😀 left and right arm"
    surface = "left arm"
    pieces = checked_pieces(text, [(3, 7), (18, 21)], surface, "N", annotation_id="T1")
    assert [text[p.start : p.end] for p in pieces] == ["left", "arm"]
    assert {p.source for p in pieces} == {GOLD_UTF16}


@given(st.text(st.sampled_from("a😀é"), max_size=12), st.integers(-2, 26), st.integers(-2, 26))
def test_utf16_offsets_agree_with_encoding(text: str, start: int, end: int) -> None:
    units = text.encode("utf-16-le")
    found = from_utf16(text, start, end)
    expected = None
    if 0 <= start < end <= len(units) // 2:
        try:
            begin = len(units[: 2 * start].decode("utf-16-le"))
            expected = (begin, begin + len(units[2 * start : 2 * end].decode("utf-16-le")))
        except UnicodeDecodeError:
            pass
    assert found == expected


def test_metadata_become_strings() -> None:
    assert checked_meta({"a": 1, "b": "x", "c": None, "d": [1, True], "e": 1.5}) == {
        "a": "1",
        "b": "x",
        "d": "[1, true]",
        "e": "1.5",
    }
