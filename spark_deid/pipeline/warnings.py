"""What a user should know about a run that went well, in sentences; no text of a document."""

from collections import Counter
from collections.abc import Mapping, Set
from types import MappingProxyType

from pyspark.sql import DataFrame

from spark_deid.core.edit import RARE
from spark_deid.core.plurals import make_printable, plural, was_or_were
from spark_deid.core.span import GOLD, detector_of, is_allowed
from spark_deid.engine import functions as F
from spark_deid.guarantees.spark import DecisionCounts
from spark_deid.pipeline.columns import warnings_of_columns
from spark_deid.pipeline.one_document import warners_of_said
from spark_deid.pipeline.run import PipelineRun
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import detectors_of
from spark_deid.release.metadata_leaks import LEAST
from spark_deid.release.remaining_names import RemainingNames
from spark_deid.release.spark.leaks import COLUMNS, IDS, PERSONS, TEXTS, RemovedText, ResidualCounts
from spark_deid.release.spark.residual_documents import ResidualDocuments, without_ids
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import KEEP
from spark_deid.rewriting.spark.metadata import FoundInColumns
from spark_deid.text.language import CODE_PATTERN, in_language, plain_language

LOOKED_AT_DOCUMENTS, LOOKED_AT_CHARACTERS = 500, 4000
"""How much of a corpus tells whether detectors know such text."""
NOTHING: FoundInColumns = MappingProxyType({})
NOWHERE: Mapping[str, ResidualDocuments] = MappingProxyType({})
_REPEATS = "repeats"
_NAMED = 5
"""How many documents a warning names; the workspace's manifest has more."""
_IN_MANIFEST = ". documents_with_removed in the workspace's manifest lists the first of them"
_NEXT = MappingProxyType(
    {
        TEXTS: "To hide it there, add a detector that finds it, such as a list (deny)",
        IDS: "To replace ids with hashes, set release_ids: keyed",
        COLUMNS: "To replace the values with hashes, set {COLUMN: keyed} in metadata. To publish no values, remove "
        "the column from metadata",
        PERSONS: "To omit an attribute from that table, remove it from identity.roles.sensitive",
    }
)
"""What to do about removed text that stands somewhere."""
_SPARED = ". Terms that identify no one can be added to allow"


def warnings_of(run: PipelineRun) -> tuple[str, ...]:
    """Return every warning of a run that was scanned: of its edits, its input, its leaks and its columns."""
    can_spare = next(run.settings.reasons_against_allow(), None) is None
    leaks = warnings_of_residuals(run.residuals, run.found_in_columns, *_documents_to_name(run), can_spare=can_spare)
    columns = warnings_of_columns(run.found_in_columns)
    counted = run.checked.counted
    return (
        *warnings_of_edits(run.settings, counted),
        *warnings_of_labels(len(run.corpus.hidden_labels)),
        *warnings_of_input(run),
        *warnings_of_sampling(run.removed),
        *columns,
        *(note for each in run.checked.assessed for note in each.notes),
        *leaks,
        *warnings_of_remaining(run.remaining_names),
    )


def _documents_to_name(run: PipelineRun) -> tuple[Mapping[str, ResidualDocuments], str]:
    """Return documents that hold removed text as warnings may show them, and where those that they do not name are.

    Ids that a release keeps may hold removed text themselves, in forms that the scan does not look for: they are for
    the private manifest of a workspace, which a run on a DataFrame, that has no path, does not write.
    """
    if run.settings.ids != "keep":
        return run.residual_documents, ""
    return without_ids(run.residual_documents), _IN_MANIFEST if run.contents.path else ""


def warnings_of_labels(hidden: int) -> tuple[str, ...]:
    """Say how many labels would tell text that was removed.

    >>> warnings_of_labels(1)[0].partition(".")[0]
    '1 label is not valid or contains removed text'
    """
    if not hidden:
        return ()
    one, several = "label is not valid or contains", "labels are not valid or contain"
    what = one if hidden == 1 else several
    return (
        f"{hidden} {what} removed text. They are published as LABEL_1 and so on, which the workspace's "
        "manifest maps to the labels. To publish a label, add it to rules or labels of the plan",
    )


def warnings_of_input(run: PipelineRun) -> tuple[str, ...]:
    """Say what of an input is no document, and whether ids of documents may name persons."""
    found, inventory = [], run.contents.inventory
    names_files = run.contents.names_files or run.checked.counted.totals.named_by_file
    if run.settings.ids == "keep" and names_files:
        found.append(
            "document ids contain file names, which may identify people. To replace them with hashes, set "
            "release_ids: keyed"
        )
    if inventory.passed_over:
        found.append(inventory.skipped_notice())
    if inventory.base64_values and run.settings.metadata:
        found.append(f"{plural(inventory.base64_values, 'value')} of metadata not in UTF-8, written in base64")
    if attachments := inventory.attachments:
        found.append(
            f"{plural(attachments, 'attachment')} of mails {was_or_were(attachments)} skipped, because only "
            "text is read"
        )
    return tuple(found)


