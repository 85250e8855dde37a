"""Groups of rows that a table of a workspace has beyond those of its decisions."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups
from tests.spark.decided import Row, annotated_of, counted_against, decisions_of, workspace_of

DOCUMENT: Row = ("a", None, "Ann went.", {}, [(0, 3, "NAME", None, "patterns", None)])
FURTHER = {
    "spans": ("a", 4, 8, "VERB", None, "patterns", None),
    "edits": ("a", 4, 8, "suppress", "[VERB]"),
}
FAULTS = {"spans": CoverageFaults(documents=1, uncovered=4), "edits": CoverageFaults(documents=1, altered=1)}


def with_group(part: PartFile, row: Row, schema: pa.Schema, folder: Path) -> PartFile:
    """Write a part again, and one row after its last group."""
    cells = [pa.array([cell], kind) for cell, kind in zip(row, schema.types, strict=True)]
    with PartsWriter({"rows": str(folder)}, {"rows": schema}) as writer:
        for group in [*read_groups(part.path), pa.RecordBatch.from_arrays(cells, schema=schema)]:
            writer.write({"rows": group})
        return writer.close()["rows"]


def changed(spark: SparkSession, corpus: Corpus, table: str, folder: Path) -> Corpus:
    """Return a corpus whose table has one more group of rows than its decisions."""
    schema, row = tables.TABLES[table], FURTHER[table]
    [parts] = corpus.decided
    further = spark.createDataFrame([row], tables.ddl(schema))
    frames = {table: getattr(corpus, table).unionAll(further)}
    decided = {**parts, table: with_group(parts[table], row, schema, folder)}
    return replace(corpus, decided=(decided,), **frames)


@pytest.mark.parametrize("table", ["spans", "edits"])
def test_rows_beyond_the_last_decision_are_looked_at(spark: SparkSession, tmp_path: Path, table: str) -> None:
    corpus = workspace_of(decisions_of(annotated_of(spark, [DOCUMENT]), PreparedRules({}), ["patterns"]))
    right = counted_against(corpus, exempt=("gold",))
    assert (right.agreed, right.faults) == (True, CoverageFaults(documents=1))
    counts = counted_against(changed(spark, corpus, table, tmp_path), exempt=("gold",))
    assert (counts.agreed, counts.faults) == (False, FAULTS[table])
