"""Operators: metadata whose dates move with those of its person's texts, and the same before and after."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.document import Document
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_partitions
from spark_deid.surrogates.date_order import DatedRow, columns_in_date_order, dated_row
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.kept_dates import CONSTANT_PERCENTAGE, count_dates, move_values
from spark_deid.surrogates.template_slots import LEAST_PEOPLE

MOVED = pa.schema(
    [
        ("doc_id", pa.string()),
        ("subject_id", pa.string()),
        ("before", pa.string()),
        ("after", pa.string()),
    ]
)
"""A value of metadata of a document that moved; values that are not published have no row."""


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
    """Yield published metadata with its original values."""
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


# Operator: ids and columns of a corpus that follow the true dates of its documents.


MOST_DOCUMENTS = 20_000
"""Documents that are read: about this number, sampled by a hash of their id, if the corpus has twice as many."""


def telling_order(documents: DataFrame, names: Mapping[str, float], shifted: Sequence[str]) -> tuple[str, ...]:
    """Return the ids and metadata, of those that are named, which follow the true dates; two jobs if there are any.

    Dates are those of the texts and of the columns that are shifted.
    """
    if not names:
        return ()
    every = documents.count() // MOST_DOCUMENTS
    sample = documents if every < 2 else documents.where(F.pmod(F.xxhash64("doc_id"), F.lit(every)) == 0)
    read = partial(_dated_rows, names=tuple(names), shifted=tuple(shifted))
    found = run_partitions(sample.select("doc_id", "subject_id", "text", "meta"), read)
    return columns_in_date_order([row for rows in found for row in rows], names)


def _dated_rows(incoming: Iterator[pa.RecordBatch], *, names: Sequence[str], shifted: Sequence[str]) -> list[DatedRow]:
    """Return the documents that have dates."""
    found = []
    for batch in incoming:
        columns = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text", "meta"))
        documents = zip(*columns, strict=True)
        rows = (dated_row(doc, who, text or "", dict(meta or ()), names, shifted) for doc, who, text, meta in documents)
        found += [row for row in rows if row.dates]
    return found


# Operator: published metadata that has dates: next to dates that moved, it shows by how many days.


_COUNTED = pa.schema([("name", pa.string()), ("given", pa.int64()), ("dates", pa.int64())])


def columns_of_dates(documents: DataFrame, names: Mapping[str, float]) -> tuple[str, ...]:
    """Return the metadata of which a larger share than is named has whole dates; one job where there are names."""
    if not names:
        return ()
    counted = documents.select("meta").mapInArrow(partial(count_batches, names=tuple(names)), tables.ddl(_COUNTED))
    sums = counted.groupBy("name").agg(F.sum("given").alias("given"), F.sum("dates").alias("dates")).collect()
    found = {row["name"] for row in sums if row["dates"] > names[row["name"]] * row["given"]}
    return tuple(name for name in names if name in found)


def constant_columns(documents: DataFrame, names: Collection[str]) -> tuple[str, ...]:
    """Return the metadata in which many people, and most of them, have one value; one job if there are names."""
    if not names:
        return ()
    person = F.coalesce(F.concat(F.lit("subject "), "subject_id"), F.concat(F.lit("document "), "doc_id"))
    values = documents.select(person.alias("person"), F.explode("meta").alias("name", "value"))
    rows = values.where(F.col("name").isin(*names)).distinct()
    people = rows.groupBy("name").agg(F.count_distinct("person").alias("all"))
    same = rows.groupBy("name", "value").agg(F.count("*").alias("same")).where(F.col("same") >= LEAST_PEOPLE)
    found = same.join(people, on="name").where(F.col("same") * 100 >= F.col("all") * CONSTANT_PERCENTAGE)
    disclosing = {row["name"] for row in found.select("name").distinct().collect()}
    return tuple(name for name in names if name in disclosing)


def count_batches(incoming: Iterator[pa.RecordBatch], *, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield how many values of each of these names batches of metadata have, and how many are whole dates."""
    for batch in incoming:
        given, dates = count_dates((dict(meta or ()) for meta in batch.column("meta").to_pylist()), names)
        rows = [{"name": name, "given": number, "dates": dates[name]} for name, number in given.items()]
        yield pa.RecordBatch.from_pylist(rows, schema=_COUNTED)
