"""A thousand random tables through every model: what is published is recounted in the words of the papers."""

from collections import defaultdict

import numpy as np
import pytest

from spark_deid.anonymity.choice import NodeChoice, choose_least_loss, measure_nodes
from spark_deid.anonymity.constraint import SensitiveCodes, free_constraint
from spark_deid.anonymity.incognito import FrequencyLattice, find_minimal_nodes
from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.partition import class_labels, cut_part
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.recoding_modes import RecodingMode
from tests.unit.anonymity.brute import VALUES, People, holds, random_people
from tests.unit.anonymity.tables import random_table

EVERY = (
    *("k=2", "k=3", "k=4,l=2", "l=3", "frequency-l=1.5", "entropy-l=1.6", "recursive-l=2:2", "recursive-l=1:3"),
    *("t=0.3", "k=2,t=0.5,l=2", "k=2,alpha=0.6", "k=2,frequency-l=2,entropy-l=1.5"),
)
PRESENT = ("delta=0:0.7", "delta=0.2:0.9", "k=2,delta=0.1:1")
Published = list[tuple[tuple[object, ...], int, int]]


def by_incognito(people: People, models: ModelDemands, most: int) -> NodeChoice | None:
    monotone = models.monotone and (most == 0 or models.absorbing)
    lattice = FrequencyLattice(people.frequencies, people.levels, people.constraint(models), most, monotone)
    found = find_minimal_nodes(lattice).minimal
    shares = [[np.zeros(len(labels)) for labels in each.labels] for each in people.levels]
    return choose_least_loss(measure_nodes(lattice, found, shares, k=2), LossMetric.PRECISION) if found else None


def published(people: People, choice: NodeChoice) -> Published:
    """Return the rows of people that are in one class, as the kept classes show them."""
    levels = list(zip(people.levels, choice.node, strict=True))
    kept = {
        tuple(each.labels[level][code] for (each, level), code in zip(levels, codes, strict=True))
        for codes in choice.frequencies.codes[choice.outcome.kept]
    }
    codes = people.codes([place for place, _, _ in people.rows])
    general = [tuple(e.labels[n][e.codes[n][code]] for (e, n), code in zip(levels, row, strict=True)) for row in codes]
    homes = defaultdict(set)
    for place, (_, person, _) in zip(general, people.rows, strict=True):
        homes[person].add(place)
    rows = zip(general, people.rows, strict=True)
    return [(place, person, value) for place, (_, person, value) in rows if place in kept and len(homes[person]) == 1]


def recount(rows: Published, models: ModelDemands, present: dict[tuple[object, ...], int]) -> bool:
    classes = defaultdict(list)
    for place, person, value in rows:
        classes[place].append((person, value))
    return all(holds(models, held, rows, present.get(place, 0)) for place, held in classes.items())


@pytest.mark.parametrize("seed", range(20))
def test_what_incognito_publishes_holds(seed: int) -> None:
    random = np.random.default_rng(1000 + seed)
    made = 0
    for number in range(30):
        people, most = random_people(random), int(random.choice([0, 3, 6]))
        models = read_models((*EVERY, *PRESENT)[(seed + number) % (len(EVERY) + len(PRESENT))])
        choice = by_incognito(people, models, most)
        if choice is None:
            continue
        made += 1
        rows = published(people, choice)
        assert len(people.rows) - len(rows) == choice.outcome.suppressed <= most
        assert recount(rows, models, _present(people, choice)), models
    assert made


def _present(people: People, choice: NodeChoice) -> dict[tuple[object, ...], int]:
    levels = list(zip(people.levels, choice.node, strict=True))
    found: dict[tuple[object, ...], int] = defaultdict(int)
    for row in people.codes(people.population):
        found[tuple(e.labels[n][e.codes[n][code]] for (e, n), code in zip(levels, row, strict=True))] += 1
    return found


@pytest.mark.parametrize("seed", range(20))
def test_what_mondrian_publishes_holds(seed: int) -> None:
    random = np.random.default_rng(2000 + seed)
    cut = 0
    for number in range(20):
        table = random_table(random)
        models = read_models(EVERY[(seed + number) % len(EVERY)])
        whole = [(person, value) for person, value in enumerate(table.held)]
        rows: Published = [((), person, value) for person, value in whole]
        if not holds(models, whole, rows, 0):
            continue
        held = np.bincount(table.held, minlength=VALUES).astype(np.int64)
        modes = {each.name: list(RecodingMode)[random.integers(2)] for each in table.attributes}
        relaxed = bool(random.random() < 0.3)
        constraint = models.tighten(free_constraint([SensitiveCodes(held)]))
        classes = cut_part(table.part, table.attributes, constraint, modes, is_relaxed=relaxed)
        names = list(zip(*(each.to_pylist() for each in class_labels(classes, table.attributes)), strict=True))
        parts = np.split(classes.order, classes.starts[1:-1])
        recoded = [(names[at], int(unit), table.held[unit]) for at, part in enumerate(parts) for unit in part]
        assert sorted(unit for _, unit, _ in recoded) == list(range(len(table.units)))
        assert recount(recoded, models, {}), (models, relaxed)
        cut += classes.number > 1
    assert cut
