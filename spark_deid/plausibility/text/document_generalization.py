"""Generalize the terms of a document: those of each ontology by themselves, their names with those of all others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from spark_deid.core.edit import Edit
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.core.span import Span
from spark_deid.plausibility.text.crossing import find_crossing
from spark_deid.plausibility.text.cutting import CutTerms
from spark_deid.plausibility.text.mentions import TermMention, broader_mentions, further_mentions, marked_mentions
from spark_deid.plausibility.text.senses import GeneralizationChain, WordSenses
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.plausibility.text.settling import CROSSING, TermLevels
from spark_deid.plausibility.text.writing import OUTSIDE
from spark_deid.rewriting.neutral_form import articles_of

# Concepts of a document that reveal each other: those above and below one another have one generalization.


Related = Mapping[int, frozenset[int]]


class OtherOntologyTerms(NamedTuple):
    """Terms of a document in other ontologies: as they are written (``fold_name``), and their concepts there."""

    said: frozenset[str] = frozenset()
    known: tuple[tuple[WordSenses, frozenset[int]], ...] = ()

    def allows(self, name: str) -> bool:
        """Return whether a name contains no such term, and reveals none."""
        if not self.known:
            return True
        within = fold_name(name)
        return not any(word in within for word in self.said) and all(
            known.isdisjoint(senses.reach_of(name)) for senses, known in self.known
        )


NO_OTHER_TERMS = OtherOntologyTerms()


def groups_of(
    concepts: Iterable[int], senses: WordSenses, others: OtherOntologyTerms = NO_OTHER_TERMS
) -> dict[int, GeneralizationChain]:
    """Return what each concept of a document can become, with those that have one node with it.

    A generalization is above all concepts of a group. Its name reveals no concept of the document, and no term that
    other ontologies have. A group may be without one.
    """
    known = frozenset(concepts)
    if all(map(known.isdisjoint, map(senses.ancestors, known))):
        ladders = map(senses.alone, known)
    else:
        ladders = map(senses.ladder, _components({concept: known & senses.ancestors(concept) for concept in known}))
    found: dict[int, GeneralizationChain] = {}
    for ladder in ladders:
        free = ladder
        if not known.isdisjoint(ladder.reach):
            free = senses.free_ladder(ladder.concepts, known & ladder.reach)
        if others.known:
            free = free._replace(steps=tuple(step for step in free.steps if others.allows(step.name)))
        for concept in ladder.concepts:
            found[concept] = free
    return found


def _components(above: Related) -> list[frozenset[int]]:
    """Put concepts together if one is above the other, directly or through others."""
    owner = {concept: concept for concept in above}

    def owner_of(concept: int) -> int:
        while owner[concept] != concept:
            owner[concept] = concept = owner[owner[concept]]
        return concept

    for concept, others in above.items():
        for other in others:
            owner[owner_of(other)] = owner_of(concept)
    found: dict[int, list[int]] = {}
    for concept in above:
        found.setdefault(owner_of(concept), []).append(concept)
    return sorted(map(frozenset, found.values()), key=min)


def fold_name(text: str) -> str:
    """Return a text as it is compared with names: words in lower case, with spaces on either side.

    >>> fold_name("Soft-drug\\nuser")
    ' soft drug user '
    """
    return f" {' '.join(text.lower().replace('-', ' ').replace('_', ' ').split())} "


Range = tuple[int, int]
Rows = list[Edit | SuppressedSpan]


@dataclass(frozen=True)
class OntologyTerms:
    """The terms of a document in one ontology; ``places`` are all that detectors marked for it, known or not.

    Terms of ``broad`` concepts are there for others that lie below: they go along, and nothing goes along with them.
    """

    senses: WordSenses
    context: UInt16s | None
    places: Sequence[Span]
    marked: Sequence[TermMention]
    further: Sequence[TermMention]
    broad: frozenset[int] = frozenset()

    @cached_property
    def known(self) -> frozenset[int]:
        """Return the concepts of which nothing may tell."""
        return frozenset(mention.concept for mention in chain(self.marked, self.further)) - self.broad


def find_marked_terms(text: str, places: Sequence[Span], taken: Sequence[Range], senses: WordSenses) -> OntologyTerms:
    """Find the marked terms and what tells of them; ``taken`` are places where nothing is looked for."""
    context = senses.context_of(text)
    marked = marked_mentions(text, places, senses, context)
    return OntologyTerms(senses, context, places, marked, further_mentions(text, marked, taken, senses, context))


def with_broader(
    text: str, found: Sequence[OntologyTerms], taken: Sequence[Range], rules: GeneralizeRules
) -> tuple[list[OntologyTerms], list[TermLevels], list[Range]]:
    """Add the broader words that say more of a term than what stands for it, until there are none.

    Return the terms, what becomes of them, and all places that are edited, in order.
    """
    terms, places = list(found), sorted(taken)
    while True:
        settled = [
            _settled(text, each, _terms_of_others(text, terms, number), rules) for number, each in enumerate(terms)
        ]
        is_done = True
        for number, (each, settling) in enumerate(zip(terms, settled, strict=True)):
            alive = [m for m in settling.alive if m.concept not in each.broad]
            if more := broader_mentions(
                text,
                {m.concept: settling.steps[m.concept].node for m in alive},
                {m.concept: m.label for m in alive},
                places,
                each.senses,
                each.context,
            ):
                is_done = False
                broad = each.broad | {m.concept for m in more}
                terms[number] = replace(each, further=[*each.further, *more], broad=broad)
                places = sorted((*places, *((m.start, m.end) for m in more)))
        if is_done:
            return terms, settled, places


def generalize(
    text: str,
    found: Sequence[OntologyTerms],
    settled: Sequence[TermLevels],
    cuts: Sequence[CutTerms],
    taken: Sequence[Range],
) -> tuple[Rows, list[Span], int]:
    """Return what becomes of terms, the spans of articles, and how many exact searches gave way to greedy ones.

    ``taken`` are all places that are edited, in order: what detectors marked, and what tells of it. The terms of
    ``cuts`` go by partitions: nothing that the others write changes these, but may suppress all of them.
    """
    edits, articles, spans = _edits(text, settled, cuts, taken)
    writings = [
        *((*place, edits[place[0]].replacement if place[0] in edits else None) for place in taken),
        *((edit.start, edit.end, None) for edit in articles),
    ]
    lost = {
        start
        for each in found
        for start in find_crossing(text, writings, each.known, each.senses, each.context, _surfaces(text, each))
    }
    if lost:
        for settling in settled:
            settling.suppress((m.start for m in settling.alive if m.start in lost), CROSSING)
        for cut in cuts:
            cut.suppress_all(lost)
        edits, articles, spans = _edits(text, settled, cuts, taken)
    rows: Rows = [*edits.values(), *articles]
    for each, settling in zip(found, settled, strict=True):
        looked_up = {mention.start for mention in each.marked}
        rows += (SuppressedSpan(*place[:2], OUTSIDE) for place in each.places if place.start not in looked_up)
        reasons = settling.reasons
        rows += (SuppressedSpan(m.start, m.end, reasons[m.start]) for m in settling.mentions if m.start in reasons)
    for cut in cuts:
        rows += cut.suppressed()
    return rows, spans, sum(settling.gave_way for settling in settled)


def _settled(text: str, found: OntologyTerms, others: OtherOntologyTerms, rules: GeneralizeRules) -> TermLevels:
    mentions = sorted((*found.marked, *found.further))
    groups = groups_of((mention.concept for mention in mentions), found.senses, others)
    settling = TermLevels(mentions, groups, rules, found.senses, found.context, broad=found.broad)
    settling.settle(text)
    return settling


def _terms_of_others(text: str, found: Sequence[OntologyTerms], number: int) -> OtherOntologyTerms:
    """Return what the names of one ontology may not tell of: the terms of all others."""
    others = [each for place, each in enumerate(found) if place != number]
    stated = {fold_name(text[place.start : place.end]) for each in others for place in each.places}
    return OtherOntologyTerms(frozenset(stated), tuple((each.senses, each.known) for each in others))


def _edits(
    text: str,
    settled: Sequence[TermLevels],
    cuts: Sequence[CutTerms],
    taken: Sequence[Range],
) -> tuple[Mapping[int, Edit], list[Edit], list[Span]]:
    """Return the edits of terms by start, those of the articles before them, and the spans of these."""
    edits = {
        m.start: Edit(m.start, m.end, GENERALIZE, settling.written[m.start])
        for settling in settled
        for m in settling.alive
    }
    for cut in cuts:
        edits |= cut.edits(text)
    mentions = chain(*(each.mentions for each in settled), *(each.mentions for each in cuts))
    labels = {mention.start: mention.label for mention in mentions}
    return edits, *articles_of(text, edits, labels, taken, GENERALIZE)


def _surfaces(text: str, found: OntologyTerms) -> set[str]:
    return {text[mention.start : mention.end] for mention in found.marked}
