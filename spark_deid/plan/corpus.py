"""The corpus that stages hand on: a frozen bundle of lazy tables."""

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables


@dataclass(frozen=True)
class Corpus:
    """Every table of the workspace; an absent table is empty, never None."""

    documents: DataFrame
    rejects: DataFrame
    spans: DataFrame
    entities: DataFrame
    identifiers: DataFrame
    edits: DataFrame
    assessments: DataFrame

    @classmethod
    def empty(cls, spark: SparkSession) -> "Corpus":
        """Make a corpus of empty tables."""
        return cls(**{name: spark.createDataFrame([], tables.ddl(schema)) for name, schema in tables.TABLES.items()})

    def read(self, documents: DataFrame, spans: DataFrame, rejects: DataFrame) -> "Corpus":
        """Return the corpus with what a reader found."""
        return replace(self, documents=documents, spans=spans, rejects=rejects)

    def table(self, name: str) -> DataFrame:
        """Return a table by its name."""
        frame: DataFrame = getattr(self, name)
        return frame
