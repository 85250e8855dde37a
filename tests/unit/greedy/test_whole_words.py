"""Spans of a model are fitted to whole words."""

import pytest

import spark_deid as sd
from spark_deid.core.span import Span
from spark_deid.greedy.decoding import whole_words


@pytest.mark.parametrize(
    ("text", "found", "widened"),
    [
        ("Ann Abernathy-Wills came", "Ann Abernathy", "Ann Abernathy-Wills"),
        ("Ann Abernathy-Wills came", "Wills", "Abernathy-Wills"),
        ("the O'Neil-Ann-Wills case", "Ann", "O'Neil-Ann-Wills"),
        ("Dr. Anand 12/5 at", "Anand 12", "Anand 12/5"),
        ("Dr. Anand 12/5/19, at", "Anand 12", "Anand 12/5/19"),
        ("an Anand-like smile", "Anand", "Anand"),
        ("anti-Wills words", "Wills", "Wills"),
        ("Anand - Wills", "Anand", "Anand"),
        ("Anand 12/500", "Anand 12", "Anand 12"),
        ("Anand/5", "Anand", "Anand"),
        ("Anand-", "Anand", "Anand"),
        ("-Anand", "Anand", "Anand"),
        ("saw Anand.", "Anand.", "Anand"),
        ("saw J. Anand?!", "J. Anand?!", "J. Anand"),
        ("Re:Anand", ":Anand", "Anand"),
        ("Anand, Wills;", "Anand, Wills;", "Anand, Wills"),
        ("saw Ann. Anand-Wills", "Ann. Anand", "Ann. Anand-Wills"),
    ],
)
def test_a_span_goes_to_the_ends_of_its_words_and_leaves_marks(text: str, found: str, widened: str) -> None:
    start = text.index(found)
    [span] = whole_words(text, [Span(start, start + len(found), "NAME", 0.5, "model/round-1")])
    assert text[span.start : span.end] == widened
    assert span[2:] == (*("NAME", 0.5, "model/round-1"), None)


def test_marks_by_themselves_are_no_span() -> None:
    assert not list(whole_words("Anand...", [Span(5, 8, "NAME")]))


def test_a_shipped_model_publishes_no_half_of_a_name() -> None:
    text = "Name: Tyrone Abernathy-Wills  Unit No: 88-20-417"
    assert "Wills" not in sd.redact(text, {"model": "english"})
