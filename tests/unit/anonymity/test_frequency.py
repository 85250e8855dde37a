"""Frequency sets rolled up: the same as counting rows again, however wide codes are."""

import numpy as np
import pytest

from spark_deid.anonymity.frequency import FrequencySet, ScatteredPersons, SensitiveValues, roll_up

NOTHING = np.empty(0, np.int64)


def random_set(random: np.random.Generator, size: int, widths: list[int]) -> FrequencySet:
    codes = np.unique(np.stack([random.integers(0, width, size) for width in widths], 1), axis=0).astype(np.int32)
    persons, rows, population = random.integers(0, 5, (3, len(codes)))
    nobody = ScatteredPersons(NOTHING, NOTHING, NOTHING, SensitiveValues(NOTHING, NOTHING, NOTHING))
    owners = np.arange(len(codes))
    return FrequencySet(codes, persons, rows, population, SensitiveValues(owners, owners % 3, persons), nobody)


HUGE = 2_000_000_000


@pytest.mark.parametrize(("size", "widths"), [(300, [4, 3]), (300, [5, 900, 900]), (80, [HUGE, HUGE, 9])])
def test_rolled_up_sets_are_those_of_counting_again(size: int, widths: list[int]) -> None:
    random = np.random.default_rng(len(widths))
    for _ in range(10):
        base = random_set(random, size, [min(width, 1000) for width in widths])
        coarser = [random.permutation(np.linspace(0, width - 1, 1000).astype(np.int32)) for width in widths]
        dropped = int(random.integers(len(widths) + 1))
        maps = [None if at == dropped else each for at, each in enumerate(coarser)]
        kept = [each[base.codes[:, at]] for at, each in enumerate(maps) if each is not None]
        expected: dict[tuple[int, ...], np.ndarray] = {}
        values: dict[tuple[tuple[int, ...], int], int] = {}
        for row, place in enumerate(zip(*(each.tolist() for each in kept), strict=True)):
            counts = np.array([base.persons[row], base.rows[row], base.population[row]])
            expected[place] = expected.get(place, np.zeros(3, np.int64)) + counts
            key = (place, int(base.held.values[row]))
            values[key] = values.get(key, 0) + int(base.held.counts[row])
        made = roll_up(base, maps)
        places = [tuple(row) for row in made.codes.tolist()]
        assert len(set(places)) == len(places) == len(expected)
        for at, place in enumerate(places):
            assert (made.persons[at], made.rows[at], made.population[at]) == tuple(expected[place])
        held = zip(made.held.owners.tolist(), made.held.values.tolist(), made.held.counts.tolist(), strict=True)
        assert {(places[owner], value): count for owner, value, count in held} == values
