"""Refuse a plan by the first rows of its input, before the work begins."""

from collections.abc import Iterator, Sequence

from spark_deid.core.column_names import columns_text
from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from spark_deid.core.plurals import plural, was_or_were
from spark_deid.core.span import GOLD
from spark_deid.corpus.local import FirstRecords, nothing_readable, read_first_records
from spark_deid.corpus.peek import known_columns
from spark_deid.corpus.reject_hints import hints, listed_rejects, too_many
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.pipeline.columns import is_harmless, warnings_of_columns
from spark_deid.pipeline.one_document import document_context
from spark_deid.pipeline.plan_columns import column_finders, kept_columns
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.ready import explain_ready
from spark_deid.rewriting.metadata import SUBJECT, count_in_documents
from spark_deid.rewriting.spark.metadata import FoundInColumns

FIRST_ROWS = 1_000
NO_ANNOTATIONS = (
    "nothing is released: the plan edits only annotations (sources: gold), but this input has no "
    "annotations, so all of its text would be published unchanged. Add a detector to sources, such as "
    "patterns or model"
)


def explain_with_rows(settings: MethodSettings) -> str:
    """Describe a plan as ``explain_ready`` does, and what the first rows of a local input show of a run.

    Raises what a run would, as far as the plan and these rows show it.
    """
    result = explain_ready(settings)
    notes = notes_of_rows(settings) if isinstance(settings, PlanSettings) else ()
    return "\n".join([result, *(f"note: {line}" for line in notes)])


def require_columns(settings: MethodSettings, documents: Sequence[Document], is_whole: bool) -> None:
    """Refuse metadata whose values in the first documents no guarantee of the plan allows; raises GateRefused."""
    if reasons := _refused_columns(settings, documents, is_whole):
        where = "" if is_whole else f"in the first {plural(len(documents), 'document')}: "
        raise GateRefused(f"nothing is released: {where}{'; '.join(reasons)}")


def found_in_first(settings: MethodSettings, documents: Sequence[Document]) -> FoundInColumns:
    """Count the first documents in whose kept metadata the plan's detectors find a span."""
    names = kept_columns(settings)
    values = {document.meta[name] for document in documents for name in names if name in document.meta}
    if not any(value and not is_harmless(value) for value in values):
        return {}  # no model is read
    finders = column_finders(settings, document_context(settings))
    return count_in_documents(documents, names, finders, is_harmless)


def first_records(settings: PlanSettings) -> FirstRecords | None:
    """Read the first records of a plan's input; None if only Spark reads it."""
    given = settings.input
    return read_first_records(given.path, given.format, FIRST_ROWS, options=given.options)


def check_first_rows(settings: PlanSettings) -> None:
    """Refuse a plan by the columns of its input's first rows, before a run starts Spark.

    Raises GateRefused for values that no guarantee allows, and UsageError for metadata that no document of an input
    has. The run itself refuses for other reasons, and keeps the table of rejects.
    """
    if not settings.metadata or (first := first_records(settings)) is None or not first.reading.documents:
        return
    _check_columns(settings, first)


def notes_of_rows(settings: PlanSettings) -> tuple[str, ...]:
    """Return what the first rows of a plan's input show of a run, for ``explain``.

    Raises what a run would, if the first rows are all rows or show it anyway: CorpusError, GateRefused and UsageError.
    """
    first = first_records(settings)
    if first is None:
        return ()
    inventory, documents = first.reading.inventory, first.reading.documents
    rejected = sum(inventory.rejects.values())
    why = too_many(inventory.rejects, inventory.unknown_rejects, len(documents), settings.max_rejects)
    if first.is_whole and not documents:
        raise CorpusError(nothing_readable(settings.input.path, settings.input.format, inventory))
    if why is not None and (first.is_whole or inventory.unknown_rejects):
        raise GateRefused("; ".join((f"nothing is released: {why}", *hints(inventory.rejects))))
    if documents:
        _check_columns(settings, first)
    if first.is_whole and set(settings.edited) == {GOLD} and not inventory.annotations:
        raise GateRefused(NO_ANNOTATIONS)
    return tuple(_notes(settings, first, rejected, why))


def _notes(settings: PlanSettings, first: FirstRecords, rejected: int, why: str | None) -> Iterator[str]:
    documents = first.reading.documents
    which = "all" if first.is_whole else "the first"
    reasons = listed_rejects(first.reading.inventory.rejects)
    lost = f", {rejected:,} {was_or_were(rejected)} rejected ({reasons})" if rejected else ""
    yield f"explain has read {which} {plural(len(documents) + rejected, 'record')} of the input{lost}"
    if why is not None:
        yield f"a run will release no documents if the other records are like these: {why}"
    if lacking := _lacking(settings, first):
        yield f"these documents lack metadata {', '.join(lacking)}. A run stops if every other document lacks it"
    yield from warnings_of_columns(found_in_first(settings, documents))


def _check_columns(settings: PlanSettings, first: FirstRecords) -> None:
    if first.is_whole and (lacking := _lacking(settings, first)):
        raise lacking_metadata(lacking, _held(first))
    require_columns(settings, first.reading.documents, first.is_whole)


def lacking_metadata(lacking: Sequence[str], held: set[str]) -> UsageError:
    """Return the error of metadata that no document has."""
    return UsageError(f"metadata: no document has {' or '.join(map(repr, lacking))}; {columns_text(sorted(held))}")


def _lacking(settings: PlanSettings, first: FirstRecords) -> tuple[str, ...]:
    """Return the metadata of a plan that neither a document nor the input's columns have."""
    given = settings.input
    known = _held(first).union(known_columns(given.path, given.format, given.options) or ())
    return tuple(name for name in settings.metadata if name not in known)


def _held(first: FirstRecords) -> set[str]:
    held = {name for document in first.reading.documents for name in document.meta}
    return held | ({SUBJECT} if first.reading.inventory.documents_with_subject else set())


def _refused_columns(settings: MethodSettings, documents: Sequence[Document], is_whole: bool) -> tuple[str, ...]:
    reasons: list[str] = []
    for name, demand in settings.demands.items():
        kind = GUARANTEES.find(name)
        found = kind.preview(demand, settings, documents, is_whole)
        own = name in GUARANTEES.built_in or not found
        reasons += found if own else (f"{kind.assessment}: {plural(len(found), 'reason')}, not shown",)
    return tuple(reasons)
