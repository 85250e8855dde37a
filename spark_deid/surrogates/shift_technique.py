"""The technique ``shift``: dates move by one secret number of days a person."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.document import Document
from spark_deid.core.kinds import DocumentReading, Gatherer, MethodContext, PlanView, Reader, TechniqueKind
from spark_deid.core.span import Span
from spark_deid.surrogates.date_shift import BARE_YEAR, NO_OFFSET, NO_YEAR, ShiftRequest, shift
from spark_deid.surrogates.offsets import offset_table
from spark_deid.surrogates.partial_dates import DATE, FOUND, SOURCE, label_of_dates, unmarked_dates
from spark_deid.surrogates.scoped import UNREAD, scope_of
from spark_deid.surrogates.settings import (
    SHIFT,
    SURROGATE,
    ShiftSettings,
    SurrogateSettings,
    kind_of_label,
    locale_of_rule,
)
from spark_deid.surrogates.template_slots import TEMPLATE, SlotRequest

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

REASONS = (UNREAD, BARE_YEAR, NO_YEAR, NO_OFFSET, TEMPLATE)
BY_DOCUMENT = "by-document"
NOTES = MappingProxyType(
    {BY_DOCUMENT: "the dates of {n} documents move by separate numbers, since these name no person"}
)


def shift_request(settings: ShiftSettings, plan: PlanView, key: bytes) -> ShiftRequest:
    """Return how dates of a rule move."""
    table = None if settings.offsets is None else offset_table(settings.offsets)
    locale, by_subject = locale_of_rule(settings.locale, plan), settings.scope == "subject"
    return ShiftRequest(settings.days, settings.keep is not None, locale, key, table, by_subject)


def _read(settings: Mapping[str, ShiftSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    chosen = next(iter(settings.values()))
    request = shift_request(chosen, run.plan, run.secret)
    label = label_of_dates(settings, run.plan.rules_by_label)
    are_found = run.spark is not None
    return partial(read_dates, request=request, labels=frozenset(settings), label=label, are_found=are_found)


def _gather(settings: Mapping[str, ShiftSettings], run: MethodContext) -> Gatherer | None:
    """Return what finds dates of templates in a corpus; a string has only one person."""
    if run.spark is None:
        return None
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.surrogates.spark.template_slots import SlotGatherer

    chosen = next(iter(settings.values()))
    label = label_of_dates(settings, run.plan.rules_by_label)
    locale = locale_of_rule(chosen.locale, run.plan)
    return SlotGatherer(SlotRequest(frozenset(settings), "*" in settings, label, locale, run.secret), run.place)


def read_dates(
    document: Document,
    pieces: Sequence[Span],
    *,
    request: ShiftRequest,
    labels: Collection[str] = (),
    label: str = DATE,
    are_found: bool = False,
) -> DocumentReading:
    """Read a document with its dates, also those that no piece marks; these are mentions if they ``are_found``.

    A document that names no person is noted if it has dates that move: these move by a separate number.
    """
    dates = None
    if are_found:
        dates = [Span(m.start, m.end, label, source=SOURCE) for m in document.mentions if m.reason == FOUND]
    further = unmarked_dates(document.text, pieces, label=label, keeps_weekdays=request.whole_weeks, dates=dates)
    is_unowned = scope_of(document, by_subject=True) == scope_of(document, by_subject=False)
    has_dates = bool(further) or not labels or any(piece.label in labels for piece in pieces)
    is_noted = is_unowned and has_dates and request.table is None and request.by_subject
    noted = ((BY_DOCUMENT, 1),) if is_noted else ()
    template = frozenset((each.start, each.end) for each in document.mentions if each.reason == TEMPLATE)
    return DocumentReading(further, partial(shift, request=request, template=template), noted)


def _describe(settings: ShiftSettings) -> str:
    unit = "whole weeks" if settings.keep else "days"
    if settings.offsets is not None:
        message = f"the date shifted by the {unit} that your table has for the person. Other dates are suppressed"
    else:
        message = (
            f"the date shifted by a secret number of {unit}, at most {settings.days} days forward or back, one "
            f"per {'person' if settings.scope == 'subject' else 'document'}"
        )
    return f"{message}. Dates without a span are shifted as well. Partial dates are suppressed"


def shift_rules(plan: PlanView) -> Mapping[str, ShiftSettings]:
    """Return the settings of the rules that shift, by label."""
    rules = plan.rules_by_label
    return {
        label: rule.settings
        for label, rule in rules.items()
        if rule.technique == SHIFT and isinstance(rule.settings, ShiftSettings)
    }


def request_of_plan(plan: PlanView, key: bytes) -> ShiftRequest:
    """Return how the dates of a plan with rules that shift move."""
    return shift_request(next(iter(shift_rules(plan).values())), plan, key)


def _refuse(label: str, settings: ShiftSettings, plan: PlanView) -> str | None:
    """Return why a plan cannot shift: two measures would separate a person's dates, or ages are made up."""
    if any(each != settings for each in shift_rules(plan).values()):
        return (
            "dates of a person move together: expected the same days, keep, locale and offsets, and scope, in each rule"
        )
    rules = plan.rules_by_label.values()
    others = {rule.settings.scope for rule in rules if isinstance(rule.settings, SurrogateSettings)}
    if settings.scope == "document" and others == {"subject"}:
        return "surrogates have the scope subject: expected scope: document in each rule with surrogate, or none here"
    for other, rule in plan.rules_by_label.items():
        if rule.technique == SURROGATE and kind_of_label(other, rule.settings, plan) == "age":  # type: ignore[arg-type]
            return f"with shifted dates, made-up ages of {other} would not go: expected another technique for {other}"
    return None


def _always(*_: object) -> bool:
    return True


def _moved(settings: Mapping[str, ShiftSettings], _: PlanView) -> frozenset[str]:
    """Return all labels of the rules: a true date next to moved dates shows by how many days they moved."""
    return frozenset(settings)


KIND = TechniqueKind(
    describe=_describe,
    read=_read,
    sees="document",
    settings=ShiftSettings,
    reasons=REASONS,
    notes=NOTES,
    refuse=_refuse,
    reads_unmarked=_always,
    gather=_gather,
    invents=True,
    recounted_by=("consistent_surrogates",),
    unspared=_moved,
)
