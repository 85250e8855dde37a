"""Frequency sets of what was counted elsewhere: combinations of codes with persons, rows and values."""

from typing import NamedTuple

import numpy as np

from spark_deid.anonymity.frequency import FrequencySet, Held, Scattered, combinations, settle
from spark_deid.numerics.arrays import Int32s, Int64s


class Settled(NamedTuple):
    """Persons with one combination alone, by combination (``codes``, a row each)."""

    codes: Int32s
    persons: Int64s
    rows: Int64s


class Valued(NamedTuple):
    """How many of these persons hold a sensitive value, by combination."""

    codes: Int32s
    values: Int64s
    counts: Int64s


class Spread(NamedTuple):
    """Rows of persons with several combinations, by person (0, 1, 2, ...) and combination."""

    person: Int64s
    codes: Int32s
    rows: Int64s


class SpreadValues(NamedTuple):
    """The sensitive values of these persons, each once."""

    person: Int64s
    values: Int64s


class Present(NamedTuple):
    """Persons of a population, by combination."""

    codes: Int32s
    persons: Int64s


def gather(
    settled: Settled, valued: Valued, spread: Spread, spread_values: SpreadValues, present: Present
) -> FrequencySet:
    """Return one frequency set of all; combinations and pairs may stand several times, and counts add up."""
    parts = [settled.codes, valued.codes, spread.codes, present.codes]
    codes = np.concatenate(parts)
    group, first = combinations([codes[:, at] for at in range(codes.shape[1])], len(codes))
    ends = np.cumsum([len(part) for part in parts])
    of_settled, of_valued, of_spread, of_present = np.split(group, ends[:-1])
    size = first.size

    def summed(places: Int64s, counts: Int64s) -> Int64s:
        return np.bincount(places, weights=counts, minlength=size).astype(np.int64)

    values = Held(spread_values.person, spread_values.values, np.ones(spread_values.person.size, np.int64))
    return settle(
        FrequencySet(
            codes=codes[first],
            persons=summed(of_settled, settled.persons),
            rows=summed(of_settled, settled.rows),
            population=summed(of_present, present.persons),
            held=Held(of_valued, valued.values, valued.counts).of(np.arange(size)),
            scattered=Scattered(spread.person, of_spread, spread.rows, values),
        )
    )
