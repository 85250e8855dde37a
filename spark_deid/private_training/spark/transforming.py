"""Operators: labelled documents to vectors, and the recount of vectors that were written."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.labels import plain_label
from spark_deid.core.span import Span
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tables import read_parts
from spark_deid.private_training.network.transforming import TransformSource, transform_text
from spark_deid.storage.parts import PartFile

VECTOR_SENTENCES = pa.schema(
    [("vectors", pa.list_(pa.float32())), ("casings", pa.list_(pa.int8())), ("tags", pa.list_(pa.string()))]
)
"""Transformed sentences: the vectors of all tokens one after the other, a casing and a tag of each token."""
_PLACED = pa.schema([("place", pa.string()), *VECTOR_SENTENCES])
_CASINGS = 7


class VectorCounts(NamedTuple):
    """Rows and tokens of a table of vectors, and rows that must not be.

    ``uneven`` have not one vector and one tag per token, ``foreign`` unknown tags or casings, ``broken`` values
    that are not numbers; ``repeated`` have vectors that another row has as well, as without noise.
    """

    rows: int
    tokens: int
    uneven: int
    foreign: int
    broken: int
    repeated: int

    @property
    def wrong(self) -> int:
        """Return the number of rows that must not be."""
        return self.uneven + self.foreign + self.broken + self.repeated


def transform_documents(annotated: DataFrame, source: TransformSource) -> DataFrame:
    """Return sentences in an order that is drawn by the key: vectors, casings and tags, and nothing else.

    ``annotated`` has ``doc_id``, ``text`` and ``spans``. Runs no action.
    """
    chosen = annotated.select("doc_id", "text", "spans")
    placed = chosen.mapInArrow(partial(_transform, source=source), tables.ddl(_PLACED))
    # By the hash of a keyed hash: a total order would transform everything twice, to find out borders.
    return sort_partitions(placed.repartition("place"), "place").select(*VECTOR_SENTENCES.names)


def count_unknown_labels(annotated: DataFrame, labels: Iterable[str]) -> int:
    """Return how many annotations have not one of these labels; one Spark job."""
    known = [F.lit(label) for label in labels]
    each = annotated.select(F.explode("spans.label").alias("label"))
    each = each.select(F.regexp_replace("label", r"[^\p{L}\p{N}_-]", "_").alias("label"))
    return each.where(~F.array_contains(F.array(*known), F.col("label"))).count() if known else each.count()


def count_vectors(spark: SparkSession, parts: Iterable[PartFile], outputs: int, labels: Iterable[str]) -> VectorCounts:
    """Count what was written, by Spark's expressions only; one Spark job."""
    names = F.array(F.lit("O"), *(F.lit(f"{place}-{label}") for label in sorted(labels) for place in "BI"))
    size = F.size("casings")
    uneven = (F.size("vectors") != size * outputs) | (F.size("tags") != size)
    unknown_tag = F.exists("tags", lambda tag: tag.isNull() | ~F.array_contains(names, tag))
    unknown_casing = F.exists("casings", lambda casing: (casing < 0) | (casing >= _CASINGS))
    broken = F.exists("vectors", lambda number: number.isNull() | F.isnan(number) | (F.abs(number) > 1e30))
    rows = read_parts(spark, parts, VECTOR_SENTENCES)
    counted = rows.agg(
        F.count("*"),
        F.coalesce(F.sum(size), F.lit(0)),
        F.count_if(uneven),
        F.count_if(unknown_tag | unknown_casing),
        F.count_if(broken),
        F.count("*") - F.count_distinct(F.xxhash64("vectors")),
    )
    return VectorCounts(*map(int, counted.collect()[0]))


def _transform(incoming: Iterator[pa.RecordBatch], *, source: TransformSource) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for document in batch.to_pylist():
            spans = [Span(each["start"], each["end"], plain_label(each["label"])) for each in document["spans"] or ()]
            found = transform_text(document["doc_id"], document["text"], spans, source)
            rows = [
                (
                    each.place,
                    np.ascontiguousarray(each.vectors).ravel().tolist(),
                    each.casings.tolist(),
                    list(each.tags),
                )
                for each in found
            ]
            yield to_batch(rows, _PLACED)
