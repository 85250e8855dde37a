"""The results of sanitizing a DataFrame."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.core.edit import Edit
from spark_deid.core.missed_names import MissedEstimate, NoEstimate
from spark_deid.core.plurals import plural
from spark_deid.corpus.frame import FrameColumns, records_of
from spark_deid.corpus.reading import CorpusRecord
from spark_deid.report.highlight import HighlightedText, compare
from spark_deid.report.missed_names import missed_sentences
from spark_deid.report.render import notebook_table

Frame = TypeVar("Frame", DataFrame, pd.DataFrame)
Found = Callable[[str], tuple[str, tuple[Edit, ...]]]
"""Look up the original text of a document and its edits."""


@dataclass(frozen=True)
class SanitizedCounts:
    """Numbers of documents, spans, edits and rejected rows by reason, and the fraction of published words."""

    documents: int
    spans: int
    edits: int
    rejects: Mapping[str, int]
    publish_ratio: float


@dataclass(frozen=True, repr=False)
class Sanitized(Generic[Frame]):
    """The results of a plan over a DataFrame: DataFrames of the same kind.

    They exist only if every check is satisfied. No result contains an original. Only ``compare`` shows one.

    Attributes:
        documents: ``doc_id``, ``text`` and metadata, for sharing.
        spans: The found spans. Private, because their offsets are those of the originals.
        edits: The edits, also private.
        assessments: The checks.
        rejects: Rows that could not be read, with a reason. Private.
        counts: Numbers of documents, spans, edits and rejects, and the publish ratio.
        warnings: The warnings of the run.
        manifest: The manifest of a release: counts, labels, versions and checks, for sharing.
        missed: The estimated number of missed words of names with an interval, the reason why it is not known, or None
            without a model.
        frame: The given frame with its text replaced, if every column was kept, otherwise None.
    """

    documents: Frame
    spans: Frame
    edits: Frame
    assessments: Frame
    rejects: Frame
    counts: SanitizedCounts
    warnings: tuple[str, ...] = ()
    manifest: Mapping[str, object] = field(kw_only=True)
    missed: MissedEstimate | NoEstimate | None = field(kw_only=True, default=None)
    found: Found = field(kw_only=True)
    frame: Frame | None = field(kw_only=True, default=None)

    def compare(self, doc_id: str) -> HighlightedText:
        """Show a document before and after. The result contains originals, so do not share it.

        Args:
            doc_id: The id of the document.

        Returns:
            Both texts, highlighted.

        Raises:
            UsageError: No document has this id.
        """
        text, edits = self.found(doc_id)
        return compare(text, edits)

    def _repr_html_(self) -> str:
        """Show counts, checks and warnings; no text of a document."""
        counts = self.counts
        rows = {
            "documents": counts.documents,
            "rejected": _listed(counts.rejects),
            "spans found": counts.spans,
            "edits": counts.edits,
            "publish ratio": f"{counts.publish_ratio:.4f}",
            "missed": " ".join(missed_sentences(self.manifest)) or "not estimated",
            "checks that hold": ", ".join(str(each) for each in self._checks()),
        }
        return notebook_table("Sanitized", rows.items(), self.warnings)

    def _checks(self) -> Sequence[object]:
        result = self.manifest.get("assessments", ())
        return [each.get("guarantee") for each in result] if isinstance(result, list) else []

    def __repr__(self) -> str:
        counts = self.counts
        rejects = _listed(counts.rejects)
        documents, edits = plural(counts.documents, "document"), plural(counts.edits, "edit")
        done = f"{edits} of {plural(counts.spans, 'span')}; publish ratio {counts.publish_ratio:.4f}"
        return f"Sanitized({documents}, rejects: {rejects}; {done}; every check passed)"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items())) or "none"


# DataFrames of pandas: to records, and from Spark's.


def records_of_pandas(frame: pd.DataFrame, columns: FrameColumns) -> tuple[CorpusRecord, ...]:
    """Make a record of each row, in order; a row is named by its place. Raises UsageError for absent columns."""
    columns.check(list(frame.columns))
    return tuple(records_of(_rows(frame, columns), reads_any=columns.reads_any))


def to_pandas(frame: DataFrame) -> pd.DataFrame:
    """Collect a DataFrame of Spark."""
    collected: pd.DataFrame = frame.toArrow().to_pandas()
    return collected


def in_order(frame: pd.DataFrame, places: Mapping[str, int], *within: str) -> pd.DataFrame:
    """Order rows by the places of their documents, and then by columns."""
    ordered = frame.assign(**{"": frame["doc_id"].map(places)}).sort_values(["", *within], kind="stable")
    return ordered.drop(columns="").reset_index(drop=True)


def _rows(frame: pd.DataFrame, columns: FrameColumns) -> Iterator[tuple[str, int, dict[str, object]]]:
    cells = [map(_CELLS.get(role, _cell), frame[name].tolist()) for role, name in columns.roles.items()]
    meta = [map(_cell, frame[name].tolist()) for name in columns.carried]
    for number in range(len(frame)):
        row: dict[str, object] = {role: next(column) for role, column in zip(columns.roles, cells, strict=True)}
        row["meta"] = {name: next(column) for name, column in zip(columns.carried, meta, strict=True)}
        yield f"iloc[{number}]", number, row


def _cell(value: object) -> object:
    """Return a value as Python has it: what pandas takes for missing is None, and numpy's scalars are Python's."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is pd.NA or value is pd.NaT or value != value else value


def _id(value: object) -> object:
    """Return an id; pandas makes floats of integers where one is missing."""
    cell = _cell(value)
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


_CELLS = {"doc_id": _id, "subject_id": _id}
