"""The guarantee of surrogates: one surrogate per value, no removed value among them, and one offset per person."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import (
    AssessmentResult,
    DocumentCheck,
    DocumentEvidence,
    GuaranteeEvidence,
    GuaranteeKind,
    PlanView,
)
from spark_deid.rewriting.metadata import DETECT, KEEP, KEYED, SUBJECT
from spark_deid.surrogates.date_order import columns_in_date_order, dated_row
from spark_deid.surrogates.kept_dates import constant_columns, date_columns
from spark_deid.surrogates.lists import highest_ratio
from spark_deid.surrogates.recounting import (
    InventedEdit,
    SurrogateClaim,
    SurrogateFaults,
    count_date_faults,
    count_faults,
    count_spared,
    offsets_by_person,
    remaining_terms,
)
from spark_deid.surrogates.scoped import infers_persons
from spark_deid.surrogates.settings import DAYS, SHIFT, SURROGATE, SurrogateSettings, labels_of_kind
from spark_deid.surrogates.shift_technique import shift_rules

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ASSESSMENT = "consistent-surrogates"
CONSISTENT = "consistent_surrogates"
"""The name of this guarantee among those of plans."""
_MEANING = MappingProxyType(
    {
        "split": "{n} words have several surrogates for one person",
        "merged": "{n} surrogates replace several words of one person",
        "same": "{n} surrogates, dates or pseudonyms contain the original",
        "halves": "{n} surrogates are in the half of their original, so they reveal more than one bit",
        "kept": "{n} words of names remain that public lists have only as names, or links contain a login name",
        "offsets": "the dates of {n} people are not shifted by a single number of days",
        "unread": "{n} dates became invalid",
        "digits": "{n} numbers with a check digit became invalid",
        "terms": "{n} terms of allow are words of values that are replaced in the same person's texts",
    }
)


SHARES = {KEEP: 0.05, DETECT: 0.5}
"""Fractions of dates from which a column that is published unchanged, or after detection, reveals too much."""


def _of(_: object, plan: PlanView) -> SurrogateClaim | None:
    rules = plan.rules_by_label
    used = tuple(sorted({rule.technique for rule in rules.values()} & {"surrogate", "shift", "pseudonym"}))
    if not used:
        return None
    surrogates = {label: rule.settings for label, rule in rules.items() if rule.technique == SURROGATE}
    typed = {label: each for label, each in surrogates.items() if isinstance(each, SurrogateSettings)}
    shifts = shift_rules(plan)
    return SurrogateClaim(
        by_subject="document" not in {*(e.scope for e in typed.values()), *(e.scope for e in shifts.values())},
        moves_by_document=any(each.scope == "document" for each in shifts.values()),
        days=max((each.furthest for each in shifts.values()), default=DAYS),
        offsets=next((each.offsets for each in shifts.values()), None),
        techniques=used,
        infers=infers_persons(plan),
        is_reserved=any(each.ranges == "reserved" for each in typed.values()),
        continued=next((each.continue_ for each in typed.values()), None),
        lists=next((each.lists for each in typed.values()), None),
        names=labels_of_kind("name", typed, plan),
        dates=labels_of_kind("date", typed, plan),
        shifted=frozenset(shifts),
        rule_labels=frozenset(rules),
        spares=plan.allow is not None,
    )


def _assess(claim: SurrogateClaim, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Read every made-up replacement and unchanged metadata again next to shifted dates. Up to three Spark jobs."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.surrogates.spark.recount import recount

    found = _result(claim, recount(evidence.corpus, claim, evidence.moved))
    disclosing = _telling_columns(claim, evidence.plan, evidence.corpus.documents)
    assessment = found.assessment
    value, satisfied = assessment.value + len(disclosing), assessment.satisfied and not disclosing
    assessment = assessment._replace(value=value, satisfied=satisfied)
    return found._replace(assessment=assessment, reasons=(*found.reasons, *disclosing))


def _alone(claim: SurrogateClaim, plan: PlanView) -> DocumentCheck:
    own = None if claim.offsets is None else offsets_by_person(claim.offsets)
    return partial(_assess_document, claim=claim, own=own)


def _assess_document(
    evidence: DocumentEvidence, *, claim: SurrogateClaim, own: Mapping[str, frozenset[int]] | None
) -> AssessmentResult:
    """Read the made-up replacements of one document again, which is a scope and, for its dates, a person."""
    text, edits = evidence.text, evidence.edits
    invented = [
        InventedEdit(
            SHIFT if edit.label in claim.dates else edit.technique,
            edit.label in claim.names,
            text[edit.start : edit.end],
            edit.replacement,
        )
        for edit in edits
        if edit.technique in claim.techniques
    ]
    days = None if own is None else own.get(evidence.subject_id or "", frozenset())
    dates = count_date_faults(invented, days=claim.days, own=days)
    spared = count_spared(
        (text[span.start : span.end] for span in remaining_terms(evidence.spared, edits)),
        (text[edit.start : edit.end] for edit in edits if not claim.moves(edit.label)),
    )
    return _result(claim, count_faults(invented).add(dates).add(spared))


def _result(claim: SurrogateClaim, counted: SurrogateFaults) -> AssessmentResult:
    found = {name: n for name, n in counted._asdict().items() if name in _MEANING}
    reasons = tuple(_MEANING[name].format(n=n) for name, n in found.items() if n)
    hidden = () if claim.spares else ("spared", "terms")
    message = ", ".join(f"{name}={n}" for name, n in counted._asdict().items() if name not in hidden)
    scope = "subject" if claim.by_subject else "document"
    # The longest move of a table is one that the table holds.
    measure = f"days={claim.days}" if claim.offsets is None else "offsets=table"
    parameters = f"scope={scope}, {measure}"
    total = float(sum(found.values()))
    assessment = Assessment(ASSESSMENT, parameters, total, 0.0, not reasons, message)
    return AssessmentResult(assessment, reasons, notes=_notes(claim))


def telling_ways(claim: SurrogateClaim, plan: PlanView) -> Mapping[str, str]:
    """Return the metadata that is published in a form whose dates would reveal the number of days."""
    return {name: way for name, way in plan.metadata.items() if way in SHARES} if _moves_dates(claim) else {}


def telling_reason(name: str, plan: PlanView) -> str:
    """Explain why metadata with unchanged dates is refused next to shifted texts, and how to fix it."""
    label = next(iter(shift_rules(plan)), None)
    moved = "surrogates of dates" if label is None else f"rules.{label}: {SHIFT}"
    corrected = f"{{{name}: {SHIFT}}}" if label is not None else f"{{{name}: {SHIFT}}}, and the rule {SHIFT} for dates"
    return (
        f"metadata.{name}: publishes unchanged dates, but dates in texts are shifted ({moved}), so a comparison reveals"
        f" the number of days. To shift the column as well, write metadata: {corrected}. Otherwise remove {name} from"
        f" metadata, or write {{{name}: keep-identifying}} to publish it unchanged"
    )


def _telling_columns(claim: SurrogateClaim, plan: PlanView, documents: "DataFrame") -> tuple[str, ...]:
    """Refuse ids and metadata that show true dates next to dates that move; up to four Spark jobs."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.surrogates.spark import metadata

    dates = metadata.columns_of_dates(documents, _limits(claim, plan))
    order = metadata.telling_order(documents, _order_limits(claim, plan, dates), _shifted(plan))
    return _reasons(plan, dates, metadata.constant_columns(documents, _shifted(plan)), order)


