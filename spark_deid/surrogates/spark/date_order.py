"""Operator: ids and columns of a corpus that follow the true dates of its documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.engine import functions as F
from spark_deid.surrogates.date_order import DatedRow, columns_in_date_order, dated_row

MOST_DOCUMENTS = 20_000
"""Documents that are read: about this number, sampled by a hash of their id, if the corpus has twice as many."""
_ROWS = pa.schema(
    [
        ("person", pa.string()),
        ("dates", pa.list_(pa.list_(pa.int64()))),
        ("values", pa.map_(pa.string(), pa.string())),
    ]
)


def telling_order(documents: DataFrame, names: Mapping[str, float], shifted: Sequence[str]) -> tuple[str, ...]:
    """Return the ids and metadata, of those that are named, which follow the true dates; two jobs if there are any.

    Dates are those of the texts and of the columns that are shifted.
    """
    if not names:
        return ()
    every = documents.count() // MOST_DOCUMENTS
    sample = documents if every < 2 else documents.where(F.pmod(F.xxhash64("doc_id"), F.lit(every)) == 0)
    read = partial(_read_batches, names=tuple(names), shifted=tuple(shifted))
    rows = sample.select("doc_id", "subject_id", "text", "meta").mapInArrow(read, tables.ddl(_ROWS)).collect()
    dated = [DatedRow(row["person"], [(one, two) for one, two in row["dates"]], row["values"]) for row in rows]
    return columns_in_date_order(dated, names)


def _read_batches(
    incoming: Iterator[pa.RecordBatch], *, names: Sequence[str], shifted: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        columns = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text", "meta"))
        documents = zip(*columns, strict=True)
        rows = (dated_row(doc, who, text or "", dict(meta or ()), names, shifted) for doc, who, text, meta in documents)
        found = [
            {"person": row.person, "dates": list(map(list, row.dates)), "values": list(row.values.items())}
            for row in rows
            if row.dates
        ]
        yield pa.RecordBatch.from_pylist(found, schema=_ROWS)
