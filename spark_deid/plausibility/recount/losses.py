"""What generalizations lose: information content of each term, and how far a text is from its original."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.plausibility.recount.cut import size_of
from spark_deid.plausibility.recount.partition import RebuiltPartition, partition_of
from spark_deid.plausibility.recount.telling import WordConcepts, word_concepts_of
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.text.visible import visible

SUPPRESS = "suppress"
_KEPT = 1 << 14


class RecountedTermLoss(NamedTuple):
    """A generalized term, what represents it, how many leaves that may represent, and how many bits it loses.

    The information content of a concept is -log2 of its fraction of the leaves, so that what is lost is the logarithm
    of the ratio of both volumes. ``start`` is its place, ``concept`` its number, and ``own`` the leaves below itself.
    """

    before: str
    after: str
    label: str
    volume: int
    bits: float
    start: int = 0
    concept: int = 0
    own: int = 1


class TextCounts(NamedTuple):
    """How many texts a segment of a rule could be (|D|), and how many of them without the leaves below its terms."""

    key: str
    number: int
    others: int


def losses_of(text: str, edits: Sequence[LabelledEdit], rules: GeneralizeRules) -> Iterator[RecountedTermLoss]:
    """Yield what each generalized term of a document loses; articles are not terms."""
    tellers: dict[str, WordConcepts | None] = {}
    partitions: dict[str, RebuiltPartition] = {}
    for edit in edits:
        if edit.technique != GENERALIZE:
            continue
        if edit.label not in tellers:
            reading = rules.reading_of(edit.label)
            if reading is not None and reading in rules.cut_by_reading:
                partitions[edit.label] = partition_of(rules.demand_of(reading))
            tellers[edit.label] = None if reading is None else word_concepts_of(reading)
        teller = tellers[edit.label]
        lost = None if teller is None else _lost(teller, text[edit.start : edit.end], edit.replacement)
        if teller is not None and lost is not None:
            surface, volume, concept = lost
            own = teller.table.volume(concept)
            if (parts := partitions.get(edit.label)) is not None:
                volume, own = _originals(concept, edit.replacement, parts) or 1, 1
            bits = math.log2(volume / own)
            yield RecountedTermLoss(surface, edit.replacement, edit.label, volume, bits, edit.start, concept, own)


def _originals(concept: int, written: str, parts: RebuiltPartition) -> int | None:
    """Return how many originals are written so, of a concept that a partition has."""
    return size_of(concept, written, parts) if concept in parts.parts[0] else None


def texts_of(text: str, losses: Iterable[RecountedTermLoss], rules: GeneralizeRules) -> Iterator[TextCounts]:
    """Yield how many texts each segment with terms could be.

    As in the recount a concept counts once, and of two terms, one below the other, the smaller volume.
    """
    segments: dict[tuple[str, int], dict[int, RecountedTermLoss]] = {}
    starts: dict[str, tuple[int, ...]] = {}
    for loss in losses:
        key = rules.key_of(loss.label) or ""
        if key not in starts:
            starts[key] = starts_of(text, rules.by_label[key].segment)
        found = segments.setdefault((key, segment_at(starts[key], loss.start)), {})
        found[loss.concept] = min(found.get(loss.concept, loss), loss, key=lambda each: each.volume)
    for (key, _), found in segments.items():
        words = word_concepts_of(rules.reading_by_label[key])
        pairs = [(one, found[above]) for c, one in found.items() for above in found.keys() & words.ancestors(c)]
        losers = {max(pair, key=lambda each: (each.volume, -each.own, each.concept)).concept for pair in pairs}
        counted = [loss for concept, loss in found.items() if concept not in losers]
        yield TextCounts(
            key, math.prod(x.volume for x in counted), math.prod(max(x.volume - x.own, 1) for x in counted)
        )


@lru_cache(_KEPT)
def _lost(words: WordConcepts, written: str, replacement: str) -> tuple[str, int, int] | None:
    """Return how a term looks, the volume of what represents it, and its concept; None where it is not above."""
    table, surface = words.table, visible(written).text
    lemma, node = words.read(surface), words.read(replacement)
    shown = table.spelled(surface, replacement) if node is None else words.bearers(node)
    for concept in () if lemma is None else (words.concept(lemma, None), *words.bearers(lemma)):
        volume = min((table.volume(c) for c in shown if c in words.ancestors(concept)), default=0)
        if volume:
            return surface, volume, concept
    return None


def unknown_terms(text: str, edits: Sequence[LabelledEdit], rules: GeneralizeRules) -> Iterator[str]:
    """Yield the suppressed terms of the rules' labels that no ontology has, in lower case."""
    for edit in edits:
        key = rules.key_of(edit.label) if edit.technique == SUPPRESS else None
        if key is not None:
            surface = visible(text[edit.start : edit.end]).text
            if word_concepts_of(rules.reading_by_label[key]).read(surface) is None:
                yield " ".join(surface.lower().split())


def similarity(losses: Sequence[RecountedTermLoss], suppressed: int = 0) -> float:
    """Return the cosine similarity of a document's terms with what became of them (Jiang et al., section 6.5).

    Each term's frequency, 1, is divided over the leaves below what represents it; of a suppressed one nothing remains.

    >>> round(similarity([RecountedTermLoss("cat", "feline", "X", 4, 2.0)]), 2)
    0.5
    """
    terms = len(losses) + suppressed
    return math.sqrt(sum(1 / loss.volume for loss in losses) / terms) if terms else 1.0