def _preview(claim: SurrogateClaim, plan: PlanView, documents: Sequence[Document], is_whole: bool) -> tuple[str, ...]:
    """Refuse the same metadata by the first documents; a column is constant only if there are no further ones."""
    dates = date_columns(documents, _limits(claim, plan))
    limits, shifted = _order_limits(claim, plan, dates), _shifted(plan)
    rows = (dated_row(each.doc_id, each.subject_id, each.text, each.meta, limits, shifted) for each in documents)
    order = columns_in_date_order(list(rows), limits) if limits else ()
    return _reasons(plan, dates, constant_columns(documents, shifted) if is_whole else (), order)


def _limits(claim: SurrogateClaim, plan: PlanView) -> dict[str, float]:
    return {name: SHARES[way] for name, way in telling_ways(claim, plan).items()}


def _shifted(plan: PlanView) -> tuple[str, ...]:
    return tuple(name for name, way in plan.metadata.items() if way == SHIFT)


def _order_limits(claim: SurrogateClaim, plan: PlanView, dates: Collection[str]) -> dict[str, float]:
    """Return the published ids and metadata that must not follow the dates, except columns of dates."""
    ids = {"doc_id": SHARES[KEEP]} if _moves_dates(claim) and plan.ids == KEEP else {}
    skipped = {*dates, SUBJECT} if plan.ids == KEYED else set(dates)
    return ids | {name: least for name, least in _limits(claim, plan).items() if name not in skipped}