def warnings_of_detectors(settings: MethodSettings, documents: DataFrame) -> tuple[str, ...]:
    """Say which detectors may not know such text, by the beginnings of the first documents.

    Of the languages that documents are said to be in all are counted. Two small jobs at most.
    """
    return (*_of_first_texts(settings, documents), *_of_said_languages(settings, documents))


def _of_first_texts(settings: MethodSettings, documents: DataFrame) -> tuple[str, ...]:
    warners = [(kind.warn, section) for _, kind, section in detectors_of(settings) if kind.warn]
    if not warners:
        return ()
    column = settings.language_column
    stated = F.lit(None) if column is None else F.col("meta").getItem(column)
    looked_at = documents.select(F.substring("text", 1, LOOKED_AT_CHARACTERS), stated)
    texts = [in_language(text, language) for text, language in looked_at.limit(LOOKED_AT_DOCUMENTS).collect()]
    return tuple(warning for warn, section in warners for warning in warn(section, texts))


def _of_said_languages(settings: MethodSettings, documents: DataFrame) -> tuple[str, ...]:
    warners = warners_of_said(settings)
    if settings.language_column is None or not warners:
        return ()
    languages = said_languages(documents, settings.language_column)
    return tuple(warning for warn in warners for warning in warn(languages))


def said_languages(documents: DataFrame, column: str) -> Counter[str]:
    """Count the documents of each language that metadata says they are in, over all of them; what is no code is left.

    Only codes are grouped, so that a column of anything else brings few rows.
    """
    code = F.lower(F.regexp_extract(F.col("meta").getItem(column), rf"\A{CODE_PATTERN}\z", 1)).alias("code")
    counted: Counter[str] = Counter()
    for stated, number in documents.select(code).where(F.col("code") != "").groupBy("code").count().collect():
        if language := plain_language(stated):
            counted[language] += number
    return counted


def warnings_of_residuals(
    residuals: ResidualCounts,
    found: FoundInColumns = NOTHING,
    documents: Mapping[str, ResidualDocuments] = NOWHERE,
    elsewhere: str = "",
    *,
    can_spare: bool = True,
) -> tuple[str, ...]:
    """Say where text that was removed in one place stands in another that is published, in which documents, what to do.

    Of kept columns no label is told again that detectors find there, and no documents then, which may hold such ones
    alone. ``elsewhere`` says where documents are named that are not named here, ``can_spare`` whether the plan may have
    a list of terms that stay.
    """
    labels_of_columns = {label for labels in found.values() for label in labels}
    left = {
        place: {label: count for label, count in counts.items() if place != COLUMNS or label not in labels_of_columns}
        for place, counts in residuals.items()
    }
    return tuple(
        f"removed text of {LEAST} characters or more is still published in {place}, by label: "
        + ", ".join(f"{label} {count}" for label, count in counts.items())
        + (f" ({_named(documents[place], elsewhere)})" if place in documents and counts == residuals[place] else "")
        + f". {_NEXT[place]}{_SPARED if place == TEXTS and can_spare else ''}"
        for place, counts in left.items()
        if counts
    )


def warnings_of_remaining(remaining: Mapping[str, RemainingNames]) -> tuple[str, ...]:
    """Return a warning if words of removed names remain other than common words.

    >>> warnings_of_remaining({"NAME": RemainingNames(5, 4, 1)})[0].partition(".")[0]
    '1 word of removed names remains in 1 document, in texts of the same person'
    >>> warnings_of_remaining({"NAME": RemainingNames(4, 4, 0)})
    ()
    """
    words = sum(each.words - each.common_words for each in remaining.values())
    if not words:
        return ()
    documents = max(each.documents for each in remaining.values())
    return (
        f"{plural(words, 'word')} of removed names {'remains' if words == 1 else 'remain'} in "
        f"{plural(documents, 'document')}, in texts of the same person. To hide them, add names: "
        "{propagate: true}, and the detector names to sources. remaining_names in the workspace's manifest "
        "has the counts",
    )


def warnings_of_residual_values(residuals: ResidualCounts) -> tuple[str, ...]:
    """Say which columns of a table have values, removed from them, that stand in columns that stay, and what to do.

    >>> warnings_of_residual_values({"kept columns": {"ward": 2}})[0].partition(":")[0]
    'removed values of 6 characters or more are still published in kept columns, by their original column'
    """
    return tuple(
        f"removed values of {LEAST} characters or more are still published in kept columns, by their original "
        f"column: {', '.join((f'{make_printable(name)} {count}' for name, count in columns.items()))}. To "
        "omit a column, remove it from keep and sensitive. To recode it, add it to quasi"
        for columns in residuals.values()
        if columns
    )


