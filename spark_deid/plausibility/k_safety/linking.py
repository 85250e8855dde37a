"""Link a released document back to the records of a table, by other means than those that made it.

Hierarchies are read again, terms are found by walking a tree of words, and sets of records show
which values people share.
"""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.csv_dialect import limit_cells
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.plausibility.k_safety.settings import ERASE
from spark_deid.text.base_letters import same_letters
from spark_deid.text.patterns.scan import fold_signs
from spark_deid.text.visible import visible

LINKED, KEPT, FOREIGN = "linked", "kept", "foreign"
FAULTS = (LINKED, KEPT, FOREIGN)
"""Faults: a document reveals of a record what fewer than k share, a value of the table is published that is to
be generalized, or an edit writes what is not above its original."""
HIDDEN = "\0"
_ARTICLES = frozenset(("a", "an"))
_KEPT = 1 << 13
_BITS = 64
MOST_SETS = 1 << 12
_END = ""
Words = tuple[str, ...]
"""Words and signs of a term, case aside."""


def words_of(text: str) -> list[str]:
    """Return the words and signs of a text by base letters; whitespace, dashes and underscores are omitted.

    >>> words_of("Age 20-29*")
    ['age', '20', '29', '*']
    """
    found: list[str] = []
    for kind, group in groupby(fold_signs(visible(text).text), key=_kind):
        if kind is not None:
            written = same_letters("".join(group))
            found += [written] if kind else written
    return found


def _kind(character: str) -> bool | None:
    """Return whether a character is part of a word, or a separate sign (False); None where it parts words."""
    if character == "_" or character == "-" or character.isspace() or "\u2010" <= character <= "\u2015":
        return None
    return character.isalnum()


def term_of(label: str) -> Words:
    """Return the words of a label; nothing if it has no word, since no text is searched for signs only."""
    words = tuple(words_of(label))
    return words if any(word[0].isalnum() for word in words) else ()


def lines_of(folder: str, columns: Iterable[str]) -> dict[str, dict[str, tuple[Words, ...]]]:
    """Read the hierarchies of those columns that have one: of each value its terms, the lowest first."""
    found: dict[str, dict[str, tuple[Words, ...]]] = {}
    for column in columns if folder else ():
        path = Path(folder) / f"{column}.csv"
        if path.is_file():
            limit_cells()
            with path.open(encoding="utf-8-sig", newline="") as stream:
                lines = [line for line in csv.reader(stream, delimiter=";") if any(cell.strip() for cell in line)]
            found[column] = {line[0].strip(): tuple(term for cell in line if (term := term_of(cell))) for line in lines}
    return found


class LinkageFacts(NamedTuple):
    """What a release is linked with: sets of terms that records have, how many have each, and what is above what.

    ``values`` are the terms that are values of the table.
    """

    sets: tuple[tuple[Words, ...], ...]
    numbers: tuple[int, ...]
    values: frozenset[Words]
    above: frozenset[tuple[Words, Words]]


class RecordLinker:
    """Link texts with the facts of a table."""

    def __init__(self, facts: LinkageFacts, k: int, *, keeps_values: bool) -> None:
        self._told, self._k, self._keeps_values = facts, k, keeps_values
        self._numbers: Int64s = np.array(facts.numbers, np.int64)
        rows: dict[Words, list[int]] = {}
        for row, terms in enumerate(facts.sets):
            for term in terms:
                rows.setdefault(term, []).append(row)
        self._rows: dict[Words, Int32s] = {term: np.array(found, np.int32) for term, found in rows.items()}
        self._tree: dict[str, Any] = {}
        for term in rows:
            node = self._tree
            for word in term:
                node = node.setdefault(word, {})
            node[_END] = term
        self._few = lru_cache(_KEPT)(self._count_few)

    def faults(self, text: str, edits: Sequence[LabelledEdit], hidden: Collection[str]) -> Counter[str]:
        """Count what is wrong with a released document; ``hidden`` are techniques that write placeholders."""
        shown = "".join(_published_pieces(text, edits, hidden))
        released = frozenset(self._found(shown))
        kept = () if self._keeps_values else released & self._told.values
        foreign = sum(not self._is_above(text, edit) for edit in edits if edit.technique == ERASE)
        return +Counter({LINKED: self._few(released), KEPT: len(kept), FOREIGN: foreign})

    def _is_above(self, text: str, edit: LabelledEdit) -> bool:
        original, written = (term_of(each) for each in (text[edit.start : edit.end], edit.replacement))
        if {*original, *written} <= _ARTICLES and len(original) == len(written) == 1:
            return True
        return (original, written) in self._told.above

    def _found(self, text: str) -> Iterator[Words]:
        """Yield the terms of a text, the longest from left to right."""
        words = words_of(text)
        at = 0
        while at < len(words):
            node, last, size = self._tree, None, 0
            for number, word in enumerate(words[at:], 1):
                if word not in node:
                    break
                node = node[word]
                if _END in node:
                    last, size = node[_END], number
            if last is not None:
                yield last
            at += max(size, 1)

    def _count_few(self, released: frozenset[Words]) -> int:
        """Count the sets of released terms that some record has, and fewer than k have all of.

        All count where there are more than ``MOST_SETS``: no release has that many.
        """
        terms = sorted(released)
        if not terms:
            return 0
        touched = np.zeros(len(self._numbers), np.bool_)
        for term in terms:
            touched[self._rows[term]] = True
        place = np.cumsum(touched) - 1
        bits = np.zeros((int(touched.sum()), -(-len(terms) // _BITS)), np.uint64)
        for at, term in enumerate(terms):
            bits[place[self._rows[term]], at // _BITS] |= np.uint64(1 << at % _BITS)
        one = bits.shape[1] == 1
        sets, group = np.unique(bits[:, 0] if one else bits, axis=None if one else 0, return_inverse=True)
        if len(sets) > MOST_SETS:
            return len(sets)
        numbers = np.zeros(len(sets), np.int64)
        np.add.at(numbers, group.reshape(-1), self._numbers[touched])
        sets = sets.reshape(len(sets), -1)
        return sum(int(numbers[(sets & own == own).all(axis=1)].sum()) < self._k for own in sets)


def _published_pieces(text: str, edits: Sequence[LabelledEdit], hidden: Collection[str]) -> Iterator[str]:
    """Yield what is published, with what no term has for every placeholder."""
    position = 0
    for edit in sorted(edits):
        yield text[position : edit.start]
        yield HIDDEN if edit.technique in hidden else edit.replacement
        position = edit.end
    yield text[position:]
