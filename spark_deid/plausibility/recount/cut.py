"""Count again what a partition promises of a document: each term as its block has it, and no other term of it."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.plausibility.recount.contexts import has_article, is_no_noun
from spark_deid.plausibility.recount.partition import RebuiltPart, RebuiltPartition, partition_of
from spark_deid.plausibility.recount.tokens import SEPARATORS, fold_term
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.settings import GeneralizeRules, OntologyReading
from spark_deid.values.wording import as_within

# Faults of generalized text, and the counts.


KEPT, SAME, NARROW, UNKNOWN, FOREIGN, SPLIT, SHORT = "kept", "same", "narrow", "unknown", "foreign", "split", "short"
PART, CASE = "part", "case"
FAULTS = (KEPT, SAME, NARROW, UNKNOWN, FOREIGN, SPLIT, SHORT, PART, CASE)
"""Faults: text that reveals a generalized term is kept or written; a replacement is a synonym of its
original or a form of it, is not above it, or not in the ontology; an edit's original is not a term, or nothing asked
for it; a concept has two nodes in one document; a segment's original could be one of fewer than t texts; a
replacement differs from the partition's for its term; a replacement in an uppercase line has lowercase letters."""


class PlausibilityCounts(NamedTuple):
    """Counts: faults by name, terms, segments that have some, and the least log2 |D| - log2 t of these."""

    faults: Counter[str]
    terms: int = 0
    segments: int = 0
    margin: float = math.inf


def sum_up(counted: Collection[PlausibilityCounts]) -> PlausibilityCounts:
    """Return what was counted of several documents, or parts of one, together."""
    faults = Counter[str]()
    for each in counted:
        faults.update(each.faults)
    terms, segments = sum(each.terms for each in counted), sum(each.segments for each in counted)
    return PlausibilityCounts(faults, terms, segments, min((each.margin for each in counted), default=math.inf))


class TermForm(NamedTuple):
    """Whether a term has a form that shows that English counts it, and whether it is a plural."""

    counted: bool
    several: bool


_FORMS = (TermForm(False, False), TermForm(True, False), TermForm(True, True))


class WrittenTerm(NamedTuple):
    """A term and what was written for it: its segment, the node that its block for t has, and its form."""

    start: int
    end: int
    segment: int
    concept: int
    block: int
    written: str
    form: TermForm


def recount_cut(
    text: str,
    marked: Collection[tuple[int, int]],
    published: str,
    masked: str,
    edits: Sequence[LabelledEdit],
    rules: GeneralizeRules,
    reading: OntologyReading,
) -> PlausibilityCounts:
    """Count the faults of one partition's terms.

    ``published`` is the text with what other rules write, and nothing where terms were edited. ``masked`` is the text
    with every edited place hidden, so that other terms do not decide a term's form.
    """
    parts = partition_of(rules.demand_of(reading))
    settings = rules.cut_by_reading[reading]
    faults = Counter[str]()
    starts = starts_of(text, settings.segment)
    terms = []
    for edit in edits:
        is_marked = (edit.start, edit.end) in marked
        lemma = parts.words.read(as_within(text, edit.start, edit.end) if is_marked else text[edit.start : edit.end])
        block = None if lemma is None else parts.parts[0].get(parts.words.concept(lemma, None))
        if lemma is None or block is None:
            faults[FOREIGN] += 1
            continue
        concept, segment = parts.words.concept(lemma, None), segment_at(starts, edit.start)
        name = parts.words.name
        several = parts.words.is_inflected(text[edit.start : edit.end]) or not any(
            edit.replacement.lower() == name(level[concept].node).lower() for level in parts.parts
        )
        form = TermForm(several or (bool(parts.countable) and has_article(masked, edit.start)), several)
        terms.append(WrittenTerm(edit.start, edit.end, segment, concept, block.node, edit.replacement, form))
    faults[PART] += sum(1 for term in terms if joints_of(parts).goes_on(text, term.start, term.end, term.block))
    margins = _margins(terms, parts, settings.t, faults)
    faults[SHORT] += sum(margin < 0 for margin in margins)
    words = parts.words
    faults[KEPT] += sum(1 for token in words.all_occurrences(published) if not is_no_noun(published, token))
    return PlausibilityCounts(+faults, len(terms), len(margins), min(margins, default=math.inf))


