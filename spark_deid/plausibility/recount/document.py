"""Count again what generalization promises of one document, on its final edits."""

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.plausibility.recount.cut import (
    CASE,
    FOREIGN,
    KEPT,
    NARROW,
    SAME,
    SHORT,
    SPLIT,
    UNKNOWN,
    PlausibilityCounts,
    recount_cut,
    sum_up,
)
from spark_deid.plausibility.recount.telling import WordConcepts, word_concepts_of
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules, GeneralizeSettings, OntologyReading
from spark_deid.rewriting.suppress import SUPPRESS, placeholder
from spark_deid.text.visible import visible
from spark_deid.values.wording import as_within

_SEPARATOR = "\0"
_ARTICLES = ("a", "an")
_GAP = re.compile(r"\s*[\"'“‘«(\[*_]*")
_TOLERANCE = 1e-9
_KEPT = 1 << 13
Hidden = tuple[float, int]
"""The bits and the volume of what stands for a concept."""


class GeneralizedTerm(NamedTuple):
    """A term that was generalized: its place, its rule, its word and concept, and what was written.

    ``volume`` is that of the smallest node above the concept that what is written may stand for; ``bits`` its
    logarithm, or the least entropy of such a node where the plan has a table of frequencies. One that ``is_broad`` was
    generalized since it stands above another.
    """

    start: int
    key: str
    lemma: int
    concept: int
    written: frozenset[int]
    volume: int
    bits: float
    is_broad: bool = False


def recount_document(
    text: str, marked: Collection[tuple[int, int]], edits: Sequence[LabelledEdit], rules: GeneralizeRules
) -> PlausibilityCounts:
    """Count the faults of a document; ``marked`` is where spans stand that detectors found and rules edit.

    Texts are read as they look (``text.visible``).
    """
    edits = sorted(edits)
    looks = visible(text)
    if not looks.is_whole:
        text, edits = looks.text, [looks.inside(edit) for edit in edits]
        marked = {looks.place_inside(*place) for place in marked}
    by_label: dict[str, list[LabelledEdit]] = {}
    for edit in edits:
        if edit.technique == GENERALIZE:
            by_label.setdefault(edit.label, []).append(edit)
    own: dict[OntologyReading, list[LabelledEdit]] = {}
    for label, each in by_label.items():
        if (reading := rules.reading_of(label)) is not None:
            own.setdefault(reading, []).extend(each)
    starts = {edit.start for each in own.values() for edit in each}
    worded = {
        reading: [edit for edit in each if not _is_article(text, edit, starts, marked)] for reading, each in own.items()
    }
    if not worded:
        return PlausibilityCounts(Counter())
    results = [edit for reading, each in worded.items() if reading not in rules.cut_by_reading for edit in each]
    shown, hidden = (_rendered(text, edits, set(map(id, each))) for each in (results, ()))
    counted = [
        recount_cut(text, marked, hidden, _masked(text, edits), each, rules, reading)
        if reading in rules.cut_by_reading
        else _recount(text, marked, (shown, hidden), each, rules, reading)
        for reading, each in worded.items()
    ]
    named = [edit for reading, each in worded.items() if not word_concepts_of(reading).is_spelled for edit in each]
    return sum_up([*counted, PlausibilityCounts(+Counter({CASE: _with_small_letters(text, named)}))])


def _with_small_letters(text: str, edits: Sequence[LabelledEdit]) -> int:
    """Count the replacements in lines that have capitals alone which have not."""
    ends, end = [], -1
    for line in text.split("\n"):
        end += len(line) + 1
        if line.isupper():
            ends.append((end, end - len(line)))
    number = 0
    for edit in edits:
        place = bisect_left(ends, (edit.start + 1, 0))
        number += place < len(ends) and ends[place][1] <= edit.start and not edit.replacement.isupper()
    return number


