"""What generalizations lose: information content of each term, and how far a text is from its original."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.plausibility.recount.telling import Teller, teller_of
from spark_deid.plausibility.text.settings import GENERALIZE, Rules
from spark_deid.text.visible import visible

SUPPRESS = "suppress"
_KEPT = 1 << 14


class Loss(NamedTuple):
    """A generalized term, what stands for it, how many leaves that may stand for, and how many bits it loses.

    The information content of a concept is -log2 of its share of the leaves, so that what is lost is the logarithm of
    the ratio of both volumes.
    """

    before: str
    after: str
    label: str
    volume: int
    bits: float


def losses_of(text: str, edits: Sequence[LabelledEdit], rules: Rules) -> Iterator[Loss]:
    """Yield what each generalized term of a document loses; articles are no terms."""
    tellers: dict[str, Teller | None] = {}
    for edit in edits:
        if edit.technique != GENERALIZE:
            continue
        if edit.label not in tellers:
            reading = rules.reading_of(edit.label)
            tellers[edit.label] = None if reading is None else teller_of(reading)
        teller = tellers[edit.label]
        lost = None if teller is None else _lost(teller, text[edit.start : edit.end], edit.replacement)
        if lost is not None:
            surface, volume, bits = lost
            yield Loss(surface, edit.replacement, edit.label, volume, bits)


@lru_cache(_KEPT)
def _lost(teller: Teller, written: str, replacement: str) -> tuple[str, int, float] | None:
    """Return how a term looks, the volume of what stands for it, and the bits it loses; None where it is not above."""
    table, surface = teller.table, visible(written).text
    lemma, node = table.read(surface), table.read(replacement)
    shown = table.spelled(surface, replacement) if node is None else table.bearers(node)
    for concept in () if lemma is None else (teller.concept(lemma, None), *table.bearers(lemma)):
        volume = min((table.volume(c) for c in shown if c in table.ancestors(concept)), default=0)
        if volume:
            return surface, volume, math.log2(volume / table.volume(concept))
    return None


def unknown_terms(text: str, edits: Sequence[LabelledEdit], rules: Rules) -> Iterator[str]:
    """Yield the suppressed terms of the rules' labels that no ontology has, in lower case."""
    for edit in edits:
        key = rules.key_of(edit.label) if edit.technique == SUPPRESS else None
        if key is not None:
            surface = visible(text[edit.start : edit.end]).text
            if teller_of(rules.reading_by_label[key]).table.read(surface) is None:
                yield " ".join(surface.lower().split())


def similarity(losses: Sequence[Loss], suppressed: int = 0) -> float:
    """Return the cosine similarity of a document's terms with what became of them (Jiang et al., section 6.5).

    Each term's frequency, 1, is divided over the leaves below what stands for it; of a suppressed one nothing is left.

    >>> round(similarity([Loss("cat", "feline", "X", 4, 2.0)]), 2)
    0.5
    """
    terms = len(losses) + suppressed
    return math.sqrt(sum(1 / loss.volume for loss in losses) / terms) if terms else 1.0
