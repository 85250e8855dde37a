"""Characters with their places in the original text."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.core.span import Span

NOWHERE = -1
"""The place of a character that a record adds: keys before values, and line breaks between them."""


class MappedText(NamedTuple):
    """A text whose character i is written from ``starts[i]`` to ``ends[i]`` in the original."""

    text: str
    starts: Int32s
    ends: Int32s

    @classmethod
    def whole(cls, text: str) -> "MappedText":
        """Return a text that is its own original."""
        places = np.arange(len(text) + 1, dtype=np.int32)
        return cls(text, places[:-1], places[1:])

    def as_one(self) -> "MappedText":
        """Return the text with the whole of it as the place of each character: it is replaced whole."""
        number = len(self.text)
        return MappedText(self.text, np.repeat(self.starts[:1], number), np.repeat(self.ends[-1:], number))

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
        self._length = 0
        self._coded: list[int] = []
        self._fields: list[Span] = []

    def add(self, words: str) -> None:
        """Add words that the original does not have at this place."""
        nowhere = np.full(len(words), NOWHERE, np.int32)
        self._append(words, nowhere, nowhere, nowhere)

    def cell(self, content: MappedText, label: str | None = None, *, is_coded: bool = False) -> None:
        """Add a cell: no span contains characters of two cells.

        ``label`` is that of an identifier which the cell holds by its place; ``is_coded`` is a cell that holds a code
        of a table by its place, and so no name.
        """
        if label and content.text:
            self._fields.append(Span(self._length, self._length + len(content.text), label))
        if is_coded:
            self._coded.append(self._cell)
        self._append(content.text, content.starts, content.ends, np.full(len(content.text), self._cell, np.int32))
        self._cell += 1

    def record(self) -> "TextRecord":
        """Return the record."""
        starts, ends, cells = (_joined(arrays) for arrays in (self._starts, self._ends, self._cells))
        return TextRecord("".join(self._texts), starts, ends, cells, frozenset(self._coded), tuple(self._fields))

    def _append(self, text: str, starts: Int32s, ends: Int32s, cells: Int32s) -> None:
        self._texts.append(text)
        self._starts.append(starts)
        self._ends.append(ends)
        self._cells.append(cells)
        self._length += len(text)


class TextRecord(NamedTuple):
    """A part of a text that is read separately: a row, an object, a segment of HL7, or prose between them."""

    text: str
    starts: Int32s
    ends: Int32s
    cells: Int32s
    """The number of each character's cell; ``NOWHERE`` for characters that were added."""
    coded: frozenset[int] = frozenset()
    """The cells that hold codes of tables by their place."""
    fields: tuple[Span, ...] = ()
    """The identifiers in the record's text that a key or a type declares."""

    def original(self, span: Span, *, reads_codes: bool = True) -> Iterator[Span]:
        """Yield the places of a span in the original, one for each cell that it touches, without what was added."""
        cells = self.cells[span.start : span.end]
        if not len(cells):
            return
        borders = np.flatnonzero(np.diff(cells)) + 1
        for start, end in zip((0, *borders), (*borders, len(cells)), strict=True):
            first, last = self._trimmed(span.start + int(start), span.start + int(end))
            if first <= last and cells[start] != NOWHERE and (reads_codes or int(cells[start]) not in self.coded):
                yield span._replace(start=int(self.starts[first]), end=int(self.ends[last]))

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last character of a piece that are not spaces."""
        piece = self.text[start:end]
        return end - len(piece.lstrip()), start + len(piece.rstrip()) - 1


def _joined(arrays: list[Int32s]) -> Int32s:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)