def _recount(
    text: str,
    marked: Collection[tuple[int, int]],
    published: tuple[str, str],
    edits: Sequence[LabelledEdit],
    rules: GeneralizeRules,
    reading: OntologyReading,
) -> PlausibilityCounts:
    """Count the faults of one ontology's terms; ``published`` is the text with replacements and without."""
    words = word_concepts_of(reading)
    context = words.context_of(text)
    faults = Counter[str]()
    terms = _terms(text, marked, edits, rules, words, context, faults)
    known = {term.concept for term in terms if not term.is_broad}
    nodes = defaultdict(set)
    for term in terms:
        nodes[term.concept].add(term.written)
    faults[SPLIT] += sum(len(each) > 1 for each in nodes.values())
    surfaces = {text[edit.start : edit.end] for edit in edits if (edit.start, edit.end) in marked}
    shown, hidden = published
    faults[KEPT] += sum(1 for _ in words.occurrences(shown, known, surfaces, context))
    broader = set[int]().union(*(_broader(term, words) for term in terms if not term.is_broad))
    faults[KEPT] += sum(1 for _ in words.broader_occurrences(hidden, broader - known, context))
    margins = _margins(text, terms, rules, words)
    faults[SHORT] += sum(margin < 0 for margin in margins)
    return PlausibilityCounts(+faults, len(terms), len(margins), min(margins, default=math.inf))


def _broader(term: GeneralizedTerm, words: WordConcepts) -> frozenset[int]:
    """Return what stands above a term and tells more of it than what was written does."""
    above = words.ancestors(term.concept)
    nodes = above & term.written
    return above - nodes - frozenset().union(*map(words.ancestors, nodes))


def _is_article(text: str, edit: LabelledEdit, starts: set[int], marked: Collection[tuple[int, int]]) -> bool:
    """Tell whether an edit puts one indefinite article for another before a term."""
    if edit.replacement.lower() not in _ARTICLES or text[edit.start : edit.end].lower() not in _ARTICLES:
        return False
    if (edit.start, edit.end) in marked:
        return False
    gap = _GAP.match(text, edit.end)
    return gap is not None and gap.end() in starts


def _terms(
    text: str,
    marked: Collection[tuple[int, int]],
    edits: Sequence[LabelledEdit],
    rules: GeneralizeRules,
    words: WordConcepts,
    context: UInt16s | None,
    faults: Counter[str],
) -> list[GeneralizedTerm]:
    """Read edits as terms; count those that are wrong by themselves."""
    lemmas = [words.read(_surface(text, edit, marked)) for edit in edits]
    read = [(edit, lemma) for edit, lemma in zip(edits, lemmas, strict=True) if lemma is not None]
    faults[FOREIGN] += len(lemmas) - len(read)
    own = [words.concept(lemma, context) for _, lemma in read]
    is_marked = [(edit.start, edit.end) in marked for edit, _ in read]
    known = _closed(set(compress(own, is_marked)), set(own), words)
    above = frozenset().union(*map(words.ancestors, known))
    terms = []
    for (edit, lemma), concept in zip(read, own, strict=True):
        results = [c for c in words.bearers(lemma) if c in known] if concept not in known else [concept]
        is_broad = not results and concept in above
        faults[FOREIGN] += not results and not is_broad
        concept = results[0] if results else concept
        surface = text[edit.start : edit.end] if words.is_spelled else ""
        written, fault, volume, bits = _judged(words, surface, edit.replacement, concept)
        if fault:
            faults[fault] += 1
        key = rules.key_of(edit.label) or ""
        terms.append(GeneralizedTerm(edit.start, key, lemma, concept, written, volume, bits, is_broad))
    return terms


def _surface(text: str, edit: LabelledEdit, marked: Collection[tuple[int, int]]) -> str:
    """Return a term as it was written; of what was marked a capital counts for nothing where it begins a sentence."""
    is_marked = (edit.start, edit.end) in marked
    return as_within(text, edit.start, edit.end) if is_marked else text[edit.start : edit.end]


