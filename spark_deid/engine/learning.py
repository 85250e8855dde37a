"""Models that an engine learns."""

from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame

from spark_deid.core.errors import UsageError
from spark_deid.engine.engines import is_classic


def word2vec(
    rows: DataFrame, dimensions: int, *, least: int, passes: int, seed: int
) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield the words that occur ``least`` times in the lists ``words``, in order, with their vectors, by Spark ML."""
    if not is_classic(rows.sparkSession):
        raise UsageError("--own word2vec: Spark ML learns these vectors; set engine: spark, or choose fasttext")
    from pyspark.ml.feature import Word2Vec

    learner = Word2Vec(
        vectorSize=dimensions,
        minCount=least,
        maxIter=passes,
        seed=seed,
        numPartitions=1,
        inputCol="words",
        outputCol="unused",
    )
    for row in learner.fit(rows).getVectors().orderBy("word").toLocalIterator():
        yield row["word"], row["vector"].toArray()
