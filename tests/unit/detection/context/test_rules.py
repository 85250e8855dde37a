"""Association rules, against the same counts made by obvious code."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.detection.context.rules import (
    ContextRule,
    CorrelationSettings,
    categories_of,
    context_spans,
    find_rules,
    is_correlated,
    label_terms,
    terms_by_label,
    terms_of,
)

NAME = CorrelationSettings("NAME", min_support=2, min_confidence=0.5, min_lift=1.5)


def document(number: int, text: str) -> Document:
    """Make a document whose words in brackets, which remain, are names, and whose words in braces are towns."""
    spans = [Span(m.start(), m.end(), "NAME") for m in re.finditer(r"(?<=\[)\w+", text)]
    spans += [Span(m.start(), m.end(), "TOWN") for m in re.finditer(r"(?<=\{)\w+", text)]
    return Document(f"d{number}", text, spans=tuple(spans))


words = st.sampled_from(["laureate", "the", "Novel", "42", "[Ann]", "[bo]", "{Rome}"])
corpora = st.lists(st.lists(words, max_size=5).map(" ".join), max_size=6).map(
    lambda texts: [document(number, text) for number, text in enumerate(texts)]
)
wishes = st.builds(
    CorrelationSettings,
    st.just("NAME"),
    min_support=st.integers(1, 3),
    min_confidence=st.sampled_from([0.0, 0.5, 1.0]),
    min_lift=st.sampled_from([0.5, 1.0, 1.5, 3.0]),
    max_words=st.integers(1, 2),
)


def recounted(documents: list[Document], wanted: CorrelationSettings) -> Iterator[ContextRule]:
    """Count every pair of a term and a name by looking at every document again."""

    def has_name(each: Document, value: str) -> bool:
        return f"[{value}]" in each.text.lower()

    def has_term(each: Document, term: str) -> bool:
        plain = re.sub(r"\[\w+\]|\{\w+\}", "|", each.text.lower())
        return re.search(rf"(?<!\w){term}(?!\w)", plain) is not None

    plain = {word for each in documents for word in re.sub(r"\[\w+\]|\{\w+\}", "", each.text.lower()).split()}
    terms = plain | ({f"{a} {b}" for a, b in product(plain, plain)} if wanted.max_words == 2 else set())
    terms = {term for term in terms if any(c.isalpha() for c in term)}
    for term, value in product(sorted(terms), ("ann", "bo")):
        both = sum(has_name(each, value) and has_term(each, term) for each in documents)
        having = sum(has_term(each, term) for each in documents)
        holding = sum(has_name(each, value) for each in documents)
        lift = both * len(documents) / (having * holding) if both else 0
        if both >= wanted.min_support and both / having >= wanted.min_confidence and lift >= wanted.min_lift:
            yield ContextRule("NAME", term, value, both, having, holding, len(documents))


@given(corpora, wishes)
def test_rules_are_those_that_counting_again_finds(documents: list[Document], wanted: CorrelationSettings) -> None:
    assert find_rules(documents, [wanted]) == tuple(sorted(recounted(documents, wanted)))


def test_a_term_that_goes_with_a_name_is_found_and_one_that_goes_with_all_is_not() -> None:
    texts = ["[Ann] the laureate", "[Ann] the laureate", "[Bob] the", "[Cid] the", "[Dot] the"]
    documents = [document(number, text) for number, text in enumerate(texts)]
    [rule] = find_rules(documents, [NAME])
    assert (rule.term, rule.value, rule.support, rule.confidence, rule.lift) == ("laureate", "ann", 2, 1.0, 2.5)
    assert not is_correlated(rule, CorrelationSettings("NAME", min_support=3))


def test_categories_have_thresholds_of_their_own() -> None:
    texts = ["[Ann] {Rome} laureate", "[Ann] {Rome} laureate", "[Bob] {Bonn}", "{Bonn}"]
    documents = [document(number, text) for number, text in enumerate(texts)]
    town = CorrelationSettings("TOWN", "label", min_support=2, min_confidence=0.5, min_lift=1.5)
    assert {(rule.label, rule.value) for rule in find_rules(documents, [NAME, town])} == {
        ("NAME", "ann"),
        ("TOWN", "rome"),
    }
    assert terms_by_label(find_rules(documents, [NAME, town])) == {"laureate": "NAME"}
    assert categories_of((NAME, town), "label") == (town,)


def test_terms_are_runs_of_words_in_a_line_outside_identifiers() -> None:
    text = "Nobel  laureate\nAnn 1999 2000, prize"
    found = [term for term, _ in terms_of(text, [Span(16, 19, "NAME")], 2)]
    assert found == ["nobel", "nobel laureate", "laureate", "prize"]


def test_terms_become_spans_wherever_they_occur_longest_first() -> None:
    text = "Nobel laureate Ann; the laureate nobel"
    found = context_spans(text, [Span(15, 18, "NAME")], {"nobel laureate": "NAME", "laureate": "TOWN"})
    assert [(text[s.start : s.end], s.label, s.source) for s in found] == [
        ("Nobel laureate", "NAME-CONTEXT", "context"),
        ("laureate", "TOWN-CONTEXT", "context"),
    ]


@given(corpora)
def test_labelled_terms_touch_no_identifier(documents: list[Document]) -> None:
    terms = {"laureate": "NAME", "the": "NAME"}
    for before, after in zip(documents, label_terms(documents, terms), strict=True):
        assert after.spans[: len(before.spans)] == before.spans
        for span in after.spans[len(before.spans) :]:
            assert all(span.end <= other.start or other.end <= span.start for other in before.spans)


@pytest.mark.parametrize("text", ["", "42 17", "[Ann]"])
def test_a_text_without_terms_has_none(text: str) -> None:
    assert find_rules([document(0, text)] * 4, [NAME]) == ()