def _reasons(plan: PlanView, dates: Iterable[str], constant: Iterable[str], order: Iterable[str]) -> tuple[str, ...]:
    moved = (
        f"metadata.{name}: {SHIFT} moves a date that most people share, and the middle of its moved copies is that"
        f" date, which shows by how many days: leave {name} out of metadata"
        for name in constant
    )
    return (*(telling_reason(name, plan) for name in dates), *moved, *map(_order_reason, order))


def _order_reason(name: str) -> str:
    """Return why an id or a column is refused that follows the true dates, and what to write instead."""
    shows = "follows the true dates (it encodes a day, or sorts as they do), which shows by how many days they moved:"
    if name == "doc_id":
        return f"doc_id: {shows} write release_ids: keyed, or give other ids (and shuffle the rows of a DataFrame)"
    fixes = f"write metadata: {{{name}: {KEYED}}}, or leave {name} out of metadata"
    return f"metadata.{name}: {shows} {fixes}, or write {{{name}: keep-identifying}} to publish it all the same"


def _moves_dates(claim: SurrogateClaim) -> bool:
    return SHIFT in claim.techniques or bool(claim.dates)


def _notes(claim: SurrogateClaim) -> tuple[str, ...]:
    """Return the limits of shifted dates and surrogates that a reader of the release should know."""
    moved = (
        "all dates of a person are shifted by the same number of days. An attacker who knows one date of a "
        "person knows all of them. Shifted dates do not satisfy Safe Harbor, which allows only years",
    )
    no_person = (
        "reserved numbers and addresses (555-01xx, example.org, 192.0.2.0/24 ...): readers know them for made up",
    )
    own = () if claim.lists is None else (f"lists: {_ratio_of(claim.lists)}",)
    return (*(moved if _moves_dates(claim) else ()), *(no_person if claim.is_reserved else ()), *own)


@cache
def _ratio_of(folder: str) -> str:
    """Describe the highest ratio of the lists of a folder, which may be gone by now."""
    try:
        return (
            f"a surrogate from the user's lists makes its original at most {highest_ratio(folder):.2f} times as likely"
        )
    except UsageError:
        return "the ratio of the user's lists is unknown, because the folder can't be read any more"


def _describe(claim: SurrogateClaim) -> str:
    scope = "person" if claim.by_subject else "document"
    return (
        f"within each {scope}, every original has its own made-up value, and all dates move by the same number of days"
    )


KIND = GuaranteeKind(
    assessment=ASSESSMENT,
    describe=_describe,
    assess=_assess,
    of=_of,
    alone=_alone,
    once_read=_telling_columns,
    preview=_preview,
)
