"""Generalize the terms of a document: those of each ontology by themselves, their names with those of all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from spark_deid.core.edit import Edit
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.numerics.arrays import UInt16s
from spark_deid.plausibility.text.crossing import crossing
from spark_deid.plausibility.text.groups import OtherOntologyTerms, folded, groups_of
from spark_deid.plausibility.text.mentions import TermMention, further_mentions, marked_mentions
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.plausibility.text.settling import CROSSING, TermSteps
from spark_deid.plausibility.text.writing import OUTSIDE, written
from spark_deid.rewriting.articles import articles_of

Range = tuple[int, int]
Rows = list[Edit | SuppressedSpan]


@dataclass(frozen=True)
class OntologyTerms:
    """The terms of a document in one ontology; ``places`` are all that detectors marked for it, known or not."""

    senses: WordSenses
    context: UInt16s | None
    places: Sequence[Span]
    marked: Sequence[TermMention]
    further: Sequence[TermMention]

    @cached_property
    def known(self) -> frozenset[int]:
        """Return the concepts of which nothing may tell."""
        return frozenset(mention.concept for mention in chain(self.marked, self.further))


def find(text: str, places: Sequence[Span], taken: Sequence[Range], senses: WordSenses) -> OntologyTerms:
    """Find the marked terms and what tells of them; ``taken`` are places where nothing is looked for."""
    context = senses.context_of(text)
    marked = marked_mentions(text, places, senses, context)
    return OntologyTerms(senses, context, places, marked, further_mentions(text, marked, taken, senses, context))


def generalize(
    text: str, found: Sequence[OntologyTerms], taken: Sequence[Range], rules: GeneralizeRules
) -> tuple[Rows, list[Span], int]:
    """Return what becomes of terms, the spans of articles, and how many exact searches gave way to greedy ones.

    ``taken`` are all places that are edited, in order: what detectors marked, and what tells of it.
    """
    settled = [_settled(text, each, _terms_of_others(text, found, number), rules) for number, each in enumerate(found)]
    edits, articles, spans = _edits(text, found, settled, taken)
    writings = [
        *((*place, edits[place[0]].replacement if place[0] in edits else None) for place in taken),
        *((edit.start, edit.end, None) for edit in articles),
    ]
    lost = {
        start
        for each in found
        for start in crossing(text, writings, each.known, each.senses, each.context, _surfaces(text, each))
    }
    if lost:
        for settling in settled:
            settling.suppress((m.start for m in settling.alive if m.start in lost), CROSSING)
        edits, articles, spans = _edits(text, found, settled, taken)
    rows: Rows = [*edits.values(), *articles]
    for each, settling in zip(found, settled, strict=True):
        looked_up = {mention.start for mention in each.marked}
        rows += (SuppressedSpan(*place[:2], OUTSIDE) for place in each.places if place.start not in looked_up)
        reasons = settling.reasons
        rows += (SuppressedSpan(m.start, m.end, reasons[m.start]) for m in settling.mentions if m.start in reasons)
    return rows, spans, sum(settling.gave_way for settling in settled)


def _settled(text: str, found: OntologyTerms, others: OtherOntologyTerms, rules: GeneralizeRules) -> TermSteps:
    mentions = sorted((*found.marked, *found.further))
    groups = groups_of((mention.concept for mention in mentions), found.senses, others)
    settling = TermSteps(mentions, groups, rules, found.senses, found.context)
    settling.settle(text)
    return settling


def _terms_of_others(text: str, found: Sequence[OntologyTerms], number: int) -> OtherOntologyTerms:
    """Return what the names of one ontology may not tell of: the terms of all others."""
    others = [each for place, each in enumerate(found) if place != number]
    said = {folded(text[place.start : place.end]) for each in others for place in each.places}
    return OtherOntologyTerms(frozenset(said), tuple((each.senses, each.known) for each in others))


def _edits(
    text: str, found: Sequence[OntologyTerms], settled: Sequence[TermSteps], taken: Sequence[Range]
) -> tuple[Mapping[int, Edit], list[Edit], list[Span]]:
    """Return the edits of terms by start, those of the articles before them, and the spans of these."""
    edits = {
        m.start: Edit(m.start, m.end, GENERALIZE, written(text, m, settling.steps[m.concept], each.senses))
        for each, settling in zip(found, settled, strict=True)
        for m in settling.alive
    }
    labels = {mention.start: mention.label for settling in settled for mention in settling.mentions}
    return edits, *articles_of(text, edits, labels, taken, GENERALIZE)


def _surfaces(text: str, found: OntologyTerms) -> set[str]:
    return {text[mention.start : mention.end] for mention in found.marked}
