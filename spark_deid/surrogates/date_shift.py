"""Move dates by one secret number of days a person, in the form in which they are written."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.hashing import keyed_number
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.surrogates.offsets import OffsetTable, offsets_of
from spark_deid.surrogates.partial_dates import SOURCE
from spark_deid.surrogates.scoped import UNREAD, scope_of
from spark_deid.surrogates.template_slots import TEMPLATE
from spark_deid.text.patterns.short_dates import tells_day
from spark_deid.values.date import PartialDate
from spark_deid.values.date_form import WrittenDate, read_form, write_form
from spark_deid.values.date_range import DateRange, day_of, is_joint, read_range, write_range
from spark_deid.values.locale import ValueLocale

BARE_YEAR, NO_YEAR, NO_OFFSET, UNSURE, ORDER = "bare-year", "no-year", "no-offset", "unsure", "order"
"""Why a date is suppressed: it says a year alone, or none where its document does not tell which, or whose it is has no
offset in the institution's table; it may be a dose or a score, which moved would tell the offset; or it can be read in
two ways, and its document has dates in another order of day and month than the locale's."""
_DAY_FIRST = {True: ("day", "month", "year"), False: ("month", "day", "year")}
"""The parts of a whole date in figures, by whether the day stands first; other dates have one reading."""
_MOST_MONTHS = 12
_UNSURE_SOURCES = ("patterns/", SOURCE)
_PAIR = re.compile(r"[0-9]{1,2}/[0-9]{1,2}(?:[^0-9]{1,9}[0-9]{1,2}/[0-9]{1,2})?")
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
    by_subject: bool = True


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
        return drawn_offset(scope_of(document, by_subject=request.by_subject), request)
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


def shift(
    document: Document,
    spans: Sequence[Span],
    *,
    request: ShiftRequest,
    template: Collection[tuple[int, int]] = (),
) -> Iterator[Edit | SuppressedSpan]:
    """Move the dates that spans mark. Yield every other span with a reason.

    Two spans that are the ends of a range move together, or neither does. ``template`` are the places of dates that
    many people have after the same words: these don't move.
    """
    units = [*_units(document.text, spans, request.locale)]
    texts = [document.text[unit[0].start : unit[-1].end] for unit in units]
    offset = offset_of(document, request)
    years = years_of(texts, request.locale)
    has_other_order = any(_is_turned(text, request.locale) for text in texts)
    for unit, text in zip(units, texts, strict=True):
        if any((span.start, span.end) in template for span in unit):
            written, reason = None, TEMPLATE
        elif has_other_order and _has_two_readings(text, request.locale):
            written, reason = None, ORDER
        elif _may_be_none(document.text, unit):
            written, reason = None, UNSURE
        else:
            written, reason = _written(text, offset, years, request.locale)
        if written is None:
            yield from (SuppressedSpan(span.start, span.end, reason) for span in unit)
        elif len(unit) == 1:
            yield Edit(unit[0].start, unit[0].end, "shift", written.whole)
        else:
            yield from (Edit(s.start, s.end, "shift", end) for s, end in zip(unit, written.ends, strict=True))


def _units(text: str, spans: Sequence[Span], locale: ValueLocale) -> Iterator[tuple[Span, ...]]:
    """Yield the spans, two together where they are the ends of a range."""
    pending: Span | None = None
    for span in spans:
        if pending is None:
            pending = span
        elif is_joint(text[pending.end : span.start]) and _range(text[pending.start : span.end], locale) is not None:
            yield pending, span
            pending = None
        else:
            yield (pending,)
            pending = span
    if pending is not None:
        yield (pending,)


class _WrittenEnds(NamedTuple):
    """The ends of what was written, one for a date, and the text between them."""

    ends: tuple[str, ...]
    between: str = ""

    @property
    def whole(self) -> str:
        """Return what was written as one text."""
        return self.between.join(self.ends)


def _is_turned(text: str, locale: ValueLocale) -> bool:
    """Tell whether a date in figures can only be read in another order of day and month than the locale's."""
    return any(order == _DAY_FIRST[not locale.is_day_first] for order, _ in _orders(text, locale))


def _has_two_readings(text: str, locale: ValueLocale) -> bool:
    """Return whether day and month may change places, in both ends of a range."""
    orders = _orders(text, locale)
    are_open = all((form.value.day or 0) <= _MOST_MONTHS for _, form in orders)
    return bool(orders) and are_open and any(form.value.day != form.value.month for _, form in orders)


def _orders(text: str, locale: ValueLocale) -> list[tuple[tuple[str, ...], WrittenDate]]:
    """Return the dates in figures whose day and month may change places, with their order; ends may lack the year."""
    form = _form(text, locale)
    ends = _range(text, locale) if form is None else None
    if form is not None:
        found = [(_order(form), form)]
    else:
        found = [] if ends is None else [((*_order(each), "year")[:3], each) for each in (ends.head, ends.tail)]
    return [(order, form) for order, form in found if order in _DAY_FIRST.values()]


def _order(form: WrittenDate) -> tuple[str, ...]:
    return tuple(field.name for field in form.fields if field.name != "weekday")


def _may_be_none(text: str, unit: Sequence[Span]) -> bool:
    """Tell whether a pattern took two numbers for a day without a word that says so: who marks dates by hand knows."""
    start, end = unit[0].start, unit[-1].end
    if not all(span.source.startswith(_UNSURE_SOURCES) for span in unit) or _PAIR.fullmatch(text, start, end) is None:
        return False
    return not tells_day(text, start, end)


def years_of(texts: Iterable[str], locale: ValueLocale) -> frozenset[int]:
    """Return the years of the whole dates among texts."""
    values: list[PartialDate] = []
    for text in texts:
        if (form := _form(text, locale)) is not None:
            values.append(form.value)
        elif (ends := _range(text, locale)) is not None:
            values += (ends.first, ends.last)
    return frozenset(value.year for value in values if value.year is not None and value.day)


def move(text: str, offset: int | None, years: frozenset[int], locale: ValueLocale) -> DateMove:
    """Return a date, or a range of dates, moved by days, in its form; one without a year takes the only year there is.

    >>> move("11/21", 30, frozenset({2014}), ValueLocale()), move("2014", 30, frozenset(), ValueLocale()).reason
    (DateMove(text='12/21', reason=''), 'bare-year')
    >>> move("12/28-1/3/15", 3, frozenset(), ValueLocale()).text
    '12/31-1/6/15'
    """
    written, reason = _written(text, offset, years, locale)
    return DateMove(None if written is None else written.whole, reason)


def _written(
    text: str, offset: int | None, years: frozenset[int], locale: ValueLocale
) -> tuple[_WrittenEnds | None, str]:
    if offset is None:
        return None, NO_OFFSET
    form = _form(text, locale)
    if form is None:
        found = _range(text, locale)
        return (None, UNREAD) if found is None else _written_range(text, found, offset, years)
    value = form.value
    if value.month is None:
        return None, UNREAD if value.day else BARE_YEAR
    if value.year is None and (value.day is None or len(years) != 1):
        return None, NO_YEAR
    moved = _moved(value, offset, years)
    if moved is None or (_is_short(text, form) and locale.year_of(moved.year % 100) != moved.year):
        return None, UNREAD
    return _WrittenEnds((write_form(text, form, moved, locale),)), ""


def _written_range(text: str, found: DateRange, offset: int, years: frozenset[int]) -> tuple[_WrittenEnds | None, str]:
    """Write both ends of a range; one that includes New Year and has no year is not of the document's only year."""
    is_turned = (found.first.month or 0) > (found.last.month or 0)
    if found.first.year is None and (len(years) != 1 or is_turned):
        return None, NO_YEAR
    first, last = _moved(found.first, offset, years), _moved(found.last, offset, years)
    ends = None if first is None or last is None else write_range(text, found, first, last)
    return (None, UNREAD) if ends is None else (_WrittenEnds(ends, text[found.joint : found.tail_at]), "")


def _moved(value: PartialDate, offset: int, years: frozenset[int]) -> date | None:
    year = next(iter(years)) if value.year is None else value.year
    day = day_of(value._replace(year=year))
    try:
        return None if day is None else day + timedelta(offset)
    except OverflowError:  # beyond what there is
        return None


def _is_short(text: str, form: WrittenDate) -> bool:
    return any(field.name == "year" and field.end - field.start == 2 for field in form.fields)


@lru_cache(maxsize=1 << 14)
def _form(text: str, locale: ValueLocale) -> WrittenDate | None:
    return read_form(text, locale)


@lru_cache(maxsize=1 << 14)
def _range(text: str, locale: ValueLocale) -> DateRange | None:
    return read_range(text, locale)
