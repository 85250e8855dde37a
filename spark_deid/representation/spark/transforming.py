"""Operators: labelled documents to vectors, and vectors of several institutions to sentences to train on."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.labels import plain_label
from spark_deid.core.span import Span
from spark_deid.representation.network.transforming import TransformSource, transform_text

PLACED_SENTENCES = pa.schema(
    [
        ("place", pa.string()),
        ("vectors", pa.list_(pa.float32())),
        ("casings", pa.list_(pa.int8())),
        ("tags", pa.list_(pa.string())),
    ]
)
"""Transformed sentences: the vectors of all tokens one after the other, a casing and a tag of each token."""


def transform_documents(annotated: DataFrame, source: TransformSource) -> DataFrame:
    """Return sentences in an order that is drawn by the key: vectors, casings and tags, and nothing else.

    ``annotated`` has ``doc_id``, ``text`` and ``spans``. Runs no action.
    """
    chosen = annotated.select("doc_id", "text", "spans")
    placed = chosen.mapInArrow(partial(_transform, source=source), tables.ddl(PLACED_SENTENCES))
    return placed.orderBy("place").select(*(F.col(name) for name in PLACED_SENTENCES.names[1:]))


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
            yield to_batch(rows, PLACED_SENTENCES)
