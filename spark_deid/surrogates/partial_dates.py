"""Dates that no detector of a plan marks, whole or partial: next to dates that moved they show by how many days."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from spark_deid.core.kinds import PlanView
from spark_deid.core.span import Finder, Span
from spark_deid.surrogates.settings import BY_LABEL, ShiftSettings, SurrogateSettings, labels_of_kind
from spark_deid.text.patterns import PatternDetector
from spark_deid.text.patterns.short_dates import is_weekday

SOURCE = "shift/date"
"""The source of spans that the technique finds."""
DATE, OTHERS = "DATE", "*"
_FINDER = PatternDetector(kinds=("date", "partial_date"))
_TIME = re.compile(
    r"(?:at|a las?|à|às|alle|um|om|kl\.?|T)?\s*\d{1,2}"
    r"(?:(?::\d\d)+(?:[.,]\d+)?\s*(?:[ap]\.?m\.?|Z|h|[+-]\d\d:?\d\d)?|\s?[ap]\.?m\.?)",
    re.IGNORECASE,
)
FOUND = "found"
"""Why a mention is a date: it was found in the text, and is no longer searched."""
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


def find_all_dates(text: str, *, label: str = DATE, keeps_weekdays: bool = False) -> list[Span]:
    """Return the dates of a text that do not overlap, whole and partial; without days of the week if these remain.

    >>> text = "Seen Tuesday, 3/4/2014, and in fall 2013; back on Friday."
    >>> [text[span.start : span.end] for span in find_all_dates(text)]
    ['Tuesday, 3/4/2014', 'fall 2013', 'Friday']
    """
    reach, found = 0, []
    for span in sorted(_FINDER.detect(text), key=lambda span: (span.start, -span.end)):
        if span.end > reach:
            start = max(span.start, reach)
            found.append(Span(start, span.end, label, source=SOURCE))
            reach = span.end
    return [span for span in found if not (keeps_weekdays and is_weekday(text[span.start : span.end]))]


def unmarked_dates(
    text: str, pieces: Sequence[Span], *, label: str, keeps_weekdays: bool, dates: Sequence[Span] | None = None
) -> tuple[Span, ...]:
    """Return the parts of dates that no piece marks; pieces are in order. Times of day next to a piece remain.

    ``dates`` are all dates of the text if they are known, as ``find_all_dates`` returns them.

    >>> text = "on Tuesday, 3/4/2014 at 10:30"
    >>> found = unmarked_dates(text, [Span(12, 20, "DATE")], label="DATE", keeps_weekdays=False)
    >>> [text[span.start : span.end] for span in found]
    ['Tuesday']
    """
    found: list[Span] = []
    for span in find_all_dates(text, label=label) if dates is None else dates:
        parts = list(_without(span, pieces))
        for start, end in parts:
            part = text[start:end]
            shown = _EDGE.sub("", part)
            if not shown or _TIME.fullmatch(shown) or (keeps_weekdays and is_weekday(shown)):
                continue
            begin = start + part.index(shown)
            is_whole = (start, end) == (span.start, span.end)
            found.append(span if is_whole else span._replace(start=begin, end=begin + len(shown)))
    return tuple(found)


def _without(span: Span, pieces: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span outside all pieces."""
    start = span.start
    for piece in pieces:
        if piece.end > start and piece.start < span.end:
            if piece.start > start:
                yield start, piece.start
            start = piece.end
    if start < span.end:
        yield start, span.end


def label_of_dates(labels: Iterable[str], rules: Collection[str]) -> str:
    """Return the label of dates that no detector marks: DATE if these labels include it, otherwise another of them.

    ``*`` includes every label without its rule. ``rules`` are the labels with a rule.

    >>> label_of_dates(["DOB"], ["DOB"]), label_of_dates(["*"], ["*"]), label_of_dates(["*"], ["*", "DATE"])
    ('DOB', 'DATE', 'BIRTHDATE')
    """
    named = list(labels)
    offered = (DATE, *named, *(label for label, kind in BY_LABEL.items() if kind == "date"))
    is_own = (each for each in offered if each != OTHERS and (each in named or (OTHERS in named and each not in rules)))
    return next(is_own, DATE)


def moves_dates(surrogates: Mapping[str, SurrogateSettings], plan: PlanView) -> bool:
    """Return whether rules with surrogates move dates."""
    return bool(labels_of_kind("date", surrogates, plan))


def date_finders(plan: PlanView) -> tuple[Finder, ...]:
    """Return what finds all dates in a value of metadata, if dates of the plan move."""
    rules = [(label, rule.settings) for label, rule in plan.rules_by_label.items()]
    shifts = [each for _, each in rules if isinstance(each, ShiftSettings)]
    surrogates = {label: each for label, each in rules if isinstance(each, SurrogateSettings)}
    if not shifts and not moves_dates(surrogates, plan):
        return ()
    return (_without_weekdays,) if any(each.keep for each in shifts) else (find_all_dates,)


def _without_weekdays(text: str) -> list[Span]:
    return find_all_dates(text, keeps_weekdays=True)
