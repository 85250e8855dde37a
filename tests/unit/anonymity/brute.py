"""Full-domain generalization written plainly, on lists: every node of the lattice is tried."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import log

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute, attribute_of
from spark_deid.anonymity.constraint import ClassConstraint, SensitiveCodes, free_constraint
from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.gathering import SingleClassPersons, gather_frequencies, tally_combinations
from spark_deid.anonymity.lattice import AttributeLevels, Node, levels_of
from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.partition import UnitRows
from spark_deid.ontology.hierarchy import ValueHierarchy

HIERARCHIES = (
    (("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")),
    (("p", "*"), ("q", "*"), ("r", "*")),
    (("s", "S", "ST", "*"), ("t", "T", "ST", "*"), ("u", "U", "UV", "*"), ("v", "U", "UV", "*")),
)
VALUES = 4
"""Sensitive values."""


@dataclass(frozen=True)
class People:
    """Rows of a table: quasi-identifiers, person, sensitive value; and quasi-identifiers of a population."""

    hierarchies: tuple[ValueHierarchy, ...]
    rows: list[tuple[tuple[str, ...], int, int]]
    population: list[tuple[str, ...]] = field(default_factory=list)

    @cached_property
    def attributes(self) -> tuple[CodedAttribute, ...]:
        return tuple(attribute_of("x", _bases(each), each) for each in self.hierarchies)

    @cached_property
    def levels(self) -> tuple[AttributeLevels, ...]:
        return tuple(levels_of(*each) for each in zip(self.attributes, self.hierarchies, strict=True))

    def codes(self, tuples: Sequence[tuple[str, ...]]) -> np.ndarray:
        columns = list(zip(*tuples, strict=True)) or [()] * len(self.hierarchies)
        pairs = zip(self.attributes, columns, strict=True)
        encoded = [each.encode(pa.array(column, pa.string())) for each, column in pairs]
        return np.stack(encoded, axis=1).astype(np.int32)

    def part(self, persons: Sequence[int]) -> UnitRows:
        """Return all rows of some people, with what they hold."""
        rows = [[quasi for quasi, owner, _ in self.rows if owner == person] for person in persons]
        held = [sorted({value for _, owner, value in self.rows if owner == person}) for person in persons]
        codes = self.codes([quasi for each in rows for quasi in each])
        units, offsets = (np.cumsum([0, *map(len, each)]) for each in (rows, held))
        flat = np.array([value for each in held for value in each], np.int32)
        return UnitRows(codes, units, np.empty(0, np.uint64), offsets, flat)

    @property
    def frequencies(self) -> FrequencySet:
        """Count people in two parts, and the population with them."""
        persons = sorted({person for _, person, _ in self.rows})
        parts = [tally_combinations(self.part(each)) for each in (persons[::2], persons[1::2]) if each]
        present = SingleClassPersons(self.codes(self.population), *[np.ones(len(self.population), np.int64)] * 2)
        return gather_frequencies(parts, [present])

    def constraint(self, models: ModelDemands) -> ClassConstraint:
        held = np.bincount([value for _, value in {(p, v) for _, p, v in self.rows}], minlength=VALUES)
        return models.tighten(free_constraint([SensitiveCodes(held.astype(np.int64))]))


def random_people(random: np.random.Generator) -> People:
    """Make a table of a few people, some of several rows, and a population that they are part of."""
    chosen = random.choice(3, random.integers(1, 4), replace=False)
    hierarchies = tuple(ValueHierarchy(HIERARCHIES[at]) for at in chosen)
    number = int(random.integers(4, 25))
    persons = random.integers(0, number, number) if random.random() < 0.5 else np.arange(number)
    homes = {person: _draw(random, hierarchies) for person in range(number)}
    wandering = random.random()
    rows = [
        (homes[p] if random.random() > wandering / 4 else _draw(random, hierarchies), int(p), int(random.integers(4)))
        for p in persons
    ]
    population = [homes[p] for p in sorted(set(persons.tolist()))]
    population += [_draw(random, hierarchies) for _ in range(random.integers(0, number))]
    return People(hierarchies, rows, population)


def brute_minimal(people: People, models: ModelDemands, most: int) -> tuple[Node, ...]:
    """Try every node, and omit those that generalize another."""
    shape = [each.height + 1 for each in people.hierarchies]
    satisfied = [node for node in product(*map(range, shape)) if _suppressed(people, node, models, most) is not None]
    return tuple(
        node
        for node in satisfied
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in satisfied)
    )


def _suppressed(people: People, node: Node, models: ModelDemands, most: int) -> int | None:
    """Return how many rows are suppressed at a node, None where too many would be, or none would be left."""
    homes = defaultdict(set)
    for quasi, person, _ in people.rows:
        homes[person].add(_general(people, quasi, node))
    rows = [(_general(people, quasi, node), p, v) for quasi, p, v in people.rows if len(homes[p]) == 1]
    population = Counter(_general(people, quasi, node) for quasi in people.population)
    while True:
        if not rows or len(people.rows) - len(rows) > most:
            return None
        classes = defaultdict(list)
        for place, person, value in rows:
            classes[place].append((person, value))
        bad = {place for place, held in classes.items() if not holds(models, held, rows, population[place])}
        if not bad:
            lower, _ = models.numbers("delta", 0, 1)
            empty = any(place not in classes for place in population)
            return None if lower and empty else len(people.rows) - len(rows)
        rows = [row for row in rows if row[0] not in bad]


def holds(
    models: ModelDemands, held: list[tuple[int, int]], rows: Sequence[tuple[object, int, int]], present: int
) -> bool:
    """Say in the words of the papers whether a class satisfies models."""
    persons = len({person for person, _ in held})
    counts = sorted(Counter(value for _, value in set(held)).values(), reverse=True)
    total = sum(counts)
    c, tail = models.numbers("recursive-l", 0, 0)
    lower, upper = models.numbers("delta", 0, 0)
    presence = Fraction(persons, present) if present else Fraction(2)
    return all(
        (
            persons >= models.numbers("k", 0)[0],
            len(counts) >= models.numbers("l", 0)[0],
            Fraction(counts[0], persons) <= 1 / models.numbers("frequency-l", 1)[0],
            Fraction(counts[0], persons) <= models.numbers("alpha", 1)[0],
            -sum(n / total * log(n / total) for n in counts) >= log(models.numbers("entropy-l", 1)[0]) - 1e-9,
            not tail or counts[0] < c * sum(counts[int(tail) - 1 :]),
            "t" not in models or _distance(held, rows) <= models.numbers("t")[0] + Fraction(1, 10**9),
            "delta" not in models or lower <= presence <= upper,
        )
    )


def _distance(held: list[tuple[int, int]], rows: Sequence[tuple[object, int, int]]) -> Fraction:
    here, whole = (Counter(value for _, value in pairs) for pairs in (set(held), {(p, v) for _, p, v in rows}))
    shares = ((Fraction(here[v], here.total()), Fraction(whole[v], whole.total())) for v in range(VALUES))
    return sum((abs(p - q) for p, q in shares), Fraction(0)) / 2


def _general(people: People, quasi: tuple[str, ...], node: Node) -> tuple[str, ...]:
    rows = [{row[0]: row for row in each.rows} for each in people.hierarchies]
    return tuple(each[value][level] for each, value, level in zip(rows, quasi, node, strict=True))


def _draw(random: np.random.Generator, hierarchies: Sequence[ValueHierarchy]) -> tuple[str, ...]:
    return tuple(each.rows[random.integers(len(each.rows))][0] for each in hierarchies)


def _bases(hierarchy: ValueHierarchy) -> pa.Array:
    return pa.array([row[0] for row in hierarchy.rows])
