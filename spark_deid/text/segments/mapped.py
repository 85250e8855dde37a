"""Characters with their places in the original text."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.core.span import Span

NOWHERE = -1
"""The place of a character that a record adds: keys before values, and line breaks between them."""


class MappedText(NamedTuple):
    """A text whose character i stands for ``starts[i]`` to ``ends[i]`` of the original."""

    text: str
    starts: Int32s
    ends: Int32s

    @classmethod
    def whole(cls, text: str) -> "MappedText":
        """Return a text that is its own original."""
        places = np.arange(len(text) + 1, dtype=np.int32)
        return cls(text, places[:-1], places[1:])

    def piece(self, start: int, end: int) -> "MappedText":
        """Return the characters from ``start`` to ``end``."""
        return MappedText(self.text[start:end], self.starts[start:end], self.ends[start:end])


class RecordBuilder:
    """Write a record: cells of the original, and what is added between them."""

    def __init__(self) -> None:
        """Begin an empty record."""
        self._texts: list[str] = []
        self._starts: list[Int32s] = []
        self._ends: list[Int32s] = []
        self._cells: list[Int32s] = []
        self._cell = 0

    def add(self, words: str) -> None:
        """Add words that the original does not have at this place."""
        nowhere = np.full(len(words), NOWHERE, np.int32)
        self._append(words, nowhere, nowhere, nowhere)

    def cell(self, content: MappedText) -> None:
        """Add a cell: no span contains characters of two cells."""
        self._append(content.text, content.starts, content.ends, np.full(len(content.text), self._cell, np.int32))
        self._cell += 1

    def record(self) -> "Record":
        """Return the record."""
        empty = np.zeros(0, np.int32)
        parts = (np.concatenate([empty, *arrays]) for arrays in (self._starts, self._ends, self._cells))
        return Record("".join(self._texts), *parts)

    def _append(self, text: str, starts: Int32s, ends: Int32s, cells: Int32s) -> None:
        self._texts.append(text)
        self._starts.append(starts)
        self._ends.append(ends)
        self._cells.append(cells)


class Record(NamedTuple):
    """What belongs together and is read by itself: a row, an object, a segment of HL7, or the prose between them."""

    text: str
    starts: Int32s
    ends: Int32s
    cells: Int32s
    """The number of each character's cell; ``NOWHERE`` for characters that were added."""

    def original(self, span: Span) -> Iterator[Span]:
        """Yield the places of a span in the original, one for each cell that it touches, without what was added."""
        cells = self.cells[span.start : span.end]
        if not len(cells):
            return
        borders = np.flatnonzero(np.diff(cells)) + 1
        for start, end in zip((0, *borders), (*borders, len(cells)), strict=True):
            if cells[start] != NOWHERE:
                first, last = span.start + start, span.start + end - 1
                yield span._replace(start=int(self.starts[first]), end=int(self.ends[last]))
