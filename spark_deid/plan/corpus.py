"""The corpus that stages hand on: a frozen bundle of lazy tables."""

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import SPAN_STRUCT
from spark_deid.rewriting.spark.operators import Finder

ANNOTATED = pa.schema([*tables.DOCUMENTS, ("spans", pa.list_(SPAN_STRUCT))])


@dataclass(frozen=True)
class Corpus:
    """Every table of the workspace; an absent table is empty, never None.

    ``annotated`` holds the documents with the spans found so far, a list a document, and ``finders`` what is still to
    be applied to them: a stage that needs the spans applies all finders in one pass.
    """

    documents: DataFrame
    rejects: DataFrame
    spans: DataFrame
    entities: DataFrame
    identifiers: DataFrame
    edits: DataFrame
    associations: DataFrame
    assessments: DataFrame
    annotated: DataFrame
    finders: tuple[Finder, ...] = ()

    @classmethod
    def empty(cls, spark: SparkSession) -> "Corpus":
        """Make a corpus of empty tables."""
        frames: dict[str, Any] = {
            name: spark.createDataFrame([], tables.ddl(schema)) for name, schema in tables.TABLES.items()
        }
        return cls(**frames, annotated=spark.createDataFrame([], tables.ddl(ANNOTATED)))

    def read(self, documents: DataFrame, annotated: DataFrame, rejects: DataFrame) -> "Corpus":
        """Return the corpus with what a reader found."""
        return replace(self, documents=documents, annotated=annotated, rejects=rejects)

    def table(self, name: str) -> DataFrame:
        """Return a table by its name."""
        frame: DataFrame = getattr(self, name)
        return frame
