"""Terms of ``allow`` next to made-up values: a term that is a word of a replaced value is replaced like the value."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.kinds import PlanView
from spark_deid.core.span import Span, detector_of, is_allowed
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.text.visible import visible
from spark_deid.values.name import PARTICLES
from spark_deid.values.plain import plain_form

NOT_SPARED = "not-spared"
"""The detail of the source of spans that are terms of ``allow`` and are replaced all the same."""
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_FORM_WORDS = PARTICLES | {"a", "an", "and", "at", "for", "in", "of", "on", "the", "to"}

TermWords = tuple[str, ...]


class UnsparedLabels(NamedTuple):
    """The labels whose spans are never spared; ``*`` among them are all labels without a rule."""

    labels: frozenset[str] = frozenset()
    rule_labels: frozenset[str] = frozenset()

    def has(self, label: str) -> bool:
        """Return whether spans of a label are never spared.

        >>> UnsparedLabels(frozenset({"*"}), frozenset({"NAME"})).has("DATE")
        True
        """
        if label in self.rule_labels:
            return label in self.labels
        return "*" in self.labels or label.upper() in self.labels


def unspared_labels(plan: PlanView) -> UnsparedLabels | None:
    """Return the labels of which ``allow`` spares no span. None if no technique of the plan depends on spared terms."""
    rules = plan.rules_by_label
    kinds = {name: TECHNIQUES.find(name) for name in {rule.technique for rule in rules.values()}}
    found = [
        kind.unspared({label: rule.settings for label, rule in rules.items() if rule.technique == name}, plan)
        for name, kind in kinds.items()
        if kind.unspared is not None
    ]
    return UnsparedLabels(frozenset().union(*found), frozenset(rules) - {"*"}) if found else None


class SparedTerms:
    """The terms that the texts of one person could keep, and the words of the values that are replaced in them.

    ``detectors`` are those whose spans are edited, and spans of ``kept`` labels remain by a rule.
    """

    def __init__(self, detectors: frozenset[str], kept: frozenset[str]) -> None:
        self._detectors, self._kept = detectors, kept
        self._terms: set[TermWords] = set()
        self._words: set[str] = set()

    def take(self, text: str, spans: Iterable[Span]) -> None:
        """Take the terms and the values of a text."""
        for span in spans:
            if detector_of(span.source) in self._detectors and span.label not in self._kept:
                words = _words_of(text[span.start : span.end])
                if is_allowed(span.source):
                    self._terms.add(words)
                else:
                    self._words.update(words)

    def replaced(self) -> frozenset[TermWords]:
        """Return the terms that have a word of a replaced value, or of another such term."""
        words, found = set(self._words), set[TermWords]()
        while more := {term for term in self._terms - found if not words.isdisjoint(_main_words(term))}:
            found |= more
            words.update(word for term in more for word in term)
        return frozenset(found)


def without_terms(text: str, spans: Sequence[Span], terms: frozenset[TermWords]) -> list[Span]:
    """Return spans of which those of some terms are not spared."""
    return [
        span._replace(source=f"{detector_of(span.source)}/{NOT_SPARED}")
        if is_allowed(span.source) and _words_of(text[span.start : span.end]) in terms
        else span
        for span in spans
    ]


def settle_terms(
    text: str, spans: Sequence[Span], *, detectors: frozenset[str], kept: frozenset[str]
) -> Sequence[Span]:
    """Return the spans of one text, of which no spared term is a word of a value that is replaced in the text."""
    if not any(is_allowed(span.source) for span in spans):
        return spans
    terms = SparedTerms(detectors, kept)
    terms.take(text, spans)
    return without_terms(text, spans, replaced) if (replaced := terms.replaced()) else spans


@lru_cache(maxsize=1 << 14)
def _words_of(surface: str) -> TermWords:
    return tuple(_WORDS.findall(plain_form(visible(surface).text)))


def _main_words(term: TermWords) -> TermWords:
    """Return the words by which a term is compared: those of a phrase without articles, numbers and initials."""
    if len(term) == 1:
        return term
    return tuple(w for w in term if len(w) > 1 and not w.isdigit() and w not in _FORM_WORDS) or term
