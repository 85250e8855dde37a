"""Words of removed names at other places of a text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.api.plan import Plan
from spark_deid.core.labels import NAME_LABELS
from spark_deid.core.span import Span
from spark_deid.detection.names.words import merge_names, name_spans, name_words


def hidden(text: str, *names: str, label: str = "NAME") -> str:
    """Return a text in which the first place of each name, and then the words of names, are stars."""
    spans = [Span(text.index(name), text.index(name) + len(name), label, source="model/round-1") for name in names]
    added = name_spans(text, spans, name_words(text, spans, NAME_LABELS))
    assert not any(span.start < other.end and other.start < span.end for span in added for other in spans)
    for span in (*spans, *added):
        text = text[: span.start] + "*" * (span.end - span.start) + text[span.end :]
    return re.sub(r"\*+", "*", text)


def test_a_word_of_a_removed_name_is_hidden_elsewhere() -> None:
    assert hidden("Robert Smith came. Robert left, SMITH too.", "Robert Smith") == "* came. * left, * too."


def test_a_common_word_remains_unless_it_is_part_of_the_name_or_after_a_title() -> None:
    text = "Dr. White came. White count is 12. Mrs. White left. May came on 2 May."
    assert hidden(text, "White", "May") == "Dr. * came. White count is 12. Mrs. * left. * came on 2 May."
    assert hidden("Mark White came. White, Mark: White count.", "Mark White") == "* came. *, *: White count."
    assert hidden("Mark White and Rose Hall. Mark Hall.", "Mark White", "Rose Hall") == "* and *. Mark Hall."


def test_lowercase_words_initials_titles_and_parts_of_words_remain() -> None:
    text = "Dr. Robert B. Smith. Dr. B. robert Roberts xRobert Robert2"
    assert hidden(text, "Dr. Robert B. Smith") == "*. Dr. B. robert Roberts xRobert Robert2"


def test_an_abbreviation_is_no_short_name_of_another_case() -> None:
    assert hidden("Ed Smithson came to the ED. Ed left.", "Ed Smithson") == "* came to the ED. * left."
    assert hidden("ED SMITHSON came. ED left.", "ED SMITHSON") == "* came. * left."


def test_accents_and_invisible_characters_make_no_difference() -> None:
    assert hidden("José Pérez-Gil came. Perez left. JOSE", "José Pérez-Gil") == "* came. * left. *"
    assert hidden("Robert came. Rob\u200bert left.", "Robert") == "* came. * left."


def test_a_word_that_is_no_known_name_and_in_lowercase_in_the_text_remains() -> None:
    assert hidden("Quibblewick came. Quibblewick left.", "Quibblewick") == "* came. * left."
    assert hidden("Quibblewick came. Quibblewick is a quibblewick.", "Quibblewick")[1:] == (
        " came. Quibblewick is a quibblewick."
    )


def test_only_labels_of_names_count() -> None:
    assert hidden("Leiden came. Leiden left.", "Leiden", label="LOCATION") == "* came. Leiden left."


def test_names_of_several_texts_count_together() -> None:
    first, second = "Robert Zimt came.", "Zimt left. Robert left."
    names = merge_names([name_words(first, [Span(0, 11, "PATIENT")], NAME_LABELS), name_words(second, [], NAME_LABELS)])
    assert [(span.start, span.end, span.label) for span in name_spans(second, [], names)] == [
        (0, 4, "PATIENT"),
        (11, 17, "PATIENT"),
    ]


@given(st.lists(st.sampled_from(["Zimt", "zimt", "White", "Robert", " ", "\n", "Dr. ", "é", ",", "1"]), max_size=12))
def test_added_spans_are_disjoint_words_of_names(parts: list[str]) -> None:
    text = "Robert Zimt White " + "".join(parts)
    spans = [Span(0, 17, "NAME", source="model")]
    added = name_spans(text, spans, name_words(text, spans, NAME_LABELS))
    assert {text[span.start : span.end] for span in added} <= {"Zimt", "White", "Robert"}
    assert all(one.end <= two.start for one, two in zip([*spans, *added], added, strict=False))
    again = name_spans(text, [*spans, *added], name_words(text, spans, NAME_LABELS))
    assert again == []


def test_a_plan_hides_words_of_names_in_a_string() -> None:
    text = "Dr. Quibblewick came. Quibblewick left. Dr. White. White count."
    plan = Plan(patterns={"kinds": ["titled"]}, names={"propagate": True})
    assert sorted({text[span.start : span.end] for find in plan.finders for span in find(text)}) == [
        "Quibblewick",
        "White",
    ]
    found = [span for find in plan.finders for span in find(text) if span.source == "names/propagated"]
    assert [text[span.start : span.end] for span in found] == ["Quibblewick"]
    off = Plan(patterns={"kinds": ["titled"]}, names={"propagate": False})
    assert not [span for find in off.finders for span in find(text) if span.source == "names/propagated"]


def test_terms_that_remain_are_not_hidden_as_words_of_names() -> None:
    text = "Dr. Robert Quibblewick came. Robert left. Quibblewick left."
    plan = Plan(patterns={"kinds": ["titled"]}, names={"propagate": True}, allow={"words": ["Quibblewick"]})
    found = [span for find in plan.finders for span in find(text) if span.source == "names/propagated"]
    assert [text[span.start : span.end] for span in found] == ["Robert"]
