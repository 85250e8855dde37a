"""Build a store of vectors, block by block, in one pass."""

import json
import os
import shutil
from array import array
from collections.abc import Callable, Iterable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

import numpy as np
import regex

from spark_deid.core.hashing import file_sha256, random_key, write_key
from spark_deid.private_training.embeddings.formats import READERS, format_of
from spark_deid.private_training.embeddings.store import (
    ABOUT,
    DIGESTS,
    EXTENT,
    KEY,
    NORMS,
    ROWS,
    STARTS,
    VECTORS,
    WORDS,
    EmbeddingStore,
    StoreAbout,
    digest_of,
    open_store,
)
from spark_deid.private_training.embeddings.vector_blocks import EmbeddingsError, VectorBlock, open_vectors
from spark_deid.storage.files import is_remote, local_path

LETTERS = regex.compile(r"[\p{L}\p{M}]+")
"""Words that may be pseudonyms: of letters only, so that they are one token everywhere they occur."""


def all_clear(word: str) -> bool:
    """Keep every word in clear, as public vectors are."""
    return True


def build_from_file(source: str, folder: str, format: str | None = None) -> EmbeddingStore:
    """Read a file of vectors, of a format of READERS, and write a store of it to a new folder.

    Takes memory for a block of vectors and some 40 bytes a word. Raises EmbeddingsError, which names the file and line.
    """
    kind = format or format_of(source)
    with open_vectors(source) as stream, StoreWriter(folder) as writer:
        for block in READERS[kind](stream):
            writer.add(block)
        digest = "" if is_remote(source) else file_sha256(Path(local_path(source)))
        return writer.close(kind, digest)


def build_private(
    blocks: Iterable[VectorBlock], folder: str, kind: str, is_shared: Callable[[str], bool], k: int
) -> EmbeddingStore:
    """Write a store of vectors of a private corpus: for its owner only, words in clear that ``k`` people share.

    Others are found by hashes under a key that is in the folder.
    """
    with StoreWriter(folder, key=random_key(), in_clear=is_shared, k=k) as writer:
        for block in blocks:
            writer.add(block)
        return writer.close(kind, "")


class StoreWriter:
    """Write a store into a folder that no one sees before it is whole; what is torn is removed.

    With a ``key`` the store is private: words follow keyed hashes, and are in clear only that are ``in_clear``.
    """

    def __init__(
        self, folder: str, *, key: bytes = b"", in_clear: Callable[[str], bool] = all_clear, k: int = 0
    ) -> None:
        self._folder = Path(local_path(folder))
        self._partial = self._folder.with_name(f".{self._folder.name}.{uuid4().hex[:8]}")
        self._key, self._in_clear, self._k = key, in_clear, k
        self._starts, self._digests, self._extents = array("q", [0]), array("Q"), array("q")
        self._norms: list[Any] = []
        self._dimensions = 0

    def __enter__(self) -> "StoreWriter":
        if self._folder.exists():
            raise EmbeddingsError(f"{self._folder}: folder already exists. Choose a new name")
        try:
            self._partial.mkdir(mode=0o700, parents=True)
            self._vectors = (self._partial / VECTORS).open("wb")
            self._words = (self._partial / WORDS).open("wb")
        except OSError as error:
            raise EmbeddingsError(f"{self._folder}: can't be written to ({error.strerror})") from None
        return self

    def add(self, block: VectorBlock) -> None:
        """Add words and their vectors."""
        self._dimensions = block.vectors.shape[1]
        self._vectors.write(np.ascontiguousarray(block.vectors, "<f4").tobytes())
        self._norms.append(np.linalg.norm(block.vectors, axis=1).astype(np.float32))
        for word in block.words:
            written = word.encode("utf-8", "surrogatepass") if self._in_clear(word) else b""
            self._words.write(written)
            self._starts.append(self._starts[-1] + len(written))
            self._digests.append(digest_of(word, self._key))
            self._extents.append(len(word) if written and LETTERS.fullmatch(word) else 0)

    def close(self, kind: str, source_sha256: str) -> EmbeddingStore:
        """Write what words are found by, and let the folder be seen."""
        if not len(self._digests):
            raise EmbeddingsError(f"{self._folder}: there are no vectors to store")
        self._vectors.close()
        self._words.close()
        digests = np.frombuffer(self._digests, np.uint64)
        unique, firsts = np.unique(digests, return_index=True)
        extents = np.zeros(len(digests), np.int64)
        extents[firsts] = np.frombuffer(self._extents, np.int64)[firsts]
        arrays = {STARTS: np.frombuffer(self._starts, np.int64), DIGESTS: unique, ROWS: firsts.astype(np.int64)}
        for name, values in (arrays | {NORMS: np.concatenate(self._norms), EXTENT: extents}).items():
            np.save(self._partial / name, values, allow_pickle=False)
        about = StoreAbout(
            words=len(digests),
            dimensions=self._dimensions,
            kind=kind,
            source_sha256=source_sha256 or self._content(),
            duplicates=len(digests) - len(unique),
            private=bool(self._key),
            k=self._k,
        )
        (self._partial / ABOUT).write_text(json.dumps(asdict(about), indent=2) + "\n", encoding="utf-8")
        if self._key:
            write_key(self._partial / KEY, self._key)
        else:
            self._partial.chmod(0o755)
        os.rename(self._partial, self._folder)
        return open_store(str(self._folder))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._vectors.close()
        self._words.close()
        shutil.rmtree(self._partial, ignore_errors=True)

    def _content(self) -> str:
        """Return a digest of the vectors and of the words that are told, where there is no file that they are from."""
        files = (VECTORS, STARTS, WORDS)
        results = [*(file_sha256(self._partial / name) for name in files), str(self._k)]
        return sha256("\n".join(results).encode()).hexdigest()