def _margins(terms: Sequence[WrittenTerm], parts: RebuiltPartition, t: int, faults: Counter[str]) -> list[float]:
    """Return by how many bits each segment exceeds t; count terms that are not written as their block has it."""
    touched: dict[int, set[int]] = defaultdict(set)
    for term in terms:
        touched[term.segment].add(term.block)
    least: dict[int, int] = {}
    for term in terms:
        least[term.block] = min(least.get(term.block, len(terms)), len(touched[term.segment]))
    forms: dict[int, TermForm] = {}
    for term in terms:
        before = forms.get(term.block, TermForm(False, False))
        forms[term.block] = TermForm(before.counted or term.form.counted, before.several or term.form.several)
    smallest: dict[tuple[int, int], int] = {}
    for term in terms:
        size = _size(term, least[term.block], forms[term.block], parts)
        faults[PART] += size is None
        place = term.segment, term.block
        smallest[place] = min(smallest.get(place, t), size or 1)
    found = []
    for segment, blocks in sorted(touched.items()):
        number = math.prod(smallest[segment, block] for block in blocks)
        bits = math.log2(number) - math.log2(t)
        found.append(max(bits, 0.0) if number >= t else min(bits, -1e-9))
    return found


def _size(term: WrittenTerm, blocks: int, form: TermForm, parts: RebuiltPartition) -> int | None:
    """Return how many originals with the form a replacement may represent; None if its part has another name.

    What is written for a form that fewer originals have is right for all forms.
    """
    for other in _FORMS:
        if other >= form and other.several >= form.several:
            part = parts.written(term.concept, blocks, counted=other.counted, several=other.several)
            if _is_name(term.written, part, parts):
                return part.counted if form.counted else part.size
    return None


def _is_name(written: str, part: RebuiltPart, parts: RebuiltPartition) -> bool:
    """Return whether a replacement is the name of a part's node in either number."""
    return written.lower() in (each.lower() for each in (parts.words.name(part.node), *parts.plurals(part.node)))


def size_of(concept: int, written: str, parts: RebuiltPartition) -> int | None:
    """Return how many originals are in the smallest part of a concept that is written so; None if no part is."""
    own = (level[concept] for level in reversed(parts.parts))
    return next((part.size for part in own if _is_name(written, part, parts)), None)


# Whether a term may be part of a longer one with what is kept beside it, for some original of its block: anew.


_NEAR = 64


class LongerTerms:
    """The longer terms of a reading by pairs of tokens in them, and with which tokens the words of each block begin."""

    def __init__(self, parts: RebuiltPartition) -> None:
        words = parts.words
        self._begin: dict[int, set[str]] = defaultdict(set)
        self._end: dict[int, set[str]] = defaultdict(set)
        for concept, part in parts.parts[0].items():
            for forms in parts.constant_words(concept):
                for written in forms:
                    parted = fold_term(written).split()
                    self._begin[part.node].add(parted[0])
                    self._end[part.node].add(parted[-1])
        self._after: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._before: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for lemma in words.lemmas():
            tokens = tuple(fold_term(words.table.word(lemma)).split())
            for at in range(1, len(tokens)):
                self._after[tokens[at - 1]].add((*tokens[:at], tokens[at]))
                self._before[tokens[at]].add((tokens[at - 1], *tokens[at:]))

    def goes_on(self, text: str, start: int, end: int, block: int) -> bool:
        """Tell whether kept words and the first or last token of some original's word begin or end a longer term."""
        before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
        left, right = fold_term(before).split(), fold_term(after).split()
        if left and SEPARATORS.fullmatch(before[-1:]):
            for *kept, first in self._after.get(left[-1], ()):
                if first in self._begin[block] and left[-len(kept) :] == kept:
                    return True
        if right and SEPARATORS.fullmatch(after[:1]):
            for last, *kept in self._before.get(right[0], ()):
                if last in self._end[block] and right[: len(kept)] == kept:
                    return True
        return False


@lru_cache(4)
def joints_of(parts: RebuiltPartition) -> LongerTerms:
    """Return the longer terms of a partition, once a process."""
    return LongerTerms(parts)
