"""What sanitizing a DataFrame gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.core.edit import Edit
from spark_deid.core.missed_names import MissedEstimate, NoEstimate
from spark_deid.core.plurals import plural
from spark_deid.report.highlight import HighlightedText, compare
from spark_deid.report.missed_names import missed_sentences
from spark_deid.report.render import notebook_table

Frame = TypeVar("Frame", DataFrame, pd.DataFrame)
Found = Callable[[str], tuple[str, tuple[Edit, ...]]]
"""Look up the original text of a document and its edits."""


@dataclass(frozen=True)
class SanitizedCounts:
    """How much was sanitized: documents, spans and edits, rejected rows by reason, and the share of words published."""

    documents: int
    spans: int
    edits: int
    rejects: Mapping[str, int]
    publish_ratio: float


@dataclass(frozen=True, repr=False)
class Sanitized(Generic[Frame]):
    """The results of a plan over a DataFrame: DataFrames of its kind, given where every check holds.

    ``documents`` (doc_id, text, metadata) may be shared, and so may ``manifest``, which says what a release's says:
    counts, labels, versions and checks. ``spans`` and ``edits`` stay private, since their offsets are those of the
    originals, and so does ``rejects``: rows that could not be read, with a reason. ``assessments`` are the checks. No
    result holds an original; ``compare`` shows one where it is asked for. ``frame`` is the one that was given, with its
    text replaced, where every column was to be kept, else None. ``missed`` estimates how many words of names no edit
    touches, with an interval; it is a reason where that is not known, None where the plan has no model.
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
        """Show a document before and after: originals, so not for sharing. Raises UsageError for an unknown id."""
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
        return f"Sanitized({documents}, rejects: {rejects}; {done}; every check holds)"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items())) or "none"
