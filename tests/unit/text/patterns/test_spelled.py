"""Codes and names that are spelled, and the kinds of numbers after the names of identifiers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.patterns import PatternDetector


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.label) for span in PatternDetector().detect(text)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the code, k nine four q, works", "k nine four q"),
        ("spelled v a r g a today", "v a r g a"),
        ("name V-A-R-G-A", "V-A-R-G-A"),
        ("K as in kite, 7 1 9 3", "K as in kite, 7 1 9 3"),
        ("Reference was Tango 6 2 Bravo 9.", "Tango 6 2 Bravo 9"),
        ("on... M T Q 4 4 7 1, dash 0 2.", "M T Q 4 4 7 1, dash 0 2"),
        ("card ends two double six four", "two double six four"),
        ("PIN is three three eight one", "three three eight one"),
        ("badge number one seven one nine on", "one seven one nine"),
        ("code is alpha seven seven zulu", "alpha seven seven zulu"),
        ("CHI 150398 4427 Flora", "150398 4427"),
        ("NHS number 943 476 5919", "943 476 5919"),
        ("IMEI 490154203237518", "490154203237518"),
        ("SIN: 046 454 286", "046 454 286"),
    ],
)
def test_code_fires(text: str, code: str) -> None:
    assert found(text) == [(code, "CODE")]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "levels C 5, 6, 7 and",
            "T 2 N 0 M 0",
            "g 2 p 1 0 1 2",
            "L five S one",
            "a C six T one",
            "one M G, zero point",
        ),
        *("one or two", "a one two three punch", "one two three", "take one two times", "pain 1 2 3 4", "room one two"),
        *("A, B, C, D and E", "items a b c d", "vitamins b c d e", "U I H C", "N S V T", "p.o. b.i.d.", "t.i.d. p.r.n"),
    ],
)
def test_lists_and_abbreviations_are_not_spelled_codes(text: str) -> None:
    assert found(text) == []


def test_other_numbers_keep_their_kinds() -> None:
    assert found("call 943 476 5919") == [("943 476 5919", "PHONE")]
    assert found("card 4111 1111 1111 1111") == [("4111 1111 1111 1111", "CARD")]


@pytest.mark.parametrize("text", ["CP-28013", "CP.28013", "CP28013"])
def test_a_spanish_postcode_with_its_label_is_no_code(text: str) -> None:
    assert found(f"Madrid {text}.") == [(text, "POSTCODE")]


@pytest.mark.parametrize("text", ["C.P. 28013", "Codigo postal: 28013", "C/ Sol 3. 28013 Madrid"])
def test_other_spanish_postcodes(text: str) -> None:
    assert ("28013", "POSTCODE") in found(text)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("lives at 12 Oak Lane. He", "12 Oak Lane"),
        ("at 12 Main St. He", "12 Main St"),
        ("at 12 Main St., Apt 4. He", "12 Main St., Apt 4"),
        ("at 12 Main St. in Dover", "12 Main St."),
    ],
)
def test_the_full_stop_of_a_sentence_is_no_part_of_a_street(text: str, address: str) -> None:
    assert found(text)[0] == (address, "ADDRESS")


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@given(
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=6), st.sampled_from(("PIN is ", "badge number ", "code: "))
)
def test_digits_in_words_after_a_label_are_found_whole(digits: list[str], label: str) -> None:
    text = label + " ".join(digits)
    spans = found(text)
    assert min(text.index(each) for each, _ in spans) == len(label)
    assert any(text.endswith(each) for each, _ in spans)
