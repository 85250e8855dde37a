"""Move dates by one secret number of days a person, in the form in which they are written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.hashing import keyed_number
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.surrogates.offsets import OffsetTable, offsets_of
from spark_deid.surrogates.scoped import UNREAD, scope_of
from spark_deid.text.patterns.short_dates import tells_day
from spark_deid.values.date import PartialDate
from spark_deid.values.date_form import WrittenDate, read_form, write_form
from spark_deid.values.locale import ValueLocale

BARE_YEAR, NO_YEAR, NO_OFFSET, UNSURE, ORDER = "bare-year", "no-year", "no-offset", "unsure", "order"
"""Why a date is suppressed: it says a year alone, or none where its document does not tell which, or whose it is has no
offset in the institution's table; it may be a dose or a score, which moved would tell the offset; or it can be read in
two ways, and its document has dates in another order of day and month than the locale's."""
_DAY_FIRST = {True: ("day", "month", "year"), False: ("month", "day", "year")}
"""The parts of a whole date in figures, by whether the day stands first; other dates have one reading."""
_MOST_MONTHS = 12
_PATTERNS = "patterns/"
_PAIR = re.compile(r"[0-9]{1,2}/[0-9]{1,2}")
MIDDLE = 15
"""The day of a month that a month without a day moves as."""
_WEEK = 7


class ShiftRequest(NamedTuple):
    """How dates move: by how many days at most, whether by whole weeks, how they are written, and the secret.

    Where there is a ``table``, it alone says by how many days each person's move.
    """

    days: int
    whole_weeks: bool
    locale: ValueLocale
    key: bytes
    table: OffsetTable | None = None


class DateMove(NamedTuple):
    """What a date becomes; None and why where it may become nothing."""

    text: str | None
    reason: str = ""


def offset_of(document: Document, request: ShiftRequest) -> int | None:
    """Return the days by which the dates of a document move, never 0; None where a table does not know its person.

    A person whom a table lacks is given none: a drawn number would differ from the one that the institution moves
    that person by elsewhere, and the two together would tell both.
    """
    if request.table is None:
        return drawn_offset(scope_of(document, by_subject=True), request)
    return None if document.subject_id is None else offsets_of(request.table).get(document.subject_id)


def drawn_offset(scope: str, request: ShiftRequest) -> int:
    """Return the days that the secret draws for a scope, never 0.

    >>> request = ShiftRequest(14, True, ValueLocale(), b"k" * 32)
    >>> drawn_offset("subject p", request) in (-14, -7, 7, 14)
    True
    """
    step = _WEEK if request.whole_weeks else 1
    draw = keyed_number(request.key, "shift", scope)
    size = step * (1 + (draw >> 1) % (request.days // step))
    return size if draw & 1 else -size


def shift(document: Document, spans: Sequence[Span], *, request: ShiftRequest) -> Iterator[Edit | SuppressedSpan]:
    """Move the dates that spans mark; what is none, or can't move, is left with the reason."""
    texts = [document.text[span.start : span.end] for span in spans]
    offset = offset_of(document, request)
    years = years_of(texts, request.locale)
    has_other_order = any(_is_turned(text, request.locale) for text in texts)
    for span, text in zip(spans, texts, strict=True):
        if has_other_order and _has_two_readings(text, request.locale):
            moved = DateMove(None, ORDER)
        elif _may_be_none(document.text, span):
            moved = DateMove(None, UNSURE)
        else:
            moved = move(text, offset, years, request.locale)
        if moved.text is None:
            yield SuppressedSpan(span.start, span.end, moved.reason)
        else:
            yield Edit(span.start, span.end, "shift", moved.text)


def _is_turned(text: str, locale: ValueLocale) -> bool:
    """Tell whether a date in figures can only be read in another order of day and month than the locale's."""
    form = _form(text, locale)
    return form is not None and _order(form) == _DAY_FIRST[not locale.is_day_first]


def _has_two_readings(text: str, locale: ValueLocale) -> bool:
    form = _form(text, locale)
    if form is None or _order(form) not in _DAY_FIRST.values():
        return False
    day, month = form.value.day or 0, form.value.month
    return day != month and day <= _MOST_MONTHS


def _order(form: WrittenDate) -> tuple[str, ...]:
    return tuple(field.name for field in form.fields if field.name != "weekday")


def _may_be_none(text: str, span: Span) -> bool:
    """Tell whether a pattern took two numbers for a day without a word that says so: who marks dates by hand knows."""
    if not span.source.startswith(_PATTERNS) or _PAIR.fullmatch(text, span.start, span.end) is None:
        return False
    return not tells_day(text, span.start, span.end)


def years_of(texts: Iterable[str], locale: ValueLocale) -> frozenset[int]:
    """Return the years of the whole dates among texts."""
    forms = (_form(text, locale) for text in texts)
    return frozenset(form.value.year for form in forms if form and form.value.year is not None and form.value.day)


def move(text: str, offset: int | None, years: frozenset[int], locale: ValueLocale) -> DateMove:
    """Return a date moved by days, in its form; one without a year takes the only year there is.

    >>> move("11/21", 30, frozenset({2014}), ValueLocale()), move("2014", 30, frozenset(), ValueLocale()).reason
    (DateMove(text='12/21', reason=''), 'bare-year')
    """
    if offset is None:
        return DateMove(None, NO_OFFSET)
    form = _form(text, locale)
    if form is None:
        return DateMove(None, UNREAD)
    value = form.value
    if value.month is None:
        return DateMove(None, UNREAD if value.day else BARE_YEAR)
    if value.year is None and (value.day is None or len(years) != 1):
        return DateMove(None, NO_YEAR)
    moved = _moved(value, offset, years)
    if moved is None:
        return DateMove(None, UNREAD)
    if _is_short(text, form) and locale.year_of(moved.year % 100) != moved.year:
        return DateMove(None, UNREAD)
    return DateMove(write_form(text, form, moved, locale))


def _moved(value: PartialDate, offset: int, years: frozenset[int]) -> date | None:
    year = next(iter(years)) if value.year is None else value.year
    try:
        return date(year, value.month or 1, value.day or MIDDLE) + timedelta(offset)
    except (ValueError, OverflowError):  # a 29th of February in another year, or beyond what there is
        return None


def _is_short(text: str, form: WrittenDate) -> bool:
    return any(field.name == "year" and field.end - field.start == 2 for field in form.fields)


@lru_cache(maxsize=1 << 14)
def _form(text: str, locale: ValueLocale) -> WrittenDate | None:
    return read_form(text, locale)
