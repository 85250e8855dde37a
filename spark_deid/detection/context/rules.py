"""Association rules: a term in a document makes an identifier word of a category likely there.

Support, confidence and lift of pairs by document, after Chow, Golle and Staddon's use of co-occurrence for inference
control, which GreedySanitize names for contextual identifiers (Li and others, section 3).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.detection.context.settings import CorrelationSettings
from spark_deid.detection.context.terms import context_spans, identifier_words, terms_of


class ContextRule(NamedTuple):
    """A term that gives an identifier word away: the documents with both, with each, and all."""

    label: str
    term: str
    value: str
    support: int
    term_documents: int
    value_documents: int
    documents: int

    @property
    def confidence(self) -> float:
        """Return the share of the term's documents that hold the identifier word."""
        return self.support / self.term_documents

    @property
    def lift(self) -> float:
        """Return how many times more often both stand together than chance would have them."""
        return self.support * self.documents / (self.term_documents * self.value_documents)


def is_correlated(rule: ContextRule, wanted: CorrelationSettings) -> bool:
    """Tell whether a rule holds as a category wants it."""
    return (
        rule.support >= wanted.min_support
        and rule.support >= wanted.min_confidence * rule.term_documents
        and rule.support * rule.documents >= wanted.min_lift * rule.term_documents * rule.value_documents
        and 1 + rule.term.count(" ") <= wanted.max_words
    )


def find_rules(documents: Sequence[Document], correlations: Sequence[CorrelationSettings]) -> tuple[ContextRule, ...]:
    """Return the rules of labelled documents, sorted; counts are by document."""
    max_words = max((wanted.max_words for wanted in correlations), default=0)
    terms = [{term for term, _ in terms_of(each.text, each.spans, max_words)} for each in documents]
    documents_with = Counter(term for found in terms for term in found)
    rules: list[ContextRule] = []
    for wanted in correlations:
        values = [identifier_words(each.text, each.spans, wanted.label) for each in documents]
        holding = Counter(value for found in values for value in found)
        known, named = (
            {word for word, count in counts.items() if wanted.min_support <= count <= len(documents) / wanted.min_lift}
            for counts in (documents_with, holding)
        )
        both = Counter(
            (term, value)
            for some, others in zip(terms, values, strict=True)
            for term in some & known
            for value in others & named
        )
        for (term, value), support in both.items():
            rule = ContextRule(wanted.label, term, value, support, documents_with[term], holding[value], len(documents))
            if is_correlated(rule, wanted):
                rules.append(rule)
    return tuple(sorted(rules))


def terms_by_label(rules: Iterable[ContextRule]) -> dict[str, str]:
    """Return the terms of rules with their category; of several the first by name."""
    return {rule.term: rule.label for rule in sorted(rules, reverse=True)}


def label_terms(documents: Iterable[Document], terms: Mapping[str, str]) -> tuple[Document, ...]:
    """Return documents with the places of terms as annotations of their own, to be learned like any other."""
    return tuple(
        document._replace(spans=(*document.spans, *context_spans(document.text, document.spans, terms)))
        for document in documents
    )
