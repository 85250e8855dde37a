"""What two records are compared by: a column an attribute, but two for names."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

WHOLE, FAMILY, GIVEN = "", "family", "given"
_PARTS = {"name": (FAMILY, GIVEN)}
_EXACT = ("gender", "state")
LETTERS = 2
"""Letters by which spellings of one value differ at most."""
DETERMINED = {"age": ("date",), "state": ("postcode", "city")}
"""Kinds that other kinds of the same person determine: left out where one of those is there."""


class RecordColumn(NamedTuple):
    """A column of records: an attribute, the kind of its values, and which part of them.

    >>> RecordColumn("patient", "name", "family").name
    'v_patient_family'
    """

    attribute: str
    kind: str
    part: str = WHOLE

    @property
    def name(self) -> str:
        """Return the name in tables, which is no word of SQL."""
        return "_".join(part for part in ("v", self.attribute, self.part) if part)

    @property
    def is_exact(self) -> bool:
        """Tell whether values are equal or not, and never alike."""
        return self.kind in _EXACT


def columns_of(kinds: Mapping[str, str]) -> tuple[RecordColumn, ...]:
    """Return the columns that compare attributes, given their kinds.

    Of attributes that determine each other the weaker is left out, since what agrees in one agrees in both.

    >>> [each.name for each in columns_of({"patient": "name", "born": "date", "age": "age"})]
    ['v_patient_family', 'v_patient_given', 'v_born']
    """
    there = {*kinds.values()}
    named = ((name, kind) for name, kind in kinds.items() if not there & {*DETERMINED.get(kind, ())})
    return tuple(RecordColumn(name, kind, part) for name, kind in named for part in _PARTS.get(kind, (WHOLE,)))


def sort_by_distinctness(rates: Mapping[str, float], columns: Iterable[RecordColumn]) -> list[RecordColumn]:
    """Sort columns by how seldom two records agree, the most telling first; those that nobody has are left out.

    >>> columns = RecordColumn("a", "term"), RecordColumn("b", "code"), RecordColumn("c", "term")
    >>> sort_by_distinctness({"v_a": 0.5, "v_b": 0.1}, columns)[0].name
    'v_b'
    """
    return sorted((each for each in columns if each.name in rates), key=lambda each: (rates[each.name], each.name))
