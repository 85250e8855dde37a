"""Counts of a column's cells by what they are, batch by batch, and the type that they give the column."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.column_type import CODE_PATTERN, NUMBER_PATTERN, ColumnKind, ColumnType, trimmed_cells
from spark_deid.anonymity.date_forms import FORMS, read_dates
from spark_deid.core.numerics.arrays import Bools, Int64s

LEAST_FRACTION = 0.9
"""The fraction of cells from which a column is numbers, codes or dates."""
MANY_VALUES = 50
"""The number of different values above which a category warns, and a sample rules forms out."""
_LONGEST_INTEGER, _LONGEST_DOUBLE = 18, 15
_TIMES = "y-M-d H:m"
_ORDERS = (None, True, False)


class FormTrials(NamedTuple):
    """The trials of a column's cells: numbers and codes, and forms of dates."""

    numbers: bool = True
    forms: tuple[str, ...] = tuple(FORMS)

    @property
    def any(self) -> bool:
        """Return whether cells are tried as anything."""
        return self.numbers or bool(self.forms)


@dataclass
class CellCounts:
    """Numbers of cells by what they are; ``values`` are some different cells, MANY_VALUES + 1 at most.

    ``digits`` is the maximum number of digits of integers, ``significant`` the maximum of all numbers. ``orders``
    counts the dates of forms that have an order of day and month, or none, by that order. Cells of both orders count
    twice.
    """

    cells: int = 0
    numbers: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    leading_zeros: int = 0
    integers: int = 0
    digits: int = 0
    significant: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    orders: Counter[bool | None] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)

    def add(self, other: "CellCounts") -> "CellCounts":
        """Return the counts of both."""
        return CellCounts(
            cells=self.cells + other.cells,
            numbers=self.numbers + other.numbers,
            codes=self.codes + other.codes,
            leading_zeros=self.leading_zeros + other.leading_zeros,
            integers=self.integers + other.integers,
            digits=max(self.digits, other.digits),
            significant=max(self.significant, other.significant),
            forms=self.forms + other.forms,
            orders=self.orders + other.orders,
            values=_some(self.values | other.values),
        )

    def dates(self, is_day_first: bool) -> int:
        """Return the number of cells that are dates if the day, or the month, is first."""
        return self.orders[None] + self.orders[is_day_first]

    def trials(self) -> FormTrials:
        """Return the trials that a sample of these cells leaves; all of them if it has few different values."""
        if len(self.values) <= MANY_VALUES:
            return FormTrials()
        return FormTrials(bool(self.numbers), tuple(name for name in FORMS if self.forms[name]))


class TypeChoice(NamedTuple):
    """The type of a column, the number of its other cells, and whether day and month are unclear."""

    type: ColumnType
    others: int = 0
    is_unclear: bool = False


def count_cells(texts: pa.Array, trials: FormTrials, until: date) -> CellCounts:
    """Count the cells of a batch; each different cell is tried once."""
    encoded = texts.dictionary_encode()
    cells = trimmed_cells(encoded.dictionary)
    codes = encoded.indices.drop_null().to_numpy(zero_copy_only=False)
    there = pc.is_valid(cells).to_numpy(zero_copy_only=False)
    weights = np.bincount(codes, minlength=len(cells))[there]
    cells = cells.drop_null()
    counts = CellCounts(cells=int(weights.sum()), values=_some(cells.slice(0, MANY_VALUES + 1).to_pylist()))
    if trials.numbers and len(cells):
        _count_numbers(counts, cells, weights)
    if trials.forms and len(cells):
        _count_dates(counts, cells, weights, trials.forms, until)
    return counts


def choose_type(counts: CellCounts, *, is_day_first: bool, until: date) -> TypeChoice:
    """Choose the type of a column.

    Args:
        counts: The counts of all its cells.
        is_day_first: The order of day and month if cells do not show it.
        until: The date of the run.
    """
    least = max(LEAST_FRACTION * counts.cells, 1)
    length, codes = max(counts.codes.items(), key=lambda each: (each[1], each[0]), default=(0, 0))
    if codes >= least and counts.leading_zeros and length > 1:
        return TypeChoice(ColumnType(ColumnKind.CODE, length=length, until=until), counts.cells - codes)
    if counts.numbers >= least:
        others = counts.cells - counts.numbers
        storage = "string" if others else _storage_of_numbers(counts)
        return TypeChoice(ColumnType(ColumnKind.NUMBER, storage, until=until), others)
    day_first, month_first = counts.dates(True), counts.dates(False)
    is_unclear = day_first == month_first and counts.orders[True] > 0
    order = is_day_first if day_first == month_first else day_first > month_first
    forms = tuple(name for name in FORMS if counts.forms[name] and FORMS[name].is_day_first in (None, order))
    if counts.dates(order) >= least:
        others = counts.cells - counts.dates(order)
        storage = "string" if others else "timestamp_ntz" if forms == (_TIMES,) else "date"
        return TypeChoice(ColumnType(ColumnKind.DATE, storage, forms, until=until), others, is_unclear)
    every = tuple(FORMS) if +counts.forms else ()  # a date of any form reads other if there is a date
    return TypeChoice(ColumnType(ColumnKind.TEXT, forms=every, until=until))


def _storage_of_numbers(counts: CellCounts) -> str:
    """Return a type that keeps different numbers different, and equal ones equal."""
    if counts.integers == counts.numbers and counts.digits <= _LONGEST_INTEGER:
        return "bigint"
    return "double" if counts.significant <= _LONGEST_DOUBLE else "string"


def _count_numbers(counts: CellCounts, cells: pa.Array, weights: Int64s) -> None:
    is_number = _matches(cells, NUMBER_PATTERN)
    counts.numbers = int(weights[is_number].sum())
    is_code = _matches(cells, CODE_PATTERN)
    lengths = pc.utf8_length(cells).to_numpy(zero_copy_only=False)
    for length in np.unique(lengths[is_code]):
        counts.codes[int(length)] = int(weights[is_code & (lengths == length)].sum())
    counts.leading_zeros = int(weights[is_code & (lengths > 1) & _matches(cells, "^0")].sum())
    is_integer = is_number & _matches(cells, "^[+-]?[0-9]+$")
    counts.integers = int(weights[is_integer].sum())
    counts.digits = int(lengths[is_integer].max(initial=0))
    mantissa = pc.replace_substring_regex(cells.filter(pa.array(is_number)), "[eE].*|[^0-9]", "")
    digits = pc.utf8_ltrim(mantissa, "0")
    counts.significant = int(pc.max(pc.utf8_length(digits)).as_py() or 0)


def _count_dates(counts: CellCounts, cells: pa.Array, weights: Int64s, forms: Iterable[str], until: date) -> None:
    found = {order: np.zeros(len(cells), np.bool_) for order in _ORDERS}
    for name in forms:
        is_date: Bools = pc.is_valid(read_dates(cells, (name,), until)).to_numpy(zero_copy_only=False)
        if is_date.any():
            counts.forms[name] = int(weights[is_date].sum())
            found[FORMS[name].is_day_first] |= is_date
    for order, is_date in found.items():
        counts.orders[order] = int(weights[is_date].sum())


def _matches(cells: pa.Array, pattern: str) -> Bools:
    matches: Bools = pc.match_substring_regex(cells, pattern).to_numpy(zero_copy_only=False)
    return matches


def _some(values: Iterable[str]) -> set[str]:
    return set(sorted(values)[: MANY_VALUES + 1])
