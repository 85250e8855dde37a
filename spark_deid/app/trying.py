"""Try a plan: before and after of some documents, with nothing written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import NamedTuple

from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.scored_plan import check_scored, scored_plan
from spark_deid.app.sessions import open_session
from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.plurals import plural
from spark_deid.corpus.local import nothing_readable, read_first_records
from spark_deid.corpus.reading import CorpusRecord
from spark_deid.corpus.spark.frame import read_records
from spark_deid.engine import functions as F
from spark_deid.pipeline.one_document import needs_corpus, prepare_document_pipeline
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.load import load_plan
from spark_deid.plan.secret import find_secret
from spark_deid.report.excerpts import GAP, ExcerptPiece, pieces_of

FIRST = 1_000
"""The documents of an input that are read."""
_SHOWN = 160
"""Characters of unchanged text that are shown in one place."""


class TrialDocument(NamedTuple):
    """A document's id, and its text before and after, in pieces."""

    doc_id: str
    pieces: tuple[ExcerptPiece, ...]


@dataclass(frozen=True)
class PlanTrial:
    """Documents before and after, which hold originals; ``read`` counts the documents that they were drawn from."""

    documents: tuple[TrialDocument, ...]
    read: int
    is_whole: bool

    def describe(self) -> str:
        """Return how the documents were chosen."""
        of = "documents of the input" if self.is_whole else "documents of the input, which has more"
        return f"{plural(len(self.documents), 'document')}, drawn at random from the first {self.read:,} {of}"


def try_plan(
    plan: Path,
    overrides: Sequence[str],
    given: Mapping[str, object],
    documents: int = 10,
    progress: Progress = no_progress,
) -> PlanTrial:
    """Apply a plan to documents drawn at random from the first 1,000 of a local input, and write nothing.

    ``given`` are values by their paths in the plan. A plan whose methods read a whole corpus is run on all of the first
    documents. Raises what a run would raise, and UsageError for an input that only Spark reads.
    """
    settings = load_plan(plan, overrides, {**given, "workspace": "workspace", "release": "release"})
    place = settings.input
    first = read_first_records(place.path, place.format, FIRST, options=place.options)
    if first is None:
        raise UsageError("try: expected a local input that is not a Delta table")
    read = first.reading.documents
    if not read:
        raise CorpusError(nothing_readable(place.path, place.format, first.reading.inventory))
    drawn = SystemRandom().sample(range(len(read)), min(documents, len(read)))
    edits = _edits_of_corpus if needs_corpus(settings) else _edits_of_each
    chosen = [read[number] for number in sorted(drawn)]
    made = edits(settings, read, chosen, progress)
    shown = tuple(
        TrialDocument(each.doc_id, tuple(_cut(piece) for piece in pieces_of(each.text, made[each.doc_id])))
        for each in chosen
    )
    return PlanTrial(shown, len(read), first.is_whole)


def _edits_of_each(
    settings: MethodSettings, _: Sequence[Document], chosen: Sequence[Document], progress: Progress
) -> Mapping[str, Sequence[LabelledEdit]]:
    pipeline = prepare_document_pipeline(settings, key=find_secret(settings.key_file).key)
    return {each.doc_id: pipeline(each).edits for each in chosen}


def _edits_of_corpus(
    settings: MethodSettings, read: Sequence[Document], chosen: Sequence[Document], progress: Progress
) -> Mapping[str, Sequence[LabelledEdit]]:
    """Run a plan over all documents that were read."""
    check_scored(settings)
    with open_session("try", None, None, progress=progress) as spark:
        records = (CorpusRecord(each.doc_id, number, each.doc_id, each) for number, each in enumerate(read))
        reading = read_records(spark, records)
        with scored_plan(spark, settings, reading, reading.documents, None, progress) as carried:
            assessed = [each.assessment for each in carried.run.checked.assessed]
            failed = [each.guarantee for each in assessed if not each.satisfied]
            for reason in (*carried.run.refusals, *(f"a run would release nothing: {name} fails" for name in failed)):
                progress(f"warning: {reason}")
            ids = [each.doc_id for each in chosen]
            rows = carried.run.corpus.decisions.where(F.col("doc_id").isin(*ids)).select("doc_id", "edits").collect()
    return {row["doc_id"]: [LabelledEdit(*edit) for edit in row["edits"]] for row in rows}


def _cut(piece: ExcerptPiece) -> ExcerptPiece:
    """Return a piece of which unchanged text is shortened in its middle."""
    if piece.is_edit or len(piece.before) <= _SHOWN:
        return piece
    half = _SHOWN // 2
    text = f"{piece.before[:half]} {GAP} {piece.before[-half:]}"
    return piece._replace(before=text, after=text)
