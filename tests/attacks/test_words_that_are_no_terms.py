"""Words that have the letters of a term, and are something else: titles, verbs, adjectives, pronouns."""

import pytest

from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.recount.contexts import is_no_noun
from spark_deid.plausibility.recount.tokens import WordToken
from spark_deid.plausibility.text.uses import WordUse, use_of
from tests.unit.plausibility.generalized import decided, marked, recounted, rule


@pytest.mark.parametrize(
    ("text", "term", "kept"),
    [
        ("Ms. Smith is a 70 y/o woman with multiple sclerosis.", "multiple sclerosis", "Ms. Smith"),
        ("He aids his wife, who has AIDS.", "AIDS", "He aids his wife"),
        ("The light was green, as seen from Green.", "Green", "The light was green,"),
        ("Let us talk of his stroke.", "stroke", "Let us talk"),
        ("It was cold outside. He has a common cold.", "common cold", "It was cold outside."),
        ("Let us go to the US.", "US", "Let us go"),
    ],
)
def test_what_is_shown_to_be_no_noun_remains(text: str, term: str, kept: str) -> None:
    spans, rules = marked(text, term), rule(t=4)
    found = decided(text, spans, rules)
    assert kept in apply_edits(text, found.edits)
    assert not recounted(text, spans, found.edits, rules).faults


@pytest.mark.parametrize(
    ("text", "term", "hidden"),
    [
        ("Has AIDS. pt w/ aids", "AIDS", "aids"),
        ("HX: AIDS, MS.\nHas AIDS.", "AIDS", "AIDS, MS"),
        ("Has multiple sclerosis, or ms for short.", "multiple sclerosis", "ms"),
        ("Lives in the US. Came to us in 2010.", "US", "us"),
    ],
)
def test_what_can_not_be_reported_is_suppressed_and_never_kept(text: str, term: str, hidden: str) -> None:
    start = text.rindex(term) if hidden.startswith(term) else text.index(term)
    spans = [span._replace(start=start, end=start + len(term)) for span in marked(text, term)]
    rules = rule(t=4)
    found = decided(text, spans, rules)
    place = text.rindex(hidden) if not hidden.startswith(term) else text.index(hidden)
    word = hidden.split(",")[0]
    assert [e.technique for e in found.edits if e.start == place and e.end == place + len(word)] == ["suppress"]
    assert not recounted(text, spans, found.edits, rules).faults
    kept = [edit for edit in found.edits if edit.start != place]
    assert recounted(text, spans, kept, rules).faults["kept"] == 1


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("Ms Vega has multiple sclerosis.", ("Vega", "multiple sclerosis"), "Ms [TERM] has sclerosis."),
        (
            "Ms Vega has\nmultiple sclerosis.\nMs Lion too.",
            ("Vega", "multiple sclerosis", "Lion"),
            "Ms [TERM] has\nsclerosis.\nMs [TERM] too.",
        ),
        ("Ms. Vega has multiple sclerosis.", ("Vega", "multiple sclerosis"), "Ms. Dramatist has sclerosis."),
        ("Ms Vega drinks milk.", ("Vega", "milk"), "Ms dramatist drinks dairy product."),
    ],
)
def test_a_title_remains_no_term_whatever_is_written_behind_it(
    text: str, terms: tuple[str, ...], expected: str
) -> None:
    spans, rules = marked(text, *terms), rule(t=4)
    found = decided(text, spans, rules)
    assert apply_edits(text, found.edits) == expected
    assert not recounted(text, spans, found.edits, rules).faults


def test_a_noun_is_distinguished_from_a_verb_by_what_is_next_to_it() -> None:
    text = "A stroke of luck; they stroke the cat. After stroke, no stroke rate. Strokes came."
    uses = []
    at = text.lower().find("stroke")
    while at >= 0:
        end = at + len("strokes" if text[at] == "S" else "stroke")
        uses.append(use_of(text, at, end, "stroke"))
        at = text.lower().find("stroke", end)
    assert uses == [WordUse.NOUN, WordUse.OTHER, WordUse.NOUN, WordUse.NOUN, WordUse.NOUN]


def test_the_recount_excuses_whatever_the_tool_passes_over() -> None:
    words = [wordnet().word(n) for n in range(0, wordnet().n_lemmas, 7)]
    words = [word for word in words if word.isalpha()][:4000]
    frames = ("He {} his wife.", "They can {} it.", "It was {} outside.", "Very {} today", "{} us go.", "I {} no more.")
    passed = 0
    for word in words:
        for frame in frames:
            text, start = frame.format(word.lower()), frame.index("{")
            if use_of(text, start, start + len(word), word) is WordUse.OTHER:
                passed += 1
                assert is_no_noun(text, WordToken(start, start + len(word))), text
    assert passed > 500


def test_a_title_that_is_written_as_a_disease_is_refused_where_it_is_edited_as_another() -> None:
    text = "Ms. Smith has multiple sclerosis."
    spans, rules = marked(text, "multiple sclerosis"), rule(t=4)
    edits = [*decided(text, spans, rules).edits]
    edits = [LabelledEdit(0, 2, "generalize", "cat", "TERM"), *edits]
    assert recounted(text, spans, edits, rules).faults
