"""What the commands do, as functions."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.corpus.formats import NO_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_deid.corpus.spark.read import Reading


def read_corpus(
    path: str | Path, format: str, *, options: Mapping[str, str] = NO_OPTIONS, spark: "SparkSession | None" = None
) -> "Reading":
    """Read a corpus as DataFrames: ``documents``, ``spans`` (its annotations), ``rejects``; and its ``inventory``.

    The session is the running one, else a new one that stays. Raises CorpusError where nothing is readable.
    """
    from spark_deid.corpus.spark.read import read_corpus as read
    from spark_deid.session import build_session, running_session

    return read(spark or running_session() or build_session(), str(path), format, options=options)
