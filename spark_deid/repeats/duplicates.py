"""Count what is there several times once, with a weight.

Boilerplate stays active in all rounds, and every copy of it costs what the first does. Copies change no count but by
their number, so one of them is searched and the others get its result:

- By **occurrence** each place of a copied document is there once in every copy: a place of the one that is kept counts
  as many as there are copies.
- By **document** a substring is in all copies or in none: the one that is kept counts as many documents.
- By **subject** a document that a person has twice says nothing more than once, and persons whose documents are the
  same count together, as many as they are; persons who share only some of their documents remain apart, since what
  several documents of a person have in common counts once. Documents of unknown persons are one person, who is never
  taken together with a known one.

Two documents are the same where their text is and what is excluded in it. Copies go as they come, so that a shard's
memory is that of its distinct documents.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.repeats.findings import DocumentBatch
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import Interval

_Content = tuple[bytes, tuple[Interval, ...]]


class DistinctDocuments(NamedTuple):
    """Distinct documents, a unit's beside one another; ``document_of`` has for each row of the shard its document.

    Unit ``units[i]`` of document i stands for ``weights[units[i]]`` units of the corpus.
    """

    texts: list[bytes]
    excluded: list[Sequence[Interval]]
    units: Int32s
    weights: Int64s
    document_of: Int64s


def collapse_duplicates(batches: Iterable[DocumentBatch], unit: CountingUnit) -> DistinctDocuments:
    """Find the distinct documents of a shard; all those of a unit must be in it, one after another."""
    collapsing = _Collapsing()
    owner: str | None = None
    for batch in batches:
        for text, subject, excluded in zip(batch.texts, batch.subjects, batch.excluded, strict=True):
            if unit is not CountingUnit.SUBJECT or subject != owner:
                collapsing.end_unit(is_unknown=unit is CountingUnit.SUBJECT and owner is None)
                owner = subject
            collapsing.add((text, tuple(excluded)))
    collapsing.end_unit(is_unknown=unit is CountingUnit.SUBJECT and owner is None)
    return collapsing.collapsed()


class _Collapsing:
    """What is known of a shard so far, and the documents of the unit that is being read."""

    def __init__(self) -> None:
        self._known: dict[tuple[bool, frozenset[_Content]], tuple[int, dict[_Content, int]]] = {}
        self._documents: list[_Content] = []
        self._units: list[int] = []
        self._weights: list[int] = []
        self._document_of: list[int] = []
        self._own: dict[_Content, int] = {}
        self._rows: list[int] = []

    def add(self, content: _Content) -> None:
        """Add a document to the unit that is being read."""
        self._rows.append(self._own.setdefault(content, len(self._own)))

    def end_unit(self, *, is_unknown: bool) -> None:
        """Take the unit for one more of its like; the unknown person is like no other."""
        if not self._own:
            return
        number, numbers = self._known.setdefault((is_unknown, frozenset(self._own)), (len(self._weights), {}))
        if number == len(self._weights):
            self._weights.append(0)
            for content in self._own:
                numbers[content] = len(self._documents)
                self._documents.append(content)
                self._units.append(number)
        self._weights[number] += 1
        places = [numbers[content] for content in self._own]
        self._document_of.extend(places[row] for row in self._rows)
        self._own, self._rows = {}, []

    def collapsed(self) -> DistinctDocuments:
        """Return what was found."""
        texts = [text for text, _ in self._documents]
        excluded: list[Sequence[Interval]] = [intervals for _, intervals in self._documents]
        numbers = np.array(self._units, np.int32), np.array(self._weights, np.int64)
        return DistinctDocuments(texts, excluded, *numbers, np.array(self._document_of, np.int64))
