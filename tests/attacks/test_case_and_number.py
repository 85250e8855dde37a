"""The case and the number of what is written state what was there: acronyms in uppercase, plurals that do not agree."""

import pytest

from spark_deid.core.edit import LabelledEdit
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule


def test_in_a_line_in_uppercase_what_is_written_has_uppercase() -> None:
    for text, term in (("DX: TB.", "TB"), ("DX: MEASLES.", "MEASLES"), ("seen\nTB\nseen", "TB")):
        written = published(text, marked(text, term), rule(t=4, below=["disease"]))
        assert written.split("\n")[1 if "\n" in text else 0].isupper()
    text = "Dx: TB."
    assert published(text, marked(text, "TB"), rule(t=4, below=["disease"])) == "Dx: infectious disease."


def test_small_letters_in_a_line_in_uppercase_are_refused() -> None:
    text = "DX: TB."
    spans, rules = marked(text, "TB"), rule(t=4, below=["disease"])
    edits = [LabelledEdit(4, 6, "generalize", "infectious disease", "TERM")]
    assert recounted(text, spans, edits, rules).faults == {"case": 1}


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("The shingles were bad.", "shingles", "The infectious diseases were bad."),
        ("Two oxen came.", "oxen", "Two bovines came."),
        ("Measles was there.", "Measles", "Contagious disease was there."),
        ("Measles were there.", "Measles", "Contagious diseases were there."),
    ],
)
def test_plurals_agree_or_the_term_is_suppressed(text: str, term: str, expected: str) -> None:
    spans, rules = marked(text, term), rule(t=4)
    found = decided(text, spans, rules)
    written = published(text, spans, rules)
    assert written.startswith(expected) or "[TERM]" in written
    assert not recounted(text, spans, found.edits, rules).faults


def test_several_are_not_written_as_one() -> None:
    text = "The shingles were bad."
    written = published(text, marked(text, "shingles"), rule(t=10, below=["disease"]))
    assert written in (
        "The communicable diseases were bad.",
        "The infectious diseases were bad.",
        "The [TERM] were bad.",
    )
