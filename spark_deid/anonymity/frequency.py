"""Frequency sets: how many people share each combination of quasi-identifiers, and which sensitive values they hold.

LeFevre, DeWitt and Ramakrishnan (SIGMOD 2005), 2.1 and 3.1. A set at one level of generalization gives those at every
higher one (roll-up), and those of fewer attributes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from spark_deid.anonymity.kernels.rollup import add_by_group, coarsen_rows, keys_of, number_keys
from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s

Counts = Int64s | Float64s
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class SensitiveValues:
    """Sensitive values by owner, each pair once: ``values`` in the common numbering of a constraint."""

    owners: Int64s
    values: Int64s
    counts: Int64s

    def of(self, owners: Int64s) -> "SensitiveValues":
        """Return what new owners hold: ``owners[old]`` is the new one; those below zero are omitted."""
        if not self.owners.size:
            return self
        new = owners[self.owners]
        there = new >= 0
        span = int(self.values.max(initial=0)) + 1
        group, keys = pd.factorize(new[there] * span + self.values[there])
        held = SensitiveValues(keys // span, keys % span, sums(group, self.counts[there], keys.size))
        order = np.lexsort((held.values, held.owners))
        return SensitiveValues(held.owners[order], held.values[order], held.counts[order])


@dataclass(frozen=True)
class ScatteredPersons:
    """People whose rows are not all of one combination: a row for each ``combination`` of a ``person``.

    ``held`` has the sensitive values of each person, by place in ``0..size``, each once.
    """

    person: Int64s
    combination: Int64s
    rows: Int64s
    held: SensitiveValues

    @property
    def size(self) -> int:
        """Return one more than the greatest person."""
        return int(self.person.max(initial=-1)) + 1


@dataclass(frozen=True)
class FrequencySet:
    """Combinations of codes, a row each, at a level of every attribute, all different.

    ``persons``, ``rows`` and ``held`` (sorted by owner) are those of people with one combination only; ``scattered``
    has the others, and ``population`` the people of the population table.
    """

    codes: Int32s
    persons: Int64s
    rows: Int64s
    population: Int64s
    held: SensitiveValues
    scattered: ScatteredPersons

    @property
    def size(self) -> int:
        """Return the number of combinations."""
        return len(self.codes)

    @property
    def all_rows(self) -> int:
        """Return how many rows the table has."""
        return int(self.rows.sum() + self.scattered.rows.sum())


def roll_up(frequencies: FrequencySet, coarser: Sequence[Int32s | None]) -> FrequencySet:
    """Generalize: ``coarser[a]`` maps the codes of attribute a to those of its next level; None drops the attribute.

    People whose combinations become one are scattered no longer.
    """
    maps = [np.empty(0, np.int32) if each is None else each for each in coarser]
    flat = np.concatenate([np.empty(0, np.int32), *maps]).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum([each.size for each in maps])]).astype(np.int64)
    columns = np.array([at for at, each in enumerate(coarser) if each is not None], np.int64)
    group, first = _grouped(frequencies, coarser, flat, starts)
    size = first.size
    joined = FrequencySet(
        codes=coarsen_rows(frequencies.codes, first, flat, starts, columns),
        persons=add_by_group(group, frequencies.persons, size),
        rows=add_by_group(group, frequencies.rows, size),
        population=add_by_group(group, frequencies.population, size),
        held=frequencies.held.of(group),
        scattered=_moved(frequencies.scattered, group),
    )
    return settle_scattered(joined)


def _grouped(
    frequencies: FrequencySet, coarser: Sequence[Int32s | None], flat: Int32s, starts: Int64s
) -> tuple[Int64s, Int64s]:
    """Number combinations that become one."""
    widths = [0 if each is None else int(each.max(initial=0)) + 1 for each in coarser]
    span, strides = 1, np.zeros(len(widths), np.int64)
    for at, width in enumerate(widths):
        if width:
            strides[at], span = span if span < _LARGEST_KEY else 0, span * width
    if span < _LARGEST_KEY:
        return number_keys(keys_of(frequencies.codes, flat, starts, strides), span)
    kept = [each[frequencies.codes[:, at]] for at, each in enumerate(coarser) if each is not None]
    return number_combinations(kept, frequencies.size)


def number_combinations(columns: Sequence[Int32s], size: int) -> tuple[Int64s, Int64s]:
    """Number the different rows of columns: the number of each row, and the first row of each number."""
    group = np.zeros(size, np.int64)
    count = 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if count * width >= _LARGEST_KEY:
            group, distinct = pd.factorize(group)
            count = distinct.size
        group = group * width + column
        count *= width
    group, distinct = pd.factorize(group)
    first = np.empty(distinct.size, np.int64)
    first[group[::-1]] = np.arange(size - 1, -1, -1)
    return group.astype(np.int64), first


def sums(group: Int64s, counts: Counts, size: int) -> Int64s:
    """Add counts up by group; ``size`` is the number of groups."""
    return np.bincount(group, weights=counts, minlength=size).astype(np.int64)


def _moved(scattered: ScatteredPersons, group: Int64s) -> ScatteredPersons:
    """Put scattered people's rows into new combinations, each combination of a person once."""
    if not scattered.person.size:
        return scattered
    count = int(group.max(initial=0)) + 1
    place, keys = pd.factorize(scattered.person * count + group[scattered.combination])
    rows = sums(place, scattered.rows, keys.size)
    return ScatteredPersons(keys // count, keys % count, rows, scattered.held)


def settle_scattered(frequencies: FrequencySet) -> FrequencySet:
    """Count the scattered people that have one combination only where they belong."""
    scattered = frequencies.scattered
    if not scattered.person.size:
        return frequencies
    settled = np.bincount(scattered.person, minlength=scattered.size)[scattered.person] == 1
    if not settled.any():
        return frequencies
    at, size = scattered.combination[settled], frequencies.size
    home = np.full(max(scattered.size, int(scattered.held.owners.max(initial=-1)) + 1), -1, np.int64)
    home[scattered.person[settled]] = at
    added = scattered.held.of(home)
    both = SensitiveValues(
        *(np.concatenate(pair) for pair in zip(_arrays(frequencies.held), _arrays(added), strict=True))
    )
    left = home[scattered.held.owners] < 0
    remaining = ScatteredPersons(
        scattered.person[~settled],
        scattered.combination[~settled],
        scattered.rows[~settled],
        SensitiveValues(*(array[left] for array in _arrays(scattered.held))),
    )
    return FrequencySet(
        codes=frequencies.codes,
        persons=frequencies.persons + np.bincount(at, minlength=size),
        rows=frequencies.rows + sums(at, scattered.rows[settled], size),
        population=frequencies.population,
        held=both.of(np.arange(size)),
        scattered=remaining,
    )


def _arrays(held: SensitiveValues) -> tuple[Int64s, Int64s, Int64s]:
    return held.owners, held.values, held.counts
