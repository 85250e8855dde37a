"""Characters with their places in the original text, and the records that they form."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.core.span import Finder, Span

NOWHERE = -1
"""The place of a character that a record adds: keys before values, and line breaks between them."""


SpanRefiner = Callable[[str, Sequence[Span]], Iterable[Span]]
"""A function that gets a text with the spans that a detector found in it, and returns the spans that remain."""
LONGEST_REFINED = 80
"""Cells with at most this number of characters are refined also if nothing was found in them."""


class MappedText(NamedTuple):
    """A text whose character i is written from ``starts[i]`` to ``ends[i]`` in the original.

    Without these arrays, it is the part of the original that begins at ``place``.
    """

    text: str
    place: int = 0
    starts: Int32s | None = None
    ends: Int32s | None = None

    def piece(self, start: int, end: int) -> "MappedText":
        """Return the characters from ``start`` to ``end``."""
        if self.starts is None or self.ends is None:
            return MappedText(self.text[start:end], self.place + start)
        return MappedText(self.text[start:end], self.place, self.starts[start:end], self.ends[start:end])

    def places(self) -> tuple[Int32s, Int32s]:
        """Return where each character starts and ends in the original."""
        if self.starts is None or self.ends is None:
            found = np.arange(self.place, self.place + len(self.text) + 1, dtype=np.int32)
            return found[:-1], found[1:]
        return self.starts, self.ends

    def as_one(self) -> "MappedText":
        """Return the text with the whole of it as the place of each character: it is replaced whole."""
        starts, ends = self.places()
        number = len(self.text)
        return self._replace(starts=np.repeat(starts[:1], number), ends=np.repeat(ends[-1:], number))


class TextRecords(NamedTuple):
    """The records of a text. Each is read separately: a row, an object, a segment of HL7, or prose between them.

    The arrays have an element for each character of all records, one record after the other.
    """

    texts: tuple[str, ...]
    firsts: tuple[int, ...]
    """The number of characters before each record, and of all records."""
    starts: Int32s
    ends: Int32s
    cells: Int32s
    """The number of each character's cell; ``NOWHERE`` for characters that were added."""
    coded: frozenset[int]
    """The cells that hold codes of tables by their place."""
    fields: tuple[Span, ...]
    """The identifiers that a key or a type declares, with offsets in all records."""
    places: tuple[tuple[int, int], ...]
    """Where each cell starts and ends in all records."""

    def refined(self, spans: Iterable[Span], refine: SpanRefiner) -> Iterator[Span]:
        """Yield spans as a function returns them that gets the text of each cell with the spans in it."""
        starts = [start for start, _ in self.places]
        by_cell: dict[int, list[Span]] = {}
        for span in spans:
            number = max(0, bisect_right(starts, span.start) - 1)
            while number < len(starts) and starts[number] < span.end:
                start, end = self.places[number]
                cut = span._replace(start=max(start, span.start) - start, end=min(end, span.end) - start)
                if cut.start < cut.end:
                    by_cell.setdefault(number, []).append(cut)
                number += 1
        for number, (start, end) in enumerate(self.places):
            own = by_cell.get(number, [])
            if number not in self.coded and (own or 0 < end - start <= LONGEST_REFINED):
                for span in refine(self._piece(start, end), own):
                    yield span._replace(start=start + span.start, end=start + span.end)

    def find(self, find: Finder) -> Iterator[Span]:
        """Yield the spans that a detector finds in each record, with offsets in all records."""
        for first, text in zip(self.firsts, self.texts, strict=False):
            for span in find(text):
                yield span._replace(start=first + span.start, end=first + span.end)

    def find_joined(self, find: Finder, border: str) -> Iterator[Span]:
        """Yield the spans that a detector finds in one text of all records, with a border around each of them."""
        lengths = (len(border) + len(text) for text in self.texts)
        begins = [place + len(border) for place in accumulate(lengths, initial=0)]
        for span in find(f"{border}{border.join(self.texts)}{border}"):
            number = bisect_right(begins, span.start) - 1
            shift = self.firsts[number] - begins[number]
            if number >= 0 and span.start + shift < self.firsts[number + 1]:
                yield span._replace(start=span.start + shift, end=min(span.end + shift, self.firsts[number + 1]))

    def original(self, span: Span, *, reads_codes: bool = True) -> Iterator[Span]:
        """Yield the places of a span in the original, one for each cell that it touches, without added characters."""
        cells = self.cells[span.start : span.end]
        borders = np.flatnonzero(cells[1:] != cells[:-1]) + 1 if len(cells) else ()
        for start, end in zip((0, *borders), (*borders, len(cells)), strict=True):
            if start == end or cells[start] == NOWHERE or (not reads_codes and int(cells[start]) in self.coded):
                continue
            first, last = self._trimmed(span.start + int(start), span.start + int(end))
            if first <= last:
                yield span._replace(start=int(self.starts[first]), end=int(self.ends[last]))

    def _piece(self, start: int, end: int) -> str:
        """Return a part of a record that is not empty."""
        number = bisect_right(self.firsts, start) - 1
        first = self.firsts[number]
        return self.texts[number][start - first : end - first]

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last character of a part of a record that are not spaces."""
        piece = self._piece(start, end)
        return end - len(piece.lstrip()), start + len(piece.rstrip()) - 1


class RecordBuilder:
    """Write records: cells of the original, and words that are added between them."""

    def __init__(self) -> None:
        """Begin without records."""
        self._texts: list[str] = []
        self._written: list[str] = []
        self._pieces: list[tuple[int, MappedText]] = []
        self._firsts = [0]
        self._length = 0
        self._coded: list[int] = []
        self._fields: list[Span] = []

    def add(self, words: str) -> None:
        """Add words that the original does not have at this place."""
        self._written.append(words)
        self._length += len(words)

    def cell(self, content: MappedText, label: str | None = None, *, is_coded: bool = False) -> None:
        """Add a cell: no span contains characters of two cells.

        ``label`` is that of an identifier which the cell holds by its place; ``is_coded`` is a cell that holds a code
        of a table by its place, and so no name.
        """
        size = len(content.text)
        if label and size:
            self._fields.append(Span(self._length, self._length + size, label))
        if is_coded:
            self._coded.append(len(self._pieces))
        self._pieces.append((self._length, content))
        self._written.append(content.text)
        self._length += size

    def end_record(self) -> None:
        """End a record."""
        self._texts.append("".join(self._written))
        self._written.clear()
        self._firsts.append(self._length)

    def records(self) -> TextRecords:
        """Return the records."""
        starts, ends, cells = (np.full(self._length, NOWHERE, np.int32) for _ in range(3))
        for number, (place, content) in enumerate(self._pieces):
            part = slice(place, place + len(content.text))
            starts[part], ends[part] = content.places()
            cells[part] = number
        return TextRecords(
            tuple(self._texts),
            tuple(self._firsts),
            starts,
            ends,
            cells,
            frozenset(self._coded),
            tuple(self._fields),
            tuple((place, place + len(content.text)) for place, content in self._pieces),
        )
