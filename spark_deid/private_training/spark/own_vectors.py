"""Operators: vectors of a user's own corpus, which remain private."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core.errors import CorpusError
from spark_deid.engine import functions as F
from spark_deid.engine.keeping import kept_tables
from spark_deid.engine.learning import word2vec
from spark_deid.private_training.embeddings.building import build_private
from spark_deid.private_training.embeddings.store import EmbeddingStore
from spark_deid.private_training.embeddings.subword_vectors import learn_subword_vectors
from spark_deid.private_training.embeddings.vector_blocks import ROWS, Float32s, VectorBlock
from spark_deid.private_training.word_tokens import words_of

_TOKENIZED = "person string, words array<string>"


class VectorSettings(NamedTuple):
    """How vectors are learned: their size, how often a word must occur, passes, the seed, and the method.

    ``word2vec`` gives the words that are frequent enough vectors, ``fasttext`` others as well, that have parts of
    these.
    """

    dimensions: int = 100
    min_count: int = 5
    passes: int = 5
    seed: int = 0
    method: Literal["word2vec", "fasttext"] = "word2vec"


def learn_vectors(documents: DataFrame, folder: str, settings: VectorSettings, *, k: int) -> EmbeddingStore:
    """Learn skip-gram vectors of documents, and write a private store of them.

    Those of word2vec are learned with Spark ML, those of FastText in this process, which words are sent to.
    Words are in it in clear that k people share (documents, where the input names no person); hashes under a key of
    the store only show others. Raises CorpusError where no word is frequent enough. Runs some actions.
    """
    with kept_tables() as keep:
        tokenized = keep(_tokenized(documents))
        if (
            tokenized.select(F.explode("words").alias("word"))
            .groupBy("word")
            .count()
            .where(F.col("count") >= settings.min_count)
            .isEmpty()
        ):
            raise CorpusError(f"no word occurs {settings.min_count} times. Lower --min-count, or add more text")
        shared = frozenset(row[0] for row in shared_words(tokenized, k).collect())
        if settings.method == "fasttext":
            vectors = _by_parts(tokenized, Path(folder).absolute().parent, settings)
        else:
            vectors = _by_words(tokenized, settings)
        return build_private(_blocks(vectors), folder, f"{settings.method} of a corpus", shared.__contains__, k)


def _by_words(tokenized: DataFrame, settings: VectorSettings) -> Iterator[tuple[str, Float32s]]:
    """Yield words and word2vec's vectors in the order of words, so that equal ones give equal stores."""
    for word, vector in word2vec(
        tokenized, settings.dimensions, least=settings.min_count, passes=settings.passes, seed=settings.seed
    ):
        yield word, np.asarray(vector, np.float32)


def _by_parts(tokenized: DataFrame, place: Path, settings: VectorSettings) -> Iterator[tuple[str, Float32s]]:
    """Yield words and FastText's vectors, in the order of words; documents are learned in one that the seed draws.

    Rare words without a part of those that are learned have none.
    """
    place.mkdir(parents=True, exist_ok=True)
    seed = settings.seed.to_bytes(8, "little")
    documents = [row["words"] for row in tokenized.select("words").toLocalIterator() if row["words"]]
    documents.sort(key=lambda words: blake2b(" ".join(words).encode(), key=seed).digest())
    vector_of = learn_subword_vectors(
        documents, place, dimensions=settings.dimensions, min_count=settings.min_count, passes=settings.passes
    )
    for word in sorted(set(chain.from_iterable(documents))):
        vector = vector_of(word)
        if vector is not None:
            yield word, vector


def shared_words(tokenized: DataFrame, k: int) -> DataFrame:
    """Return the words (column ``word``) that k people or more have; of rows of ``person`` and ``words``."""
    pairs = tokenized.select("person", F.explode("words").alias("word")).distinct()
    return pairs.groupBy("word").count().where(F.col("count") >= k).select("word")


def _tokenized(documents: DataFrame) -> DataFrame:
    person = F.coalesce(F.concat(F.lit("s"), "subject_id"), F.concat(F.lit("d"), "doc_id"))
    return documents.select(person.alias("person"), "text").mapInArrow(_tokenize, _TOKENIZED)


def _tokenize(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        words = pa.array([words_of(text) for text in batch.column("text").to_pylist()], pa.list_(pa.string()))
        yield pa.RecordBatch.from_arrays([batch.column("person"), words], names=["person", "words"])


def _blocks(vectors: Iterable[tuple[str, Float32s]]) -> Iterator[VectorBlock]:
    rows = iter(vectors)
    while block := list(islice(rows, ROWS)):
        yield VectorBlock(tuple(word for word, _ in block), np.stack([vector for _, vector in block]))
