"""Operators: vectors of one's own corpus, which stay private."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.errors import CorpusError
from spark_deid.representation.embeddings.building import build_private
from spark_deid.representation.embeddings.store import EmbeddingStore
from spark_deid.representation.embeddings.vector_blocks import ROWS, VectorBlock
from spark_deid.representation.word_tokens import words_of

_TOKENIZED = "person string, words array<string>"


class VectorSettings(NamedTuple):
    """How vectors are learned: their size, in how many documents' words a word must stand, passes, and the seed."""

    dimensions: int = 100
    min_count: int = 5
    passes: int = 5
    seed: int = 0


def learn_vectors(documents: DataFrame, folder: str, settings: VectorSettings, *, k: int) -> EmbeddingStore:
    """Learn word2vec's skip-gram vectors of documents with Spark ML, and write a private store of them.

    Words stand in it in clear that k persons share (documents, where the input names no person); hashes under a key of
    the store alone tell others. Raises CorpusError where no word is frequent enough. Runs some actions.
    """
    from pyspark.ml.feature import Word2Vec

    tokenized = _tokenized(documents).cache()
    try:
        learner = Word2Vec(
            vectorSize=settings.dimensions,
            minCount=settings.min_count,
            maxIter=settings.passes,
            seed=settings.seed,
            numPartitions=1,
            inputCol="words",
            outputCol="unused",
        )
        if (
            tokenized.select(F.explode("words").alias("word"))
            .groupBy("word")
            .count()
            .where(F.col("count") >= settings.min_count)
            .isEmpty()
        ):
            raise CorpusError(f"no word occurs {settings.min_count} times: lower --min-count, or give more text")
        vectors = learner.fit(tokenized).getVectors()
        shared = frozenset(row[0] for row in shared_words(tokenized, k).collect())
        return build_private(_blocks(vectors), folder, "word2vec of a corpus", shared.__contains__, k)
    finally:
        tokenized.unpersist()


def shared_words(tokenized: DataFrame, k: int) -> DataFrame:
    """Return the words (column ``word``) that k persons or more have; of rows of ``person`` and ``words``."""
    pairs = tokenized.select("person", F.explode("words").alias("word")).distinct()
    return pairs.groupBy("word").count().where(F.col("count") >= k).select("word")


def _tokenized(documents: DataFrame) -> DataFrame:
    person = F.coalesce(F.concat(F.lit("s"), "subject_id"), F.concat(F.lit("d"), "doc_id"))
    return documents.select(person.alias("person"), "text").mapInArrow(_tokenize, _TOKENIZED)


def _tokenize(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        words = pa.array([words_of(text) for text in batch.column("text").to_pylist()], pa.list_(pa.string()))
        yield pa.RecordBatch.from_arrays([batch.column("person"), words], names=["person", "words"])


def _blocks(vectors: DataFrame) -> Iterator[VectorBlock]:
    """Yield vectors in the order of words, so that equal ones give equal stores."""
    rows: list[tuple[str, np.ndarray]] = []
    for row in vectors.orderBy("word").toLocalIterator():
        rows.append((row["word"], row["vector"].toArray().astype(np.float32)))
        if len(rows) == ROWS:
            yield _block(rows)
            rows = []
    if rows:
        yield _block(rows)


def _block(rows: list[tuple[str, np.ndarray]]) -> VectorBlock:
    return VectorBlock(tuple(word for word, _ in rows), np.stack([vector for _, vector in rows]))
