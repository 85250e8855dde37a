"""Operators: metadata whose dates move with those of its person's texts, and the same before and after."""

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.document import Document
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.metadata import move_values

MOVED = pa.schema(
    [
        ("doc_id", pa.string()),
        ("subject_id", pa.string()),
        ("before", pa.string()),
        ("after", pa.string()),
    ]
)
"""A value of metadata of a document that moved; values that are not let out have no row."""


def shift_metadata(documents: DataFrame, names: Sequence[str], request: ShiftRequest) -> DataFrame:
    """Move dates in the metadata of these names (columns of DOCUMENTS); what can't move goes, all else passes."""
    change = partial(_shift_batches, names=tuple(names), request=request)
    return documents.select(*tables.DOCUMENTS.names).mapInArrow(change, tables.ddl(tables.DOCUMENTS))


def moved_metadata(documents: DataFrame, names: Sequence[str], request: ShiftRequest) -> DataFrame:
    """Return metadata of these names before and after (columns of MOVED)."""
    show = partial(_moved_batches, names=tuple(names), request=request)
    return documents.select(*tables.DOCUMENTS.names).mapInArrow(show, tables.ddl(MOVED))


def _shift_batches(
    incoming: Iterator[pa.RecordBatch], *, names: Sequence[str], request: ShiftRequest
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, subjects = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id"))
        metas = []
        for doc_id, subject, meta in zip(ids, subjects, _metas(batch), strict=True):
            moved = move_values(Document(doc_id, "", subject), meta, names, request)
            kept = {name: value for name, value in meta.items() if name not in names}
            metas.append([*kept.items(), *((each.name, each.after) for each in moved if each.after is not None)])
        column = pa.array(metas, tables.DOCUMENTS.field("meta").type)
        yield batch.set_column(batch.schema.get_field_index("meta"), "meta", column)


def _moved_batches(
    incoming: Iterator[pa.RecordBatch], *, names: Sequence[str], request: ShiftRequest
) -> Iterator[pa.RecordBatch]:
    """Yield what is let out of metadata beside what it was, as the documents themselves tell it."""
    for batch in incoming:
        [changed] = _shift_batches(iter((batch,)), names=names, request=request)
        ids, subjects = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id"))
        rows = (
            (doc_id, subject, before[name], after[name])
            for doc_id, subject, before, after in zip(ids, subjects, _metas(batch), _metas(changed), strict=True)
            for name in names
            if name in after
        )
        yield from gather_batches(rows, MOVED)


def _metas(batch: pa.RecordBatch) -> list[dict[str, str]]:
    return [dict(meta or ()) for meta in batch.column("meta").to_pylist()]
