"""Dates in metadata: columns of a table that move with the dates of their person's texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.surrogates.date_shift import ShiftRequest, move, offset_of, years_of


class MovedValue(NamedTuple):
    """A value of metadata, and what is let out of it; None where it is no date that can move."""

    name: str
    before: str
    after: str | None


def move_values(
    document: Document, meta: Mapping[str, str], names: Sequence[str], request: ShiftRequest
) -> Iterator[MovedValue]:
    """Yield what becomes of metadata of these names: dates move as those of the document's person do, in their form.

    A value without a year takes the only one among the others, as in a text. What is no date, can't move, or stays what
    it is (a month that moves within itself), is let out by nobody.
    """
    own = {name: meta[name] for name in names if name in meta}
    offset = offset_of(document, request)
    years = years_of(own.values(), request.locale)
    for name, value in own.items():
        moved = move(value, offset, years, request.locale).text
        yield MovedValue(name, value, None if moved == value else moved)
