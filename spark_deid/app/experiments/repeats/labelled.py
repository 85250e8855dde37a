"""Labelled text prepared once for every k: tokens, which of them are gold, and how often each is found."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spark_deid.app.experiments.repeats.settings import JudgedTokens
from spark_deid.core.document import Document
from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.core.words import WORD
from spark_deid.repeats.extension import SortedSuffixes, sort_suffixes
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, lay_out, number_units
from spark_deid.repeats.tokens import hidden_share, show_always, tokens_of, yield_documents

_PATTERNS = {
    JudgedTokens.WORD: WORD,
    JudgedTokens.SPACE: re.compile(r"\S+"),
    JudgedTokens.SCRIPT: re.compile(
        r"[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0003ffff々〆ヶ]+|[\u3041-\u309f]+|[\u30a0-\u30ff\uff66-\uff9f]+|\d+"
        r"|[^\W\d\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0003ffff々〆ヶ\u3041-\u309f\u30a0-\u30ff\uff66-\uff9f]+"
    ),
}


@dataclass(frozen=True, repr=False)
class LabelledTokens:
    """Documents in which tokens (n x 2, in characters from the begin of the corpus) are judged."""

    ids: tuple[str, ...]
    text: TextLayout
    tokens: Int64s
    gold: Bools
    """Of every token, whether a gold span touches it."""
    counts: Int64s
    """Of every token, how many units have the same."""
    unit: CountingUnit
    cap: int

    @cached_property
    def suffixes(self) -> SortedSuffixes:
        """Return the sorted suffixes, which serve every k."""
        return sort_suffixes(self.text, unit=self.unit, cap=self.cap)

    @cached_property
    def hideable(self) -> Bools:
        """Return of every character whether it may be hidden; the paper's experiments always show some."""
        return show_always(self.text, np.ones(int(self.text.characters[-1]), np.bool_))


def label_tokens(labelled: Sequence[Document], *, unit: CountingUnit, tokens: JudgedTokens, cap: int) -> LabelledTokens:
    """Lay documents out and find their tokens; a document without a person counts as by all such together."""
    names = [document.subject_id for document in labelled] if unit is CountingUnit.SUBJECT else ()
    text = lay_out([document.text for document in labelled], number_units(names))
    borders = tokens_of(text, _PATTERNS[tokens])
    whole = "\0".join(yield_documents(text))
    counts = unit_counts([whole[start:end] for start, end in borders.tolist()], text, borders[:, 0], unit)
    gold = hidden_share(borders, _gold_characters(labelled, text)) > 0
    return LabelledTokens(tuple(d.doc_id for d in labelled), text, borders, gold, counts, unit, cap)


def unit_counts(things: Iterable[str], text: TextLayout, starts: Int64s, unit: CountingUnit) -> Int64s:
    """Return for every thing in how many units its equals are; ``starts`` are where they begin, in characters."""
    numbers: dict[str, int] = {}
    same = np.array([numbers.setdefault(thing, len(numbers)) for thing in things], np.int64)
    if unit is not CountingUnit.OCCURRENCE:
        owners = text.units[np.searchsorted(text.characters, starts, side="right") - 1]
        pairs = np.unique(np.stack([same, owners.astype(np.int64)], axis=1), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(numbers))[same]
    return np.bincount(same, minlength=len(numbers))[same]


def _gold_characters(labelled: Sequence[Document], text: TextLayout) -> Bools:
    flags = np.zeros(int(text.characters[-1]), np.bool_)
    for begin, document in zip(text.characters.tolist(), labelled, strict=False):
        for span in document.spans:
            flags[begin + span.start : begin + span.end] = True
    return flags
