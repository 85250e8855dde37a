"""Operator: count the documents that a model was trained on."""

from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.greedy.training_fingerprints import fingerprint_of


def count_seen(documents: DataFrame, seen: frozenset[str], key: bytes) -> int:
    """Count the documents whose texts have one of these fingerprints. Runs one action."""
    counted = documents.select("text").mapInArrow(partial(_count, seen=seen, key=key), "seen long")
    return int(counted.agg(F.coalesce(F.sum("seen"), F.lit(0))).collect()[0][0])


def _count(incoming: Iterator[pa.RecordBatch], *, seen: frozenset[str], key: bytes) -> Iterator[pa.RecordBatch]:
    total = sum(fingerprint_of(text, key) in seen for batch in incoming for text in batch.column("text").to_pylist())
    yield pa.RecordBatch.from_arrays([pa.array([total], pa.int64())], names=["seen"])
