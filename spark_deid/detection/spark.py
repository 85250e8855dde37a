"""Operators: pattern detectors, and detectors of installed packages, over a corpus."""

from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import batches
from spark_deid.detection.installed import spans_found
from spark_deid.text.patterns import PatternDetector


def detect_patterns(documents: DataFrame, detector: PatternDetector) -> DataFrame:
    """Find what patterns know, in one pass over each partition; the spans table."""
    function = partial(_detect_batches, detector=detector)
    return documents.select("doc_id", "text").mapInArrow(function, tables.ddl(tables.SPANS))


def detect_installed(documents: DataFrame, name: str) -> DataFrame:
    """Find what the installed detector of this name finds; the spans table, with the name as source.

    Its package must be installed on every worker, where the detector is made once a process.
    """
    function = partial(_installed_batches, name=name)
    return documents.select("doc_id", "text").mapInArrow(function, tables.ddl(tables.SPANS))


def _installed_batches(incoming: Iterator[pa.RecordBatch], *, name: str) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, texts = batch.column("doc_id").to_pylist(), batch.column("text").to_pylist()
        rows = ((doc_id, *span) for doc_id, text in zip(ids, texts, strict=True) for span in spans_found(name, text))
        yield from batches(rows, tables.SPANS)


def _detect_batches(incoming: Iterator[pa.RecordBatch], *, detector: PatternDetector) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, texts = batch.column("doc_id").to_pylist(), batch.column("text").to_pylist()
        rows = ((doc_id, *span) for doc_id, text in zip(ids, texts, strict=True) for span in detector.detect(text))
        yield from batches(rows, tables.SPANS)
