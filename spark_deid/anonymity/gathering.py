"""Frequency sets of parts of a table that hold all rows of each of their persons: counted apart, then together."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from spark_deid.anonymity.frequency import (
    FrequencySet,
    ScatteredPersons,
    SensitiveValues,
    number_combinations,
    settle_scattered,
    sums,
)
from spark_deid.anonymity.partition import UnitRows
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s


class SingleClassPersons(NamedTuple):
    """Persons with one combination alone, by combination (``codes``, a row each)."""

    codes: Int32s
    persons: Int64s
    rows: Int64s


class ValueCounts(NamedTuple):
    """How many of these persons hold a sensitive value, by combination."""

    codes: Int32s
    values: Int64s
    counts: Int64s


class MultiClassRows(NamedTuple):
    """Rows of persons with several combinations, by person (0, 1, 2, ...) and combination."""

    person: Int64s
    codes: Int32s
    rows: Int64s


class SpreadValues(NamedTuple):
    """The sensitive values of these persons, each once."""

    person: Int64s
    values: Int64s


class PartTally(NamedTuple):
    """What was counted in a part."""

    settled: SingleClassPersons
    valued: ValueCounts
    spread: MultiClassRows
    spread_values: SpreadValues


Counted = TypeVar("Counted", SingleClassPersons, ValueCounts, MultiClassRows, SpreadValues)


def tally_combinations(part: UnitRows) -> PartTally:
    """Count the persons of a part by combination."""
    group, first = number_combinations(list(part.codes.T), len(part.codes))
    codes = part.codes[first]
    is_one, home = _homes(part, group)
    sizes, at = np.diff(part.units), home[is_one]
    owners = np.repeat(np.arange(part.number), np.diff(part.offsets))
    pairs = SensitiveValues(owners, part.held.astype(np.int64), np.ones(owners.size, np.int64))
    valued = pairs.of(np.where(is_one, home, -1))
    numbers = np.cumsum(~is_one) - 1
    visits = np.repeat(np.arange(part.number), sizes) * len(codes) + group
    keys, rows = np.unique(visits[np.repeat(~is_one, sizes)], return_counts=True)
    person, combination = np.divmod(keys, max(len(codes), 1))
    there = ~is_one[owners]
    return PartTally(
        SingleClassPersons(codes, np.bincount(at, minlength=len(codes)), sums(at, sizes[is_one], len(codes))),
        ValueCounts(codes[valued.owners], valued.values, valued.counts),
        MultiClassRows(numbers[person], codes[combination], rows),
        SpreadValues(numbers[owners[there]], pairs.values[there]),
    )


def gather_frequencies(tallies: Sequence[PartTally], population: Sequence[SingleClassPersons] = ()) -> FrequencySet:
    """Return the frequency set of all parts together, with what was counted of a population, a person a row."""
    settled = _joined([each.settled for each in tallies], SingleClassPersons)
    valued = _joined([each.valued for each in tallies], ValueCounts)
    spread, spread_values = _numbered_together(tallies)
    parts = [settled.codes, valued.codes, spread.codes, *(each.codes for each in population)]
    codes = np.concatenate(parts)
    group, first = number_combinations(list(codes.T), len(codes))
    of_settled, of_valued, of_spread, of_present = np.split(group, np.cumsum([len(part) for part in parts[:3]]))
    size = first.size
    present = np.concatenate([np.empty(0), *(each.persons for each in population)])
    values = SensitiveValues(spread_values.person, spread_values.values, np.ones(spread_values.person.size, np.int64))
    return settle_scattered(
        FrequencySet(
            codes=codes[first],
            persons=sums(of_settled, settled.persons, size),
            rows=sums(of_settled, settled.rows, size),
            population=sums(of_present, present, size),
            held=SensitiveValues(of_valued, valued.values, valued.counts).of(np.arange(size)),
            scattered=ScatteredPersons(spread.person, of_spread, spread.rows, values),
        )
    )


def _homes(part: UnitRows, group: Int64s) -> tuple[Bools, Int64s]:
    """Tell which persons have one combination alone, and their first row's."""
    least, greatest = (each.reduceat(group, part.units[:-1]) for each in (np.minimum, np.maximum))
    return least == greatest, least


def _numbered_together(tallies: Sequence[PartTally]) -> tuple[MultiClassRows, SpreadValues]:
    """Number the spread persons of all parts one after the other."""
    starts = np.cumsum([0, *(int(each.spread.person.max(initial=-1)) + 1 for each in tallies)])
    spread = [each.spread._replace(person=each.spread.person + at) for each, at in zip(tallies, starts, strict=False)]
    values = [
        each.spread_values._replace(person=each.spread_values.person + at)
        for each, at in zip(tallies, starts, strict=False)
    ]
    return _joined(spread, MultiClassRows), _joined(values, SpreadValues)


def _joined(parts: Sequence[Counted], kind: type[Counted]) -> Counted:
    return kind(*map(np.concatenate, zip(*parts, strict=True)))
