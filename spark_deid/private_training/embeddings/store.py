"""A store of vectors: arrays of one folder that are mapped into memory, so that workers share them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import read_key
from spark_deid.core.numerics.arrays import Bools, Int64s, UInt64s
from spark_deid.private_training.embeddings.vector_blocks import EmbeddingsError, Float32s
from spark_deid.text.base_letters import base_letters

ABOUT, VECTORS, WORDS, KEY = "about.json", "vectors.f32", "words.utf8", "words.key"
STARTS, DIGESTS, ROWS, NORMS, EXTENT = "starts.npy", "digests.npy", "rows.npy", "norms.npy", "extent.npy"
VERSION = 1
Number = TypeVar("Number", bound=np.generic)
ABSENT = -1
"""The row of a word that has no vector."""


@dataclass(frozen=True)
class StoreAbout:
    """Facts about a store: counts, where its vectors are from, and whether its words are private.

    Of a private store words are kept in clear that ``k`` people share; others are keyed hashes.
    """

    words: int
    dimensions: int
    kind: str
    source_sha256: str
    duplicates: int = 0
    private: bool = False
    k: int = 0
    version: int = VERSION

    @classmethod
    def read(cls, folder: Path) -> "StoreAbout":
        """Read what is stated about a store; raises EmbeddingsError."""
        try:
            return cls(**json.loads((folder / ABOUT).read_bytes()))
        except (OSError, ValueError, TypeError):
            raise EmbeddingsError(
                f"{folder}: no store of vectors here. Build one with `spark-deid representation embeddings "
                f"FILE {folder}`"
            ) from None


def digest_of(word: str, key: bytes) -> int:
    """Return what a word is found by: 64 bits, keyed where the store is private."""
    return int.from_bytes(_digest(word, key), "little")


def digests_of(words: Sequence[str], key: bytes) -> UInt64s:
    """Return what ``digest_of`` does of each word; many together take less time."""
    return np.frombuffer(b"".join([_digest(word, key) for word in words]), "<u8").astype(np.uint64)


def _digest(word: str, key: bytes) -> bytes:
    return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()


@dataclass(frozen=True, eq=False)
class EmbeddingStore:
    """Vectors by word. Rows are numbered in the file's order; of a word that it had twice the first counts."""

    folder: Path
    about: StoreAbout

    def __reduce__(self) -> tuple[Any, ...]:
        return open_store, (str(self.folder),)

    @cached_property
    def vectors(self) -> Float32s:
        """Return all vectors, a row a word."""
        shape = (self.about.words, self.about.dimensions)
        return np.memmap(self.folder / VECTORS, np.float32, "r", shape=shape)

    @cached_property
    def norms(self) -> Float32s:
        """Return the length of each vector."""
        return self._array(NORMS, np.float32)

    @cached_property
    def extents(self) -> Int64s:
        """Return the letters of each word that may be a pseudonym: 0 where it is no run of letters, or not in clear."""
        return self._array(EXTENT, np.int64)

    def word(self, row: int) -> str:
        """Return the word of a row; empty where it is not kept in clear."""
        return str(self._words[self._borders[row] : self._borders[row + 1]], "utf-8")

    def find(self, words: Sequence[str]) -> Int64s:
        """Return the row of each word as it is written, ABSENT if it is missing."""
        if not words or not self.about.words:
            return np.full(len(words), ABSENT, np.int64)
        wanted = digests_of(words, self._key)
        places = np.minimum(np.searchsorted(self._digests, wanted), len(self._digests) - 1)
        rows = np.where(self._digests[places] == wanted, self._rows[places], ABSENT)
        if not self.about.private:  # two words in some billions of billions share a digest
            wrong = [number for number, row in enumerate(rows.tolist()) if row >= 0 and self.word(row) != words[number]]
            rows[wrong] = ABSENT
        return rows

    def resolve(self, words: Sequence[str]) -> Int64s:
        """Return the row of each word: as it is written, else in lowercase, else by its base letters.

        >>> [form for form in spellings("Müller")]
        ['Müller', 'müller', 'muller']
        """
        rows = np.full(len(words), ABSENT, np.int64)
        for spelling in range(_SPELLINGS):
            lacking = np.flatnonzero(rows == ABSENT)
            rows[lacking] = self.find([spellings(words[number])[spelling] for number in lacking.tolist()])
        return rows

    def eligible(self) -> Bools:
        """Return for each row whether its word may be a pseudonym: letters, in clear, of a vector that is not 0."""
        return np.asarray((self.extents > 0) & (self.norms > 0))

    @cached_property
    def _words(self) -> memoryview:
        """Map the words: slices of plain memory are ten times as fast as those of arrays."""
        return np.memmap(self.folder / WORDS, np.uint8, "r").data if self._starts[-1] else memoryview(b"")

    @cached_property
    def _starts(self) -> Int64s:
        return self._array(STARTS, np.int64)

    @cached_property
    def _borders(self) -> memoryview:
        """Return where words begin, as plain numbers, which arrays take longer to give."""
        return np.ascontiguousarray(self._starts).data

    @cached_property
    def _digests(self) -> UInt64s:
        return self._array(DIGESTS, np.uint64)

    @cached_property
    def _rows(self) -> Int64s:
        return self._array(ROWS, np.int64)

    @cached_property
    def _key(self) -> bytes:
        return read_key(self.folder / KEY) if self.about.private else b""

    def _array(self, name: str, kind: type[Number]) -> NDArray[Number]:
        try:
            return np.asarray(np.load(self.folder / name, mmap_mode="r", allow_pickle=False), kind)
        except (OSError, ValueError) as error:
            raise EmbeddingsError(f"{self.folder}/{name}: can't be read ({type(error).__name__})") from None


def spellings(word: str) -> tuple[str, str, str]:
    """Return the forms that a word is looked up by, in order."""
    small = word.lower()
    return word, small, base_letters(small)


_SPELLINGS = 3


@lru_cache(maxsize=4)
def open_store(folder: str) -> EmbeddingStore:
    """Open a store, once a process; raises EmbeddingsError where it is none, or torn."""
    place = Path(folder)
    about = StoreAbout.read(place)
    if about.version != VERSION:
        raise UsageError(f"{folder}: a store of version {about.version}, expected {VERSION}. Build it again")
    store = EmbeddingStore(place, about)
    expected = about.words * about.dimensions * 4
    if not about.words or (place / VECTORS).stat().st_size != expected:
        raise EmbeddingsError(f"{folder}/{VECTORS}: expected {expected} bytes. Build the store again")
    return store
