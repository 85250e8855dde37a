"""Characters next to placeholders that would show how the hidden text is spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, faults_of
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.suppress import placeholder

RULES = PreparedRules({}, neutral=True)


def published(text: str) -> str:
    """Publish a text in which brackets are around names."""
    spans, plain = [], ""
    for number, piece in enumerate(text.replace("]", "[").split("[")):
        if number % 2:
            spans.append(Span(len(plain), len(plain) + len(piece), "NAME"))
        plain += piece
    return apply_edits(plain, decide(Document("d", plain), spans, RULES).edits)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The wife: [Jones]' wife came.", "The wife: [NAME]'s wife came."),
        ("The wife: [Jones]\u2019 wife came.", "The wife: [NAME]\u2019s wife came."),
        ("The wife: [Smith]'s wife came.", "The wife: [NAME]'s wife came."),
        ("We stayed at the [Jones]'.", "We stayed at the [NAME]'s."),
        ("He is an [Adams] and she a [Smith].", "He is a(n) [NAME] and she a(n) [NAME]."),
        ("An [Adams] came. A [Smith] was there.", "A(n) [NAME] came. A(n) [NAME] was there."),
        ("THIS WAS AN [ADAMS] AND A [SMITH].", "THIS WAS A(N) [NAME] AND A(N) [NAME]."),
        ("It is not an  [Adams] and an\n[Ode].", "It is not a(n)  [NAME] and a(n)\n[NAME]."),
        ("She is an [Ann] [Adams]' fan.", "She is a(n) [NAME]'s fan."),
    ],
)
def test_form_next_to_a_placeholder_does_not_show_a_spelling(text: str, expected: str) -> None:
    assert published(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The word '[NAME]' was there.",
        "He said 'it was [NAME]'.",
        "The [NAME]'n'roll band.",
        "It was in group A [NAME].",
        "The man [NAME]'' was.",
        "Ban [NAME] of the club.",
    ],
)
def test_quotations_and_other_words_remain(text: str) -> None:
    assert published(text.replace("[NAME]", "[Jones]")) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Der Arzt ist da. Er ist an [Hans].", "Der Arzt ist da. Er ist an [NAME]."),
        ("Der Arzt und die Frau. [Hans]' Frau ist da.", "Der Arzt und die Frau. [NAME] Frau ist da."),
        ("El hijo de la vecina visita a [Adams].", "El hijo de la vecina visita a [NAME]."),
    ],
)
def test_other_languages_have_no_such_article_and_no_s(text: str, expected: str) -> None:
    assert published(text) == expected


@pytest.mark.parametrize("name", ["Adams", "Smith", "Eve", "Ross"])
def test_the_published_text_is_the_same_whatever_the_name(name: str) -> None:
    article, ending = "an" if name[0] in "AE" else "a", "'" if name.endswith("s") else "'s"
    text = f"He is {article} [{name}]. [{name}]{ending} wife was there."
    assert published(text) == "He is a(n) [NAME]. [NAME]'s wife was there."


ROWS = st.lists(st.tuples(st.integers(0, 23), st.integers(1, 6), st.sampled_from(["NAME", "CITY"])), max_size=6)


@given(st.text("anA s'\u2019.", min_size=24, max_size=24), ROWS)
def test_no_document_has_a_fault_and_all_that_is_marked_is_hidden(text: str, rows: list[tuple[int, int, str]]) -> None:
    spans = [Span(start, min(start + size, len(text)), label) for start, size, label in rows]
    narrow = decide(Document("d", text), spans, PreparedRules({})).edits
    edits = decide(Document("d", text), spans, RULES).edits
    assert set(narrow) <= set(edits)
    checked = [CheckedEdit(*edit) for edit in edits]
    faults = faults_of(text, apply_edits(text, edits), [span[:3] for span in spans], checked, {"suppress": placeholder})
    assert faults == CoverageFaults(1)
