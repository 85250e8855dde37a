"""Operators: fields with rare answers, and texts in which every answer of such fields is hidden."""

from collections.abc import Callable
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, to_batch
from spark_deid.core.span import merge_places
from spark_deid.engine import functions as F
from spark_deid.repeats.fields import answers_of, has_few_answers, rare_answers
from spark_deid.repeats.findings import FINDINGS, Batches

_EDIT = pa.struct([("start", pa.int32()), ("end", pa.int32())])
_EXCLUDED = pa.schema(
    [("doc_id", pa.string()), ("subject_id", pa.string()), ("text", pa.string()), ("edits", pa.list_(_EDIT))]
)
_ANSWERS = pa.schema([("field", pa.string()), ("answer", pa.string()), ("is_hidden", pa.bool_())])


def find_with_fields(searched: DataFrame, found: DataFrame, find: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """Return what is rare, with every answer of a field that has few answers and a rare one (columns of FINDINGS).

    ``find`` materializes what is rare in documents with ``edits``, as ``found`` is of those that are searched. The
    search is repeated with the answers excluded, so the other text that is hidden does not depend on the answers. It is
    repeated again if that makes answers of further fields rare.
    """
    fields = _rare_fields(searched, found)
    while fields:
        found = find(_without_answers(searched, fields))
        if not (new := _rare_fields(searched, found) - fields):
            return _with_answers(searched, found, fields)
        fields |= new
    return found


def _rare_fields(searched: DataFrame, found: DataFrame) -> frozenset[str]:
    rows = searched.select("doc_id", "text").join(found.select("doc_id", "starts", "ends"), on="doc_id")
    answers = rows.mapInArrow(_answer_batches, tables.ddl(_ANSWERS))
    counts = answers.groupBy("field", "answer").agg(F.count("*").alias("uses"), F.max("is_hidden").alias("is_hidden"))
    fields = counts.groupBy("field").agg(
        F.sum("uses").alias("uses"), F.count("*").alias("answers"), F.max("is_hidden").alias("is_hidden")
    )
    rows_hidden = fields.where("is_hidden").select("field", "uses", "answers").collect()
    return frozenset(field for field, uses, number in rows_hidden if has_few_answers(uses, number))


def _without_answers(searched: DataFrame, fields: frozenset[str]) -> DataFrame:
    """Return documents with the answers of fields among what is excluded."""
    exclude = partial(_exclude_batches, fields=fields)
    return searched.select("doc_id", "subject_id", "text", "edits").mapInArrow(exclude, tables.ddl(_EXCLUDED))


def _with_answers(searched: DataFrame, found: DataFrame, fields: frozenset[str]) -> DataFrame:
    """Add the answers of fields to what is hidden, except what other edits replace."""
    rows = searched.select("doc_id", "text", "edits").join(found, on="doc_id")
    return rows.mapInArrow(partial(_hide_batches, fields=fields), tables.ddl(FINDINGS))


def _answer_batches(incoming: Batches) -> Batches:
    for batch in incoming:
        rows = zip(*(batch.column(name).to_pylist() for name in ("text", "starts", "ends")), strict=True)
        found = (
            (each.field, each.answer, is_hidden)
            for text, starts, ends in rows
            for each, is_hidden in rare_answers(text, [*zip(starts, ends, strict=True)])
        )
        yield to_batch([*found], _ANSWERS)


def _exclude_batches(incoming: Batches, *, fields: frozenset[str]) -> Batches:
    for batch in incoming:
        texts, edits = (batch.column(name).to_pylist() for name in ("text", "edits"))
        cells = [
            merge_places([*((each["start"], each["end"]) for each in own or ()), *answers_of(text, fields)])
            for text, own in zip(texts, edits, strict=True)
        ]
        names = ("doc_id", "subject_id", "text")
        yield pa.RecordBatch.from_arrays(
            [*(batch.column(name) for name in names), lists_of(cells, _EDIT)], schema=_EXCLUDED
        )


def _hide_batches(incoming: Batches, *, fields: frozenset[str]) -> Batches:
    for batch in incoming:
        rows = []
        for row in batch.to_pylist():
            runs = [*zip(row["starts"], row["ends"], strict=True)]
            edits = [(each["start"], each["end"]) for each in row["edits"] or ()]
            answers = [part for place in answers_of(row["text"], fields) for part in _outside(place, edits)]
            hidden = merge_places([*runs, *answers])
            added = sum(end - start for start, end in hidden) - sum(end - start for start, end in runs)
            starts, ends = [start for start, _ in hidden], [end for _, end in hidden]
            rows.append((row["doc_id"], starts, ends, row["lengths"], row["characters"] + added, row["hidden"] + added))
        yield to_batch(rows, FINDINGS)


def _outside(place: tuple[int, int], edits: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of a place that no edit covers; edits are in order."""
    parts, (start, end) = [], place
    for first, last in edits:
        if last > start and first < end:
            if first > start:
                parts.append((start, first))
            start = last
    return [*parts, (start, end)] if start < end else parts