def _closed(known: set[int], others: Collection[int], words: WordConcepts) -> set[int]:
    """Add those of other concepts that lie below what is known."""
    below = (concept for concept in others if concept not in known)
    return known.union(concept for concept in below if not known.isdisjoint(words.ancestors(concept)))


class TermVerdict(NamedTuple):
    """What is written for a term: the concepts that it may stand for, what is wrong with it, and what it hides."""

    written: frozenset[int]
    fault: str
    volume: int
    bits: float


@lru_cache(_KEPT)
def _judged(words: WordConcepts, surface: str, replacement: str, concept: int) -> TermVerdict:
    """Judge what is written for a concept; ``surface`` counts where an ontology words terms by a pattern."""
    table = words.table
    lemma = words.read(replacement)
    written = frozenset(table.spelled(surface, replacement) if lemma is None else words.bearers(lemma))
    above = written & words.ancestors(concept)
    volume, bits = min(map(table.volume, above), default=1), min(map(words.bits, above), default=0.0)
    if not written:
        fault = UNKNOWN
    elif concept in written:
        fault = SAME
    else:
        fault = NARROW if not above or volume <= table.volume(concept) else ""
    return TermVerdict(written, fault, volume, bits)


def _rendered(text: str, edits: Sequence[LabelledEdit], worded: Collection[int]) -> str:
    """Write a text with these edits, by identity, and what other techniques say; for placeholders what no word has."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        stated = id(edit) in worded or _says_something(edit)
        parts += (text[position : edit.start], edit.replacement if stated else _SEPARATOR)
        position = edit.end
    return "".join((*parts, text[position:]))


def _masked(text: str, edits: Sequence[LabelledEdit]) -> str:
    """Return a text of the same length in which each edited place is hidden, but for articles."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        is_article = text[edit.start : edit.end].lower() in _ARTICLES
        own = text[edit.start : edit.end] if is_article else _SEPARATOR * (edit.end - edit.start)
        parts += (text[position : edit.start], own)
        position = edit.end
    return "".join((*parts, text[position:]))


def _says_something(edit: LabelledEdit) -> bool:
    """Tell whether another technique writes what may be a term, such as the cities that a person's may be."""
    return edit.technique not in (GENERALIZE, SUPPRESS) and edit.replacement != placeholder(edit.label)


def _margins(text: str, terms: Sequence[GeneralizedTerm], rules: GeneralizeRules, words: WordConcepts) -> list[float]:
    """Return by how many bits each segment with terms exceeds t."""
    segments: dict[tuple[str, int], dict[int, Hidden]] = defaultdict(dict)
    starts = {key: starts_of(text, rules.by_label[key].segment) for key in {term.key for term in terms}}
    for term in terms:
        hidden = segments[term.key, segment_at(starts[term.key], term.start)]
        bits, volume = hidden.get(term.concept, (term.bits, term.volume))
        hidden[term.concept] = min(term.bits, bits), min(term.volume, volume)
    return [_margin(hidden, rules.by_label[key], words) for (key, _), hidden in sorted(segments.items())]


def _margin(hidden: Mapping[int, Hidden], settings: GeneralizeSettings, words: WordConcepts) -> float:
    """Return by how many bits a segment exceeds t; below 0 where it falls short of t in whole numbers.

    Of two concepts, one above the other, only the one that hides less counts.
    """
    losers = set()
    for concept, own in hidden.items():
        for other in words.ancestors(concept).intersection(hidden):
            losers.add(max((own, concept), (hidden[other], other)))
    counted = [own for concept, own in hidden.items() if (own, concept) not in losers]
    margin = sum(bits for bits, _ in counted) - math.log2(settings.t)
    if settings.frequencies:
        return 0.0 if abs(margin) < _TOLERANCE else margin
    reaches = math.prod(volume for _, volume in counted) >= settings.t
    return max(margin, 0.0) if reaches else min(margin, -_TOLERANCE)
