"""What readers of vector files give, and what is wrong with such files."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.errors import SparkDeidError
from spark_deid.storage.files import open_file

Float32s = NDArray[np.float32]
ROWS = 4096
"""Vectors that are held at a time while a file is read."""
MOST_DIMENSIONS = 4096


class EmbeddingsError(SparkDeidError):
    """A file of vectors, or a store of them, that can't be read: the message names file, place and what was expected.

    Words of vectors of one's own corpus may be names: none is quoted.
    """


class VectorBlock(NamedTuple):
    """Some words of a file, in its order, and their vectors, a row each."""

    words: tuple[str, ...]
    vectors: Float32s


class VectorFileError(Exception):
    """What is wrong at a place of a file: ``line 7`` or ``vector 7``."""

    def __init__(self, place: str, expected: str) -> None:
        super().__init__(f"{place}: {expected}")


@contextmanager
def open_vectors(path: str) -> Iterator[BinaryIO]:
    """Open a file of vectors, unpacking ``.gz``; what is wrong with it becomes an EmbeddingsError that names it."""
    try:
        with open_file(path) as raw:
            if not path.endswith(".gz"):
                yield raw
                return
            with gzip.open(raw) as unpacked:
                yield cast(BinaryIO, unpacked)
    except VectorFileError as fault:
        raise EmbeddingsError(f"{path}: {fault}") from None
    except (OSError, EOFError) as error:
        what = getattr(error, "strerror", None) or type(error).__name__
        raise EmbeddingsError(f"{path}: can't be read ({what}); expected a whole file of vectors") from None


def blocks_of(rows: Iterable[tuple[str, Sequence[float] | Float32s, str]], dimensions: int) -> Iterator[VectorBlock]:
    """Gather rows of word, vector and place; every vector must have that many finite numbers."""
    words: list[str] = []
    vectors: list[Float32s] = []
    for word, vector, place in rows:
        row = np.asarray(vector, np.float32)
        if len(row) != dimensions:
            raise VectorFileError(place, f"expected {dimensions} numbers, found {len(row)}")
        if not np.isfinite(row).all():
            raise VectorFileError(place, "expected finite numbers")
        words.append(word)
        vectors.append(row)
        if len(words) == ROWS:
            yield VectorBlock(tuple(words), np.stack(vectors))
            words, vectors = [], []
    if words:
        yield VectorBlock(tuple(words), np.stack(vectors))


def check_dimensions(dimensions: int, place: str) -> None:
    """Raise VectorFileError for a number of dimensions that no file of vectors has."""
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise VectorFileError(place, f"expected 1 to {MOST_DIMENSIONS} numbers a word, found {dimensions}")


def word_of(encoded: bytes, place: str) -> str:
    """Return a word of UTF-8 text; raises VectorFileError if it is missing."""
    try:
        word = encoded.decode("utf-8")
    except UnicodeDecodeError:
        raise VectorFileError(place, "expected a word in UTF-8") from None
    if not word or "\0" in word:
        raise VectorFileError(place, "expected a word, found none")
    return word