def _named(found: ResidualDocuments, elsewhere: str) -> str:
    """Say how many documents these are, and which the first of them, or where that is said.

    >>> _named(ResidualDocuments(1), ""), _named(ResidualDocuments(7, ("a", "b", "c", "d", "e", "f")), "")
    ('in 1 document', 'in 7 documents: a, b, c, d, e ...')
    """
    number = f"in {plural(found.documents, 'document')}"
    if not found.ids:
        return number + elsewhere
    names = make_printable(", ".join(found.ids[:_NAMED]).replace("\n", " "))
    return f"{number}: {names}{' ...' if found.documents > _NAMED else ''}"


def warnings_of_sampling(removed: RemovedText) -> tuple[str, ...]:
    """Say that of very much text that was removed a part was looked for in what is published."""
    if removed.every == 1:
        return ()
    return (
        f"the run removed too much text to search for all of it. One in {removed.every} removed passages was "
        "searched for in the release",
    )


def lacks_gold(settings: MethodSettings, counted: DecisionCounts) -> bool:
    """Tell whether a plan hides annotations, and the input has none."""
    return GOLD in settings.edited and GOLD not in counted.spans


def warnings_of_edits(settings: MethodSettings, counted: DecisionCounts) -> tuple[str, ...]:
    """Say what the user should know about edits, wherever documents came from."""
    found = []
    if not counted.edits:
        annotations = (
            ". sources contains gold, but the input has no annotations" if lacks_gold(settings, counted) else ""
        )
        found.append(f"no span was found, so the release has the unchanged texts of the input{annotations}")
    if rare := sum(labels.get(RARE, 0) for labels in counted.edits.values()) if _REPEATS in settings.edited else 0:
        found.append(
            f"{plural(rare, 'place')} of rare text {was_or_were(rare)} hidden. If a field has few answers, such as"
            " positive and negative, a hidden answer is known to be rare. repeats.whole_fields: true hides all"
            " answers of fields such as `Result: negative`, and a deny list hides each answer that it lists"
        )
    if counted.totals.gold_unedited and GOLD not in settings.edited:
        found.append(
            f"{counted.totals.gold_unedited} input annotations still contain an unedited word because sources "
            "does not include gold"
        )
    if spared := {source: sum(labels.values()) for source, labels in counted.spans.items() if is_allowed(source)}:
        message = ", ".join(f"{detector_of(source)} {number}" for source, number in spared.items())
        found.append(f"{sum(spared.values())} spans are published unchanged, because allow lists their text: {message}")
    staying = {label for label, rule in settings.rules_by_label.items() if rule.technique == KEEP}
    if left := _by_label(settings, counted, staying):
        message = ", ".join(f"{label} {number}" for label, number in left.items())
        total = sum(left.values())
        kept = f"{plural(total, 'span')} {'is' if total == 1 else 'are'} published unchanged"
        found.append(f"{kept} unless another span overlaps, because rules keep the label: {message}")
    if counted.totals.allowed_gold:
        found.append(f"{counted.totals.allowed_gold} input annotations cover text that allow keeps")
    for technique, reasons in handed_back_of(counted).items():
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        found.append(
            f"{sum(reasons.values())} spans were suppressed, because {technique} did not replace them: {counts}"
        )
    return (*found, *noted_by(counted))


def _by_label(settings: MethodSettings, counted: DecisionCounts, labels: Set[str]) -> dict[str, int]:
    """Count the spans of labels that detectors found whose spans are edited."""
    found: Counter[str] = Counter()
    for source, entry in counted.spans.items():
        if detector_of(source) in settings.edited:
            found.update({label: number for label, number in entry.items() if label in labels})
    return dict(sorted(found.items()))


def noted_by(counted: DecisionCounts) -> tuple[str, ...]:
    """Return what techniques note of how they worked, in sentences with counts."""
    return tuple(
        f"{technique}: {notes[note].format(n=n)}"
        for technique, noted in counted.handed_back.items()
        for notes in (TECHNIQUES.find(technique).notes,)
        for note, n in noted.items()
        if note in notes
    )


def handed_back_of(counted: DecisionCounts) -> dict[str, dict[str, int]]:
    """Return the spans that techniques did not replace, by technique and reason, without what these note beside."""
    found = {
        technique: {why: n for why, n in reasons.items() if why not in TECHNIQUES.find(technique).notes}
        for technique, reasons in counted.handed_back.items()
    }
    return {technique: reasons for technique, reasons in found.items() if reasons}
