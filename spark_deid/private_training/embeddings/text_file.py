"""Vectors as text, a word a line: GloVe's files, and FastText's ``.vec``, which begin with a line of two counts."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import (
    Float32s,
    VectorBlock,
    VectorFileError,
    blocks_of,
    check_dimensions,
    word_of,
)

_LONGEST_LINE = 1 << 20


def read_glove(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read GloVe's text (Pennington et al. 2014): a word, then its numbers; the first line says how many.

    Words may hold spaces, as those of GloVe's 840B file do. A line's last numbers are its vector.
    Raises VectorFileError.
    """
    first = stream.readline(_LONGEST_LINE)
    if not first:
        raise VectorFileError("line 1", "expected a word and its numbers, the file is empty")
    dimensions = _numbers_at_the_end(first)
    check_dimensions(dimensions, "line 1")
    yield from blocks_of(_rows(_lines(stream, first, 1), dimensions), dimensions)


def read_fasttext(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read FastText's ``.vec`` (Bojanowski et al. 2017): a line of two counts, words and dimensions, then as GloVe's.

    Raises VectorFileError, also where there are not as many words as the first line says.
    """
    header = stream.readline(_LONGEST_LINE).split()
    if len(header) != 2 or not all(field.isdigit() for field in header):
        raise VectorFileError("line 1", "expected the number of words and of dimensions")
    words, dimensions = map(int, header)
    check_dimensions(dimensions, "line 1")
    found = 0
    for block in blocks_of(_rows(_lines(stream, b"", 1), dimensions), dimensions):
        found += len(block.words)
        yield block
    if found != words:
        raise VectorFileError("line 1", f"expected {words} words as it says, found {found}")


def _lines(stream: BinaryIO, first: bytes, number: int) -> Iterator[tuple[bytes, int]]:
    if first:
        yield first, number
    while line := stream.readline(_LONGEST_LINE):
        number += 1
        yield line, number


def _rows(lines: Iterator[tuple[bytes, int]], dimensions: int) -> Iterator[tuple[str, Float32s, str]]:
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
