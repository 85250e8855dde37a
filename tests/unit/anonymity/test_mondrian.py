from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import attribute_of
from spark_deid.anonymity.constraint import SensitiveCodes, free_constraint
from spark_deid.anonymity.kernels.classes import place_units
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.partition import PartClasses, UnitRows, class_labels, cut_part, rows_of
from spark_deid.anonymity.recoding_modes import RecodingMode
from tests.unit.anonymity.tables import Table, plain_classes, random_table

TABLES = 300


def members(classes: PartClasses) -> list[list[int]]:
    return sorted(
        sorted(classes.order[start:end].tolist())
        for start, end in zip(classes.starts, classes.starts[1:], strict=False)
    )


def tight(table: Table | UnitRows) -> dict[str, RecodingMode]:
    return {f"c{number}": RecodingMode.TIGHT for number in range(9)}


def held_by(table: Table, number: int) -> SensitiveCodes:
    return SensitiveCodes(np.bincount(table.held, minlength=number))


@pytest.mark.parametrize("is_relaxed", [False, True])
@pytest.mark.parametrize("diversity", [1, 2])
def test_classes_are_those_of_the_plain_algorithm(diversity: int, is_relaxed: bool) -> None:
    random = np.random.default_rng(diversity + 10 * is_relaxed)
    for _ in range(TABLES):
        table, k = random_table(random), int(random.integers(1, 6))

        def allowed(side: Sequence[int], table: Table = table, k: int = k) -> bool:
            return len(side) >= k and len({table.held[unit] for unit in side}) >= diversity

        if not allowed(range(len(table.units))):
            continue
        models = read_models(f"k={max(k, 2)},l=2" if diversity > 1 else f"k={max(k, 2)}")
        constraint = models.tighten(free_constraint([held_by(table, 4)]))._replace(k=k)
        classes = cut_part(table.part, table.attributes, constraint, tight(table), is_relaxed=is_relaxed)
        assert members(classes) == plain_classes(table, allowed, is_relaxed=is_relaxed)


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_units_are_placed_in_their_class_by_its_cuts(is_relaxed: bool) -> None:
    random = np.random.default_rng(5)
    for _ in range(50):
        table = random_table(random)
        constraint = read_models("k=2").tighten(free_constraint())
        classes = cut_part(table.part, table.attributes, constraint, tight(table), is_relaxed=is_relaxed)
        nodes = place_units(classes.cuts, np.array(table.units, np.int32), np.array(table.ties, np.uint64))
        assert Counter(nodes.tolist()) == dict(
            zip(classes.nodes.tolist(), np.diff(classes.starts).tolist(), strict=True)
        )


def test_relaxed_classes_are_smaller_than_twice_k() -> None:
    random = np.random.default_rng(7)
    ages = random.integers(20, 24, 200)
    attribute = attribute_of("c0", pa.array(ages))
    n = len(ages)
    codes = attribute.encode(pa.array(ages))[:, None]
    part = UnitRows(
        codes, np.arange(n + 1), random.permutation(n).astype(np.uint64), np.arange(n + 1), np.zeros(n, np.int32)
    )
    constraint = read_models("k=5").tighten(free_constraint())
    classes = cut_part(part, [attribute], constraint, tight(part), is_relaxed=True)
    wide = np.diff(classes.starts)[classes.lows[:, 0] < classes.highs[:, 0]]
    assert wide.max(initial=0) < 10


TABLE_1 = {
    "zip": pa.array([53710, 53712, 53711, 53712]),
    "age": pa.array([25, 28, 28, 26]),
    "gender": pa.array(["Male", "Female", "Male", "Female"]),
}


def test_the_papers_table_1_shows_age_as_region_and_zip_tight() -> None:
    attributes = [attribute_of(name, column) for name, column in TABLE_1.items()]
    codes = np.stack([attribute.encode(TABLE_1[attribute.name]) for attribute in attributes], 1)
    part = UnitRows(codes, np.arange(5), np.empty(0, np.uint64), np.arange(5), np.arange(4, dtype=np.int32))
    constraint = read_models("k=2,l=2").tighten(free_constraint([SensitiveCodes(np.ones(4, np.int64))]))
    modes = {"age": RecodingMode.REGION, "gender": RecodingMode.TIGHT, "zip": RecodingMode.TIGHT}
    classes = cut_part(part, attributes, constraint, modes)
    cells = list(zip(*(column.to_pylist() for column in class_labels(classes, attributes)), strict=True))
    assert sorted(cells, key=str) == [
        ("53712", "[25-28]", "Female"),
        ("[53710-53711]", "[25-28]", "Male"),
    ]


def test_a_person_is_placed_by_the_least_value_and_shown_by_a_range_that_covers_all() -> None:
    attribute = attribute_of("c0", pa.array([1, 2, 8, 9]))
    codes = np.array([[1], [4], [2], [3], [4]], np.int32)
    units = np.array([0, 2, 3, 4, 5])
    part = UnitRows(codes, units, np.empty(0, np.uint64), np.arange(5), np.zeros(4, np.int32))
    classes = cut_part(part, [attribute], read_models("k=2").tighten(free_constraint()), tight(part))
    names = class_labels(classes, [attribute])[0].to_pylist()
    assert members(classes) == [[0, 1], [2, 3]]
    assert sorted(names) == ["[1-9]", "[8-9]"]
    rows, bounds = rows_of(part, classes.order, classes.starts)
    assert sorted(map(sorted, np.split(rows, bounds[1:-1]))) == [[0, 1, 2], [3, 4]]
