"""Vectors as word2vec's binary files have them: a line of two counts, then words and four bytes a number."""

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

_LONGEST_WORD = 4096


def read_word2vec(stream: BinaryIO) -> Iterator[VectorBlock]:
    """Read word2vec's binary format (Mikolov et al. 2013), little-endian; raises VectorFileError."""
    header = stream.readline(256).split()
    if len(header) != 2 or not all(field.isdigit() for field in header):
        raise VectorFileError("line 1", "expected the number of words and of dimensions")
    words, dimensions = map(int, header)
    check_dimensions(dimensions, "line 1")
    yield from blocks_of(_rows(stream, words, dimensions), dimensions)
    if stream.read(1).strip():
        raise VectorFileError("line 1", f"expected {words} words as it says, there are more")


def _rows(stream: BinaryIO, words: int, dimensions: int) -> Iterator[tuple[str, Float32s, str]]:
    for number in range(1, words + 1):
        place = f"vector {number}"
        word = _word(stream, place)
        raw = stream.read(4 * dimensions)
        if len(raw) < 4 * dimensions:
            raise VectorFileError(place, f"expected {dimensions} numbers of four bytes, the file ends before")
        yield word, np.frombuffer(raw, "<f4"), place


def _word(stream: BinaryIO, place: str) -> str:
    """Read up to the space after a word; a line break may stand before it."""
    encoded = bytearray()
    while (byte := stream.read(1)) != b" ":
        if not byte:
            raise VectorFileError(place, "expected a word and its numbers, the file ends before")
        if byte != b"\n" or encoded:
            encoded += byte
        if len(encoded) > _LONGEST_WORD:
            raise VectorFileError(place, f"expected a word of at most {_LONGEST_WORD} bytes")
    return word_of(bytes(encoded), place)
