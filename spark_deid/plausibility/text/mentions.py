"""The terms of a document: those that detectors marked, and what would tell of them elsewhere."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.numerics.arrays import Bools, Int32s, UInt16s
from spark_deid.plausibility.text.function_words import FUNCTION_WORDS
from spark_deid.plausibility.text.senses import Senses

HIDDEN = "\0"
"""Stands for a character of which nothing is known: no word has it."""


class Mention(NamedTuple):
    """A term at its place: its concept, whether it is an inflected form, and whether a detector marked it."""

    start: int
    end: int
    label: str
    lemma: int
    inflected: bool
    concept: int
    marked: bool


class Place(NamedTuple):
    """Where something stands that has a label."""

    start: int
    end: int
    label: str


def marked_mentions(text: str, places: Sequence[Place], senses: Senses, context: UInt16s | None) -> list[Mention]:
    """Look up what detectors marked; what the ontology lacks is left out."""
    if not places:
        return []
    rows = senses.ontology.terms(text, [place[:2] for place in places]).tolist()
    return [
        Mention(*place, lemma, bool(form), senses.concept(lemma, context), True)
        for place, (lemma, form) in zip(places, rows, strict=True)
        if lemma >= 0
    ]


def further_mentions(
    text: str, marked: Sequence[Mention], taken: Iterable[tuple[int, int]], senses: Senses, context: UInt16s | None
) -> list[Mention]:
    """Find the text that tells of marked terms and that nobody marked: synonyms, inflections and narrower terms.

    A word tells of a concept where it is one of its senses, or the sense that the word has lies below. What is found
    so tells of its own concept in turn. ``taken`` are places where nothing is looked for.
    """
    if not marked:
        return []
    rows = senses.ontology.matches(masked(text, taken))
    concepts = senses.concepts(rows[:, 2], context)
    labels = {mention.concept: mention.label for mention in reversed(marked)}
    written = {text[mention.start : mention.end] for mention in marked}
    while True:
        bears, lies = related(senses, rows[:, 2], concepts, labels)
        told = [r for r in np.flatnonzero(bears | lies).tolist() if not is_function_word(text, rows[r], written)]
        new = {int(concepts[row]) for row in told if lies[row]} - set(labels)
        if not new:
            break
        for concept in sorted(new):
            labels[concept] = labels[min(set(labels) & senses.ancestors(concept))]
    return [_further(row, senses, labels, context) for row in _longest(rows[told]).tolist()]


def related(senses: Senses, lemmas: Int32s, concepts: Int32s, known: Iterable[int]) -> tuple[Bools, Bools]:
    """Tell of each lemma whether it bears a known concept, and whether its own one (``concepts``) lies at or below."""
    words = np.array([word for concept in known for word in senses.words(concept)], np.int32)
    bears = np.isin(lemmas, words)
    return bears, senses.ontology.lie_below(concepts, np.array(list(known), np.int32))


def _further(row: list[int], senses: Senses, labels: dict[int, str], context: UInt16s | None) -> Mention:
    """Give a match its own concept, if that is known, else the first of its senses that is."""
    start, end, lemma, form = row
    own = senses.concept(lemma, context)
    concept = own if own in labels else next(c for c in senses.bearers(lemma) if c in labels)
    return Mention(start, end, labels[concept], lemma, bool(form), concept, False)


def masked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    """Return a text in which no word lies in what is taken, or goes over it; every other character keeps its place."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(taken):
        parts += (text[position:start], HIDDEN * (end - start))
        position = end
    return "".join((*parts, text[position:]))


def is_function_word(text: str, row: Sequence[int] | Int32s, written: set[str]) -> bool:
    """Tell whether a match is none that counts: a function word that is not written as a marked term is."""
    word = text[row[0] : row[1]]
    return len(word) < _MOST and word.lower() in FUNCTION_WORDS and word not in written


_MOST = 1 + max(map(len, FUNCTION_WORDS))


def _longest(rows: Int32s) -> Int32s:
    """Return disjoint matches from left to right, the longest of those that begin alike."""
    order = np.lexsort((-rows[:, 1], rows[:, 0]))
    kept, reached = [], 0
    for row in order.tolist():
        if rows[row, 0] >= reached:
            kept.append(row)
            reached = int(rows[row, 1])
    return rows[kept]
