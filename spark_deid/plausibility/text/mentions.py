"""The terms of a document: those that detectors marked, and what would tell of them elsewhere."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.numerics.arrays import Int32s, UInt16s
from spark_deid.ontology.ontology import WHOLE
from spark_deid.plausibility.text.function_words import FUNCTION_WORDS
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.rewriting.rendering import HIDDEN
from spark_deid.values.wording import as_within


class TermMention(NamedTuple):
    """A term at its place: its concept, whether it is an inflected form, and whether a detector marked it."""

    start: int
    end: int
    label: str
    lemma: int
    inflected: bool
    concept: int
    marked: bool


class TermMatch(NamedTuple):
    """A word of an ontology in a text, and the concept that it has there."""

    start: int
    end: int
    lemma: int
    inflected: bool
    own: int


def marked_mentions(
    text: str, places: Sequence[Span], senses: WordSenses, context: UInt16s | None
) -> list[TermMention]:
    """Look up what detectors marked; what the ontology lacks is left out."""
    read = ((place, senses.term(as_within(text, place.start, place.end))) for place in places)
    return [
        TermMention(place.start, place.end, place.label, lemma, is_form, senses.concept(lemma, context), True)
        for place, (lemma, is_form) in read
        if lemma >= 0
    ]


def further_mentions(
    text: str,
    marked: Sequence[TermMention],
    taken: Iterable[tuple[int, int]],
    senses: WordSenses,
    context: UInt16s | None,
) -> list[TermMention]:
    """Find the text that tells of marked terms and that nobody marked: synonyms, inflections and narrower terms.

    A word tells of a concept where it is one of its senses, or the sense that the word has lies below. What is found
    so tells of its own concept in turn. ``taken`` are places where nothing is looked for.
    """
    if not marked:
        return []
    hidden = masked(text, taken)
    labels = {mention.concept: mention.label for mention in reversed(marked)}
    written = {text[mention.start : mention.end] for mention in marked}
    told: dict[tuple[int, int], TermMatch] = {}
    new = frozenset(labels)
    while new:
        told |= {match[:2]: match for match in telling(hidden, new, senses, context, written)}
        new = frozenset(m.own for m in told.values() if m.own not in labels and senses.lies(m.own, labels))
        for concept in sorted(new):
            labels[concept] = labels[min(above for above in senses.ancestors(concept) if above in labels)]
    return [_further(match, senses, labels) for match in _longest(told.values())]


def telling(
    text: str,
    known: frozenset[int],
    senses: WordSenses,
    context: UInt16s | None,
    written: Collection[str],
    places: Int32s = WHOLE,
) -> list[TermMatch]:
    """Find the words of a text that tell of known concepts; function words do where they are ``written``.

    With ``places``, rows of start and end, disjoint and in order, those that overlap one, and maybe others.
    """
    concept, told_by = senses.concept, senses.told_by
    return [
        TermMatch(start, end, lemma, bool(form), own)
        for start, end, lemma, form in senses.rows(text, senses.wanted(known), places).tolist()
        if not known.isdisjoint(told_by(lemma, own := concept(lemma, context)))
        and not _is_function_word(text[start:end], written)
    ]


def _further(match: TermMatch, senses: WordSenses, labels: Mapping[int, str]) -> TermMention:
    """Give a match its own concept, if that is known, else the first of its senses that is."""
    concept = match.own if match.own in labels else next(c for c in senses.bearers(match.lemma) if c in labels)
    return TermMention(match.start, match.end, labels[concept], match.lemma, match.inflected, concept, False)


def masked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    """Return a text in which no word lies in what is taken, or goes over it; every other character keeps its place."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(taken):
        parts += (text[position:start], HIDDEN * (end - start))
        position = end
    return "".join((*parts, text[position:]))


def _is_function_word(word: str, written: Collection[str]) -> bool:
    """Tell whether a word is none that counts: a function word that is not written as a marked term is."""
    return len(word) < _MOST and word.lower() in FUNCTION_WORDS and word not in written


_MOST = 1 + max(map(len, FUNCTION_WORDS))


def _longest(matches: Iterable[TermMatch]) -> list[TermMatch]:
    """Return disjoint matches from left to right, the longest of those that begin alike."""
    kept: list[TermMatch] = []
    for match in sorted(matches, key=lambda match: (match.start, -match.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept
