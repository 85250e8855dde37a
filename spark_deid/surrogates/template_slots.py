"""Dates that fill one slot of a template in many people's texts: the middle of their moved copies is the true date."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Span
from spark_deid.surrogates.scoped import scope_of
from spark_deid.values.date_form import read_form
from spark_deid.values.date_range import read_range
from spark_deid.values.locale import ValueLocale

TEMPLATE = "template"
"""Why a date is suppressed: it is the same after the same words in many people's texts."""
LEAST_PEOPLE, LEAST_PERCENTAGE = 20, 5
"""The number of people with the same date in a slot, and their percentage of the people with a date there."""
_WORD = re.compile(r"[^\W_]+")
_WORDS, _LOOK_BACK = 2, 80


class SlotDate(NamedTuple):
    """Where a date is, keyed hashes of its slot and of slot and day, and its person."""

    start: int
    end: int
    label: str
    slot: str
    day: str
    person: str


class SlotRequest(NamedTuple):
    """The labels of dates that move, the label of unmarked dates, the locale of dates, and the key of hashes."""

    labels: frozenset[str]
    others: bool
    label: str
    locale: ValueLocale
    key: bytes


def slot_words(text: str, start: int) -> str:
    """Return the two words before a place, in lowercase; fewer at the begin of a text.

    >>> slot_words("Form rev. 04/17/2015", 10)
    'form rev'
    """
    begin = max(0, start - _LOOK_BACK)
    return " ".join(_WORD.findall(text[begin:start].lower())[-_WORDS:])


def slot_dates(
    document: Document, pieces: Sequence[Span], dates: Sequence[Span], request: SlotRequest
) -> Iterator[SlotDate]:
    """Yield the dates of a document that can move, with their slots.

    Pieces are in order. ``dates`` are those of the text; the ones that no piece touches move as well.
    """
    person = keyed_hash(request.key, "slot person", scope_of(document, by_subject=True))
    marked = [piece for piece in pieces if request.others or piece.label in request.labels]
    for span in (*marked, *_unmarked(dates, pieces)):
        surface = document.text[span.start : span.end]
        form = read_form(surface, request.locale)
        ends = read_range(surface, request.locale) if form is None else None
        if form is None and ends is None:
            continue
        day = str(form.value) if form is not None else f"{ends.first}/{ends.last}" if ends is not None else ""
        slot = keyed_hash(request.key, "slot", slot_words(document.text, span.start))
        yield SlotDate(span.start, span.end, span.label, slot, keyed_hash(request.key, "slot day", slot, day), person)


def _unmarked(dates: Sequence[Span], pieces: Sequence[Span]) -> Iterator[Span]:
    return (date for date in dates if not any(piece.start < date.end and date.start < piece.end for piece in pieces))


def template_dates(
    document: Document, pieces: Sequence[Span], dates: Sequence[Span], request: SlotRequest, days: Collection[str]
) -> Iterator[SlotDate]:
    """Yield the dates of a document whose slot and day are those of many people."""
    return (each for each in slot_dates(document, pieces, dates, request) if each.day in days)
