"""The corpus that stages hand on: a frozen bundle of lazy tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spark_deid.core import tables
from spark_deid.core.span import Finder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Corpus:
    """Every table of the workspace; an absent table is empty, never None.

    ``annotated`` holds the documents with the spans found so far, a list a document, and ``finders`` what is still to
    be applied to them; once edits are decided, before rare text is looked for, it has their columns too. ``kept`` are
    tables of detectors' own, by name. ``decisions`` has a row a document: text, spans, edits, published text, counts.
    """

    documents: "DataFrame"
    rejects: "DataFrame"
    spans: "DataFrame"
    entities: "DataFrame"
    identifiers: "DataFrame"
    edits: "DataFrame"
    associations: "DataFrame"
    assessments: "DataFrame"
    annotated: "DataFrame"
    decisions: "DataFrame"
    finders: tuple[Finder, ...] = ()
    kept: "Mapping[str, DataFrame]" = field(default_factory=dict)

    @classmethod
    def empty(cls, spark: "SparkSession") -> "Corpus":
        """Make a corpus of empty tables."""
        frames: dict[str, Any] = {
            name: spark.createDataFrame([], tables.ddl(schema))
            for name, schema in {**tables.TABLES, "annotated": tables.ANNOTATED, "decisions": tables.DECISIONS}.items()
        }
        return cls(**frames)

    def read(self, documents: "DataFrame", annotated: "DataFrame", rejects: "DataFrame") -> "Corpus":
        """Return the corpus with what a reader found."""
        return replace(self, documents=documents, annotated=annotated, rejects=rejects)
