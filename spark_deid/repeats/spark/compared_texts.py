"""Operators: originals, published texts and edits, as a table or as the files of decisions that hold the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.repeats.findings import Batches
from spark_deid.repeats.recount.decisions import UNIT, compared_groups
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.spark.comparison import EditColumns


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
            owned = owned.repartition(UNIT).sortWithinPartitions(UNIT)
        return owned.mapInArrow(function, tables.ddl(schema))

    def _of_paths(self, function: Callable[[Batches], Batches], schema: pa.Schema) -> DataFrame:
        numbers = self.rows.sparkSession.range(0, len(self.paths), 1, numPartitions=len(self.paths))
        return numbers.mapInArrow(partial(_of_parts, function=function, paths=self.paths), tables.ddl(schema))


def _of_parts(incoming: Batches, *, function: Callable[[Batches], Batches], paths: tuple[str, ...]) -> Batches:
    for batch in incoming:
        for number in batch.column("id").to_pylist():
            yield from function(compared_groups(paths[number]))
