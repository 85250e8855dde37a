"""Values of columns that are published next to dates that moved, and are dates themselves."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.surrogates.date_shift import ShiftRequest, move, offset_of, years_of
from spark_deid.surrogates.recounting import dates_in
from spark_deid.surrogates.template_slots import LEAST_PEOPLE

CONSTANT_PERCENTAGE = 50
"""The percentage of people with one value from which a column is nearly constant."""

_LONGEST = 40
"""Characters of a value that is a date, with its time of day."""
_TIME = re.compile(r"(?:\b|(?<=\d)T)\d{1,2}:\d\d\S*")
_STAMP = re.compile(r"(\d{8})T?\d{4,6}\S*")


def is_date(value: str) -> bool:
    """Return whether a value is a whole date, with or without a time of day, and nothing much else.

    >>> is_date("2014-03-04 08:00"), is_date("March 2014"), is_date("")
    (True, False, False)
    """
    return len(value) <= _LONGEST and bool(dates_in(_day_of(value)))


def count_dates(metas: Iterable[Mapping[str, str]], names: Collection[str]) -> tuple[Counter[str], Counter[str]]:
    """Return how many values each of these names has, and how many of these are whole dates."""
    given, dates = Counter[str](), Counter[str]()
    for meta in metas:
        values = {name: meta[name] for name in names if meta.get(name, "").strip()}
        given.update(values.keys())
        dates.update(name for name, value in values.items() if is_date(value))
    return given, dates


def date_columns(documents: Iterable[Document], limits: Mapping[str, float]) -> tuple[str, ...]:
    """Return the metadata with a higher fraction of whole dates than its limit.

    >>> date_columns([Document("a", "", meta={"day": "2014-03-04"})], {"day": 0.5})
    ('day',)
    """
    given, dates = count_dates((document.meta for document in documents), limits)
    return tuple(name for name, limit in limits.items() if dates[name] > limit * given[name])


def constant_columns(documents: Iterable[Document], names: Collection[str]) -> tuple[str, ...]:
    """Return the metadata in which many people, and most of them, have one value."""
    rows = {
        (name, (document.subject_id is None, document.subject_id or document.doc_id), document.meta[name])
        for document in documents
        for name in names
        if name in document.meta
    }
    people = Counter(name for name, _ in {(name, person) for name, person, _ in rows})
    same = Counter((name, value) for name, _, value in rows)
    found = {
        name
        for (name, _), count in same.items()
        if count >= LEAST_PEOPLE and count * 100 >= people[name] * CONSTANT_PERCENTAGE
    }
    return tuple(name for name in names if name in found)


def _day_of(value: str) -> str:
    """Leave times of day out, before the day or behind it, and those of stamps such as 20140304T103000.

    >>> _day_of("10:30 3/4/2014"), _day_of("2014-03-04T10:30:00Z"), _day_of("20140304103000")
    (' 3/4/2014', '2014-03-04', '20140304')
    """
    stamp = _STAMP.fullmatch(value.strip())
    return stamp[1] if stamp else _TIME.sub("", value)


# Dates in metadata: columns of a table that move with the dates of their person's texts.


class MovedValue(NamedTuple):
    """A value of metadata, and its published form; None if it is not a date that can move."""

    name: str
    before: str
    after: str | None


def move_values(
    document: Document, meta: Mapping[str, str], names: Sequence[str], request: ShiftRequest
) -> Iterator[MovedValue]:
    """Yield the new metadata of these names: dates move as those of the document's person do, in their form.

    A value without a year takes the only one among the others, as in a text. A value is not published if it is not a
    date, can't move, or remains the same (a month that moves within itself).
    """
    own = {name: meta[name] for name in names if name in meta}
    offset = offset_of(document, request)
    years = years_of(own.values(), request.locale)
    for name, value in own.items():
        moved = move(value, offset, years, request.locale).text
        yield MovedValue(name, value, None if moved == value else moved)
