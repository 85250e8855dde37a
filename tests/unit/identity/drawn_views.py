"""Small views that are drawn: ages, cities and dates of birth, some missing, and two sensitive attributes."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from spark_deid.ontology.hierarchy import parse_hierarchy
from tests.unit.identity.in_memory import HeldValues, IdentifierView

KINDS = {"age": "age", "city": "term", "birth_date": "date"}
CITIES = parse_hierarchy("nice;South;*\nlyon;North;*\nmetz;North;*\npau;South;*", "city")
NOBODY = (None,) * 8


def view_of(rows: Sequence[tuple[str | None, ...]], held: Sequence[tuple[int, str, int]]) -> IdentifierView:
    columns = {name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(KINDS)}
    sensitive = [[(person, value) for person, value, attribute in held if attribute == at] for at in range(2)]
    return IdentifierView(
        len(rows),
        columns,
        tuple(
            HeldValues(np.array([p for p, _ in each], np.int64), pa.array([v for _, v in each], pa.string()))
            for each in sensitive
        ),
    )


def drawn(seed: int) -> tuple[list[tuple[str | None, ...]], list[tuple[int, str, int]]]:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 80))
    ages = [*map(str, random.integers(0, 99, n)), *NOBODY]
    days = [f"19{y}-0{m}-1{m}" for y, m in zip(random.integers(10, 99, n), random.integers(1, 9, n), strict=True)]
    births = [*days, *NOBODY, "1970", "--06-22"]
    cities = ["nice", "lyon", "metz", "pau", None]
    rows: list[tuple[str | None, ...]] = [
        tuple(str_of(random, each) for each in (ages, cities, births)) for _ in range(n)
    ]
    triples = zip(random.integers(0, n, n), random.choice(list("uvwxyz"), n), random.integers(0, 2, n), strict=True)
    return rows, sorted({(int(person), str(value), int(at)) for person, value, at in triples})


def str_of(random: np.random.Generator, values: Sequence[str | None]) -> str | None:
    return values[int(random.integers(len(values)))]
