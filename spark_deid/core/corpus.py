"""The corpus that stages hand on: a frozen bundle of lazy tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_deid.core import tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_deid.storage.parts import Parts


class StoredFrame(NamedTuple):
    """A frame, and the parts that hold its rows: who reads these has no need of Spark to hand them over."""

    frame: "DataFrame"
    parts: "tuple[Parts, ...]"


@dataclass(frozen=True)
class Corpus:
    """Every table of the workspace; an absent table is empty, never None.

    ``annotated`` holds the documents with the spans found so far, a list a document, where a search looks at them; once
    edits are decided, before rare text is looked for, it has their columns too. ``kept`` are
    tables of detectors' own, by name. ``decisions`` has a row a document: text, spans, edits, published text, counts.
    ``read`` are the parts of ``documents`` and of the annotations imported with them, ``decided`` those of
    ``decisions``, ``spans`` and ``edits``. ``hidden_labels`` are labels that would tell removed text, each with what
    stands for it in spans and edits. ``stored`` tells in which parts the frame ``annotated`` lies, if it is that one.
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
    read: "tuple[Parts, ...]" = ()
    decided: "tuple[Parts, ...]" = ()
    found: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    kept: "Mapping[str, DataFrame]" = field(default_factory=dict)
    hidden_labels: Mapping[str, str] = field(default_factory=dict)
    stored: "StoredFrame | None" = None

    @property
    def annotated_parts(self) -> "tuple[Parts, ...]":
        """Return the parts of ``annotated``; none where it lies in no parts."""
        return self.stored.parts if self.stored is not None and self.stored.frame is self.annotated else ()

    @classmethod
    def empty(cls, spark: "SparkSession") -> "Corpus":
        """Make a corpus of empty tables.

        Args:
            spark: The session.

        Returns:
            The corpus.
        """
        frames: dict[str, Any] = {
            name: spark.createDataFrame([], tables.ddl(schema))
            for name, schema in {**tables.TABLES, "annotated": tables.ANNOTATED, "decisions": tables.DECISIONS}.items()
        }
        return cls(**frames)
