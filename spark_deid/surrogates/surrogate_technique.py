"""The technique ``surrogate`` replaces values with others of their kind in the same form."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.core.document import Document
from spark_deid.core.kinds import DocumentReading, Gatherer, MethodContext, PlanView, Reader, TechniqueKind
from spark_deid.core.span import Span
from spark_deid.surrogates.date_shift import BARE_YEAR, NO_OFFSET, NO_YEAR
from spark_deid.surrogates.lists import highest_ratio
from spark_deid.surrogates.partial_dates import label_of_dates, moves_dates, unmarked_dates
from spark_deid.surrogates.scoped import (
    CLASH,
    COMPOSED,
    ELSEWHERE,
    EXHAUSTED,
    FEW_VALUES,
    IN_RANGE,
    OLDER,
    UNREAD,
    infers_persons,
    read_alone,
    read_assigned,
)
from spark_deid.surrogates.settings import (
    SURROGATE,
    ShiftSettings,
    SurrogateSettings,
    keeps_gender,
    keeps_regions,
    kind_of_label,
    labels_of_kind,
    locale_of_rule,
)
from spark_deid.surrogates.shift_technique import shift_request, shift_rules
from spark_deid.surrogates.spark.assigning import ScopeGatherer
from spark_deid.surrogates.surrogate_scope import UNKNOWN, SurrogateWork

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

REASONS = (UNREAD, EXHAUSTED, CLASH, FEW_VALUES, IN_RANGE, UNKNOWN, BARE_YEAR, NO_YEAR, NO_OFFSET)
NOTES = {
    COMPOSED: "{n} mentions have a composed name, since a list had no other left",
    OLDER: "{n} mentions keep surrogates from a workspace of an older version (older_rule). Their draws depended on"
    " more than one bit of the originals. Run without continue to draw all surrogates again",
    ELSEWHERE: "{n} mentions have a place of the same country, because no list has the state of the original",
}
_ALIKE = ("scope", "lists", "ranges", "places", "locale", "continue_")


def work_of(settings: Mapping[str, SurrogateSettings], plan: PlanView, key: bytes) -> SurrogateWork:
    """Return how the labels of these rules are given surrogates."""
    chosen = next(iter(settings.values()))
    dates = next(iter(shift_rules(plan).values()), ShiftSettings(locale=chosen.locale))
    return SurrogateWork(
        kinds={label: kind_of_label(label, each, plan) for label, each in settings.items()},
        labels=frozenset(plan.rules_by_label) - settings.keys(),
        locale=locale_of_rule(chosen.locale, plan),
        shift=shift_request(dates, plan, key),
        by_subject=chosen.scope == "subject",
        is_reserved=chosen.ranges == "reserved",
        folder=chosen.lists,
        keeps_gender=keeps_gender(plan),
        keeps_regions=chosen.places == "state",
        hides_ages=bool(shift_rules(plan) or labels_of_kind("date", settings, plan)),
        key=key,
    )


def _read(settings: Mapping[str, SurrogateSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    work = work_of(settings, run.plan, run.secret)
    read = partial(read_assigned if _gathers(settings, run) else read_alone, work=work)
    if not _reads_unmarked(settings, run.plan):
        return read
    dates = labels_of_kind("date", settings, run.plan) & settings.keys()
    return partial(_read_with_dates, read=read, label=label_of_dates(sorted(dates) or ["*"], run.plan.rules_by_label))


def _read_with_dates(document: Document, pieces: Sequence[Span], *, read: Reader, label: str) -> DocumentReading:
    """Read a document with its dates, also those that no piece marks."""
    further = unmarked_dates(document.text, pieces, label=label, keeps_weekdays=False)
    return read(document, sorted((*pieces, *further)))._replace(further=further)


def _reads_unmarked(settings: Mapping[str, SurrogateSettings], plan: PlanView) -> bool:
    """Return whether dates move by surrogates only."""
    return not shift_rules(plan) and moves_dates(settings, plan)


def _gathers(settings: Mapping[str, SurrogateSettings], run: MethodContext) -> bool:
    """Return whether values of several documents belong together."""
    chosen = next(iter(settings.values()))
    several = run.subjects > 0 or chosen.continue_ is not None or infers_persons(run.plan)
    return run.spark is not None and chosen.scope == "subject" and several


def _gather(settings: Mapping[str, SurrogateSettings], run: MethodContext) -> Gatherer | None:
    if not _gathers(settings, run):
        return None
    earlier = next(iter(settings.values())).continue_
    work = work_of(settings, run.plan, run.secret)
    return ScopeGatherer((work,), run, {} if earlier is None else {work.technique: earlier})


def _sees_one(settings: SurrogateSettings) -> bool:
    return settings.scope == "document" and settings.continue_ is None


def _describe(settings: SurrogateSettings) -> str:
    scope = "in all documents of a person" if settings.scope == "subject" else "in its document"
    ratio = (
        ""
        if settings.lists is None
        else f" (with your lists, a surrogate makes its original at most {highest_ratio(settings.lists):.2f} times "
        "as likely)"
    )
    return f"a made-up value of the same kind, selected with the secret key, the same {scope}{ratio}"


def _refuse(label: str, settings: SurrogateSettings, plan: PlanView) -> str | None:
    """Explain why a rule is refused: the kind of its label is unknown, or rules disagree."""
    if label != "*" and kind_of_label(label, settings, plan) is None:
        return "surrogate needs the kind of the label. Add as: name, place, organization, code or similar"
    if label != "*" and kind_of_label(label, settings, plan) == "age" and (dates := _own_dates(plan)):
        return f"with dates that move ({dates[0]}), made-up ages would not go: expected another technique for {label}"
    others = [rule.settings for rule in plan.rules_by_label.values() if rule.technique == SURROGATE]
    wrong = [name for name in _ALIKE for other in others if getattr(other, name) != getattr(settings, name)]
    if settings.places == "state" and not keeps_regions(plan):
        return (
            "places: state would reveal a value that the identifier view generalizes, because a place is a "
            "quasi-identifier or sensitive"
        )
    if settings.scope == "document" and settings.continue_ is not None:
        return "continue reuses the surrogates of people. Expected scope: subject, got document"
    if settings.places == "state" and settings.lists is not None and (Path(settings.lists) / "city.txt").exists():
        return "places: state uses the package's cities. Remove city.txt from the lists"
    if wrong:
        return f"surrogates go together: expected the same {wrong[0].rstrip('_')} in every rule with surrogate"
    return None


def _own_dates(plan: PlanView) -> list[str]:
    """Return the labels of dates with a separate rule for surrogates."""
    rules = {label: rule.settings for label, rule in plan.rules_by_label.items() if rule.technique == SURROGATE}
    typed = {label: each for label, each in rules.items() if isinstance(each, SurrogateSettings)}
    return sorted(labels_of_kind("date", typed, plan) & typed.keys())


def _moved(settings: Mapping[str, SurrogateSettings], plan: PlanView) -> frozenset[str]:
    """Return the labels of dates, which move."""
    return labels_of_kind("date", settings, plan)


KIND = TechniqueKind(
    describe=_describe,
    settings=SurrogateSettings,
    read=_read,
    sees_one=_sees_one,
    gather=_gather,
    reasons=REASONS,
    notes=NOTES,
    refuse=_refuse,
    invents=True,
    reads_unmarked=_reads_unmarked,
    recounted_by=("consistent_surrogates",),
    unspared=_moved,
)
