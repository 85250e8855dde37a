"""What a generalization loses, and who can be found again."""

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import attribute_of
from spark_deid.anonymity.choice import RecodingLoss, loss_of, widths
from spark_deid.anonymity.constraint import free_constraint
from spark_deid.anonymity.gathering import gather_frequencies, tally_combinations
from spark_deid.anonymity.generalization import number_ranges
from spark_deid.anonymity.incognito import suppress_failing
from spark_deid.anonymity.lattice import levels_of
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.partition import UnitRows
from spark_deid.anonymity.risk import class_sizes, risk_of
from spark_deid.ontology.hierarchy import ValueHierarchy

AGES = pa.array([20, 22, 24, 30, 40, None])
RANGES = number_ranges(["20", "22", "24", "30", "40"], widths=(5, 10))


def test_a_label_covers_the_values_under_it() -> None:
    ages = attribute_of("age", AGES)
    shares = widths(ages, levels_of(ages, RANGES))
    assert [each.tolist() for each in shares] == [[0, 0, 0, 0, 0, 0], [0, 0.2, 0, 0], [0, 0.2, 0, 0], [1]]


def test_a_node_of_a_tree_covers_leaves() -> None:
    tree = ValueHierarchy((("a", "A"), ("b", "A"), ("c", "C")))
    places = attribute_of("place", pa.array(["a", "c"]), tree)
    assert [each.tolist() for each in widths(places, levels_of(places, tree))] == [[0] * 4, [0, 0.5, 0], [1]]


def test_all_measures_of_a_small_table() -> None:
    ages = attribute_of("age", AGES)
    levels, n = levels_of(ages, RANGES), len(AGES)
    codes = levels.codes[1][ages.encode(AGES)][:, None]
    part = UnitRows(codes, np.arange(n + 1), np.empty(0, np.uint64), np.zeros(n + 1, np.int64), np.empty(0, np.int32))
    frequencies = gather_frequencies([tally_combinations(part)])
    found = suppress_failing(frequencies, read_models("k=2").tighten(free_constraint()), most=3)
    assert (found.suppressed, found.kept.sum()) == (3, 1)
    told = loss_of((1,), frequencies, found, [widths(ages, levels)], persons=n, k=2)
    expected = RecodingLoss(
        ncp=(3 * 0.2 + 3) / 6,
        discernibility=9 + 3 * 6,
        average_class_size=3.0,
        average_class_size_over_k=1.5,
        precision=1 - (1 + 3) / 6,
    )
    assert vars(told) == pytest.approx(vars(expected))


def test_risks_fall_with_the_size_of_classes() -> None:
    fine, coarse = risk_of({(1, 1): 4, (2, 2): 3}), risk_of({(5, 5): 2})
    assert (fine.prosecutor, fine.marketer, fine.unique) == (1, 0.7, 0.4)
    assert (coarse.prosecutor, coarse.marketer, coarse.unique) == (0.2, 0.2, 0)


def test_a_journalist_looks_at_the_population() -> None:
    assert risk_of({(1, 10): 1, (0, 3): 1}).journalist == 0.1
    assert risk_of({}).prosecutor == 0
    assert class_sizes({(2, 9): 1, (2, 3): 1, (1, 1): 5}) == {1: 5, 2: 2}
