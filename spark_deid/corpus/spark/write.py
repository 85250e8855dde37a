"""Operators: tables to files of a format; workers write them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import spans_of, to_batch
from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.core.tables import SPAN_STRUCT
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.writing import write_part
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import task_numbers
from spark_deid.storage.files import absolute_path, fault_of, holds_files, make_private
from spark_deid.storage.s3 import S3Settings, s3_settings
from spark_deid.storage.spark.records import s3_settings_of

_WRITTEN = pa.schema(
    [("documents", pa.int64()), ("formulas", pa.int64()), ("reason", pa.string()), ("detail", pa.string())]
)
_TYPES = ("string", "string", "string", "map<string,string>")


def write_corpus(documents: DataFrame, spans: DataFrame | None, path: str, format: str) -> int:
    """Write documents, and spans where the format has a place for them, as ``write_annotated`` does."""
    rows = _known_columns(documents)
    if spans is not None:
        rows = rows.join(_nest(spans), on="doc_id", how="left")
    return write_annotated(rows, path, format)


def write_annotated(rows: DataFrame, path: str, format: str) -> int:
    """Write documents with their spans (columns of ANNOTATED), in order, below a new or empty folder.

    Return how many cells spreadsheets would carry out. The folder is its owner's only (mode 0700), as are its files.
    Workers write: one file per document, or one a partition. Runs one action. Raises CorpusError where the folder
    holds something, FormatError for a document that the format can't hold; what was written until then remains.
    """
    kernel = find_format(format)
    if not kernel.is_written:
        raise UsageError(f"format: {format} is read and not written")
    target = absolute_path(path)
    s3 = s3_settings_of(rows.sparkSession, target)
    with s3_settings(s3):
        if holds_files(target):
            raise CorpusError(f"{path}: expected a new or an empty folder to write to")
    make_private(target)
    if kernel.spark_source:
        rows.write.format(kernel.spark_source).mode("append").save(target)
        return 0
    number = task_numbers(rows.sparkSession)
    write = partial(_write_batches, base=target, format=kernel, s3=s3, number=number)
    written = rows.mapInArrow(write, tables.ddl(_WRITTEN))
    failure = F.when(F.col("reason").isNotNull(), F.struct("reason", "detail"))
    row = written.agg(F.min(failure).alias("first"), F.sum("formulas").alias("formulas")).collect()[0]
    if row["first"] is not None:
        raise FormatError(row["first"]["reason"], row["first"]["detail"])
    return int(row["formulas"] or 0)


def _known_columns(documents: DataFrame) -> DataFrame:
    """Return the columns of the documents table, nulls for absent ones."""
    return documents.select(*(_column(documents, *pair) for pair in zip(tables.DOCUMENTS.names, _TYPES, strict=True)))


def _column(documents: DataFrame, name: str, kind: str) -> Column:
    return F.col(name) if name in documents.columns else F.lit(None).cast(kind).alias(name)


def _nest(spans: DataFrame) -> DataFrame:
    struct = F.struct(*(F.col(field.name) for field in SPAN_STRUCT))
    return spans.groupBy("doc_id").agg(F.sort_array(F.collect_list(struct)).alias("spans"))


def _write_batches(
    incoming: Iterator[pa.RecordBatch], *, base: str, format: CorpusFormat, s3: S3Settings, number: Callable[[], int]
) -> Iterator[pa.RecordBatch]:
    with s3_settings(s3):
        written = _write(_documents_of(incoming), base, format, number())
    yield to_batch([written], _WRITTEN)


def _write(
    documents: Iterator[Document], base: str, format: CorpusFormat, part: int
) -> tuple[int, int, str | None, str | None]:
    """Return how many documents and formulas were written, or why one was not; errors cross to the driver as values."""
    formulas: Counter[str] = Counter()
    if format.formulas is not None:
        documents = _counted(documents, format.formulas, formulas)
    try:
        return write_part(documents, base, format, part), formulas.total(), None, None
    except FormatError as error:
        return 0, 0, error.reason, error.detail
    except OSError as error:
        return 0, 0, "unwritable", f"below {base}: {fault_of(error)}"


def _counted(
    documents: Iterable[Document], count: Callable[[Document], int], found: Counter[str]
) -> Iterator[Document]:
    for document in documents:
        found["formulas"] += count(document)
        yield document


def _documents_of(incoming: Iterable[pa.RecordBatch]) -> Iterator[Document]:
    for batch in incoming:
        for row in batch.to_pylist():
            meta = dict(row["meta"] or ())
            yield Document(row["doc_id"], row["text"], row["subject_id"], spans_of(row.get("spans")), meta)
