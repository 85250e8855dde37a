"""What is known of a person finds more; words that tell a gender."""

import pytest

from spark_deid.core.span import Span
from spark_deid.identity.dictionary import Known, known_mentions
from spark_deid.identity.gendered import gendered_spans
from spark_deid.identity.recount.reading import Placed, gendered_words, shown_by_label

KNOWN = [
    Known("name", "NAME", "johnson, ann brown"),
    Known("code", "MRN", "SH0222222"),
    Known("postcode", "ZIP", "53710"),
    Known("term", "CITY", "new york"),
]


def found(text: str, *spans: Span) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.label) for each in known_mentions(text, spans, KNOWN)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Johnson", [("Ann", "NAME"), ("Johnson", "NAME")]),
        ("JOHNSON", [("JOHNSON", "NAME")]),
        ("Jhonson came", [("Jhonson", "NAME")]),
        ("Johnsn came", [("Johnsn", "NAME")]),
        ("Johnsson's", [("Johnsson", "NAME")]),
        ("Jansen came", []),
        ("johnson", []),
        ("Brown sputum, brown stool", []),
        ("Anna", []),
        ("sh-02-22222, SH 02 22222", [("sh-02-22222", "MRN"), ("SH 02 22222", "MRN")]),
        ("SH-02-222223", []),
        ("53710-1234 and 153710", [("53710-1234", "ZIP")]),
        ("New  York", [("New  York", "CITY")]),
    ],
)
def test_known_values_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_what_is_marked_is_not_found_again() -> None:
    assert found("Ann Johnson", Span(0, 11, "NAME")) == []
    assert found("Ann Johnson", Span(0, 3, "NAME")) == [("Johnson", "NAME")]


def gendered(text: str) -> list[str]:
    return [text[each.start : each.end] for each in gendered_spans(text, [])]


def test_words_that_tell_a_gender() -> None:
    text = "Mr. Lee, a gentleman: HE takes his pills. MS. LEE, s/he, women's HER2, miss, hymn, Sirs, hero."
    assert gendered(text) == ["Mr", "gentleman", "HE", "his", "MS", "s/he", "women"]
    assert gendered_words(text, []) == 7


def test_edits_are_read_from_the_published_text() -> None:
    edits = [Placed(0, 3, "suppress", "[NAME]", "NAME"), Placed(7, 9, "recode", "[70-79]", "AGE")]
    published = "[NAME] is [70-79], he says"
    assert list(shown_by_label(published, edits)) == [("AGE", "[70-79]")]
    assert gendered_words(published, edits) == 1
    tampered = "[NAME] is [60-69], he says"
    assert list(shown_by_label(tampered, edits)) == [("AGE", "[60-69]")]
