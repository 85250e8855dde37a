"""Operators: originals, published texts and edits, as a table or as the files of decisions that hold the same."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.columns import field_in
from spark_deid.core.edit import STAR
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.repeats.findings import Batches
from spark_deid.repeats.recount.pieces import is_star
from spark_deid.repeats.settings import CountingUnit
from spark_deid.storage.parts import read_groups


@dataclass(frozen=True)
class ComparedTexts:
    """A row for each document (columns of COMPARED), and the parts of decisions that it is read from, if these are all.

    Workers read ``paths`` by themselves, a task each: to hand rows over from the JVM costs more than to count them.
    """

    rows: DataFrame
    paths: tuple[str, ...] = ()

    def mapped(self, names: Sequence[str], function: Callable[[Batches], Batches], schema: pa.Schema) -> DataFrame:
        """Return what a function makes of these columns, and of those of edits, of each partition or part."""
        if self.paths:
            return self._of_paths(function, schema)
        return self.rows.select(*names, *EditColumns._fields).mapInArrow(function, tables.ddl(schema))

    def mapped_by_unit(
        self, unit: CountingUnit, text: str, function: Callable[[Batches], Batches], schema: pa.Schema
    ) -> DataFrame:
        """Return what a function makes of the columns unit, ``text`` and of edits, no unit in two tasks."""
        if self.paths and unit is not CountingUnit.SUBJECT:
            return self._of_paths(function, schema)
        person = F.coalesce(F.concat(F.lit("="), "subject_id"), F.lit(""))
        owner = person if unit is CountingUnit.SUBJECT else F.col("doc_id")
        owned = self.rows.select(
            owner.alias(UNIT), F.col("original" if text == "text" else text).alias(text), *EditColumns._fields
        )
        if unit is CountingUnit.SUBJECT:
            owned = sort_partitions(owned.repartition(UNIT), UNIT)
        return owned.mapInArrow(function, tables.ddl(schema))

    def _of_paths(self, function: Callable[[Batches], Batches], schema: pa.Schema) -> DataFrame:
        numbers = self.rows.sparkSession.range(0, len(self.paths), 1, numPartitions=len(self.paths))
        return numbers.mapInArrow(partial(_of_parts, function=function, paths=self.paths), tables.ddl(schema))


def _of_parts(incoming: Batches, *, function: Callable[[Batches], Batches], paths: tuple[str, ...]) -> Batches:
    for batch in incoming:
        for number in batch.column("id").to_pylist():
            yield from function(compared_groups(paths[number]))


# What is recounted, from the files of decisions themselves: no other engine reads them on the way.


_READ = ("doc_id", "text", "published", "edits")
UNIT = "unit"


def compared_groups(path: str) -> Iterator[pa.RecordBatch]:
    """Yield doc_id, unit (the document), text, published and the columns of edits of a part of decisions."""
    for group in read_groups(path, _READ):
        yield with_edit_columns(group)


def with_edit_columns(decisions: pa.RecordBatch) -> pa.RecordBatch:
    """Put a list for each property of the edits in place of the list of edits: starts, ends, replaced and hides."""
    edits = decisions.column("edits")
    replacements = field_in(edits, "replacement").dictionary_encode()
    codes = replacements.indices.to_numpy()
    values = replacements.dictionary.to_pylist()
    replaced = np.fromiter(map(len, values), np.int32, len(values))[codes]
    hides = np.fromiter(map(is_star, values), np.bool_, len(values))[codes]
    sizes = np.diff(edits.offsets.to_numpy())
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    columns = {
        **{name: decisions.column(name) for name in ("doc_id", "text", "published")},
        UNIT: decisions.column("doc_id"),
        "starts": pa.ListArray.from_arrays(offsets, field_in(edits, "start")),
        "ends": pa.ListArray.from_arrays(offsets, field_in(edits, "end")),
        "replaced": pa.ListArray.from_arrays(offsets, pa.array(replaced)),
        "hides": pa.ListArray.from_arrays(offsets, pa.array(hides)),
    }
    return pa.RecordBatch.from_pydict(columns)


# Operators: originals, what is published of them, and the edits in between, beside each other.


TEXTS = ("doc_id", "subject_id", "original", "published")


class EditColumns(NamedTuple):
    """The edits of a document, as an array for each of their properties.

    ``starts`` and ``ends`` are characters of the original, ``replaced`` how many characters stand there now, and
    ``hides`` tells whether these are stars.
    """

    starts: Column
    ends: Column
    replaced: Column
    hides: Column


COMPARED = (*TEXTS, *EditColumns._fields)
"""Columns of what is compared, a row for each document. Either text may be null, and the arrays where no edit is."""


def pair_documents(documents: DataFrame, published: DataFrame, edits: DataFrame) -> DataFrame:
    """Bring together by their ids originals (doc_id, subject_id, text), published texts (doc_id, text) and edits.

    A document may be in one of the first two only. Rows of one id, should there be several, come one after another.
    """
    struct = F.struct(*_properties(F.col("start"), F.col("end"), F.col("replacement")))
    nested = edits.groupBy("doc_id").agg(F.collect_list(struct).alias("edits"))
    originals = documents.select("doc_id", "subject_id", F.col("text").alias("original"))
    texts = published.select("doc_id", F.col("text").alias("published"))
    joined = originals.join(texts, on="doc_id", how="full").join(nested, on="doc_id", how="left")
    # The join has brought equal ids to one task already, but not every kind of join leaves them beside each other.
    together = sort_partitions(joined, "doc_id")
    return together.select(*TEXTS, *(F.col(f"edits.{name}").alias(name) for name in EditColumns._fields))


def compare_decisions(decisions: DataFrame) -> DataFrame:
    """Take originals, rewritten texts and edits from rows that have all of them."""
    # Field by field: taking the fields of structs that are made edit by edit takes three times as long.
    replacements = F.col("edits.replacement")
    lengths, hides = F.transform(replacements, F.length), F.transform(replacements, _hides)
    columns = EditColumns(F.col("edits.start"), F.col("edits.end"), lengths, hides)
    return decisions.withColumn("original", F.col("text")).select(*TEXTS, *_named(columns))


def compare_with_itself(texts: DataFrame) -> DataFrame:
    """Take texts (doc_id, text) for their own originals, of unknown persons and without edits.

    Rows of one id come one after another, so that a document which a release has twice counts once.
    """
    columns = (F.col("doc_id"), F.lit(None).cast("string"), F.col("text"), F.col("text"))
    offsets, flags = F.lit(None).cast("array<int>"), F.lit(None).cast("array<boolean>")
    named = (column.alias(name) for column, name in zip(columns, TEXTS, strict=True))
    together = sort_partitions(texts.repartition("doc_id"), "doc_id")
    return together.select(*named, *_named(EditColumns(offsets, offsets, offsets, flags)))


def _properties(start: Column, end: Column, replacement: Column) -> tuple[Column, ...]:
    return _named(EditColumns(start, end, F.length(replacement), _hides(replacement)))


def _hides(replacement: Column) -> Column:
    length = F.length(replacement)
    return (length > 0) & (replacement == F.repeat(F.lit(STAR), length))


def _named(edits: EditColumns) -> tuple[Column, ...]:
    return tuple(column.alias(name) for name, column in edits._asdict().items())
