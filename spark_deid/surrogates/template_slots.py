"""Dates that fill one slot of a template in many people's texts: the middle of their moved copies is the true date."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
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
_REMEMBERED = 1 << 14


class SlotDate(NamedTuple):
    """Where a date is, and keyed hashes of its slot and of slot and day."""

    start: int
    end: int
    label: str
    slot: str
    day: str


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
    text = document.text
    marked = [piece for piece in pieces if request.others or piece.label in request.labels]
    for span in (*marked, *_unmarked(dates, pieces)):
        if (day := _day(text[span.start : span.end], request.locale)) is not None:
            slot = _hashed(request.key, "slot", slot_words(text, span.start))
            yield SlotDate(span.start, span.end, span.label, slot, _hashed(request.key, "slot day", slot, day))


def person_hash(document: Document, key: bytes) -> str:
    """Return a keyed hash of whose a document is."""
    return keyed_hash(key, "slot person", scope_of(document, by_subject=True))


@lru_cache(maxsize=_REMEMBERED)
def _day(surface: str, locale: ValueLocale) -> str | None:
    """Return the day, or both ends of the range, that a text states."""
    if (form := read_form(surface, locale)) is not None:
        return str(form.value)
    ends = read_range(surface, locale)
    return None if ends is None else f"{ends.first}/{ends.last}"


def _unmarked(dates: Sequence[Span], pieces: Sequence[Span]) -> Iterator[Span]:
    return (date for date in dates if not any(piece.start < date.end and date.start < piece.end for piece in pieces))


_hashed = lru_cache(maxsize=_REMEMBERED)(keyed_hash)
