"""Of several minimal nodes the one is taken that loses least, by the metric that is asked for."""

import numpy as np
import pytest

from spark_deid.anonymity.choice import choose_least_loss, measure_nodes, sizes_of
from spark_deid.anonymity.incognito import FrequencyLattice
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.ontology.hierarchy import ValueHierarchy
from tests.unit.anonymity.brute import HIERARCHIES, People

ROWS: list[tuple[tuple[str, ...], int, int]] = [
    *((("a", "p"), 0, 0), (("a", "p"), 0, 1), (("b", "q"), 1, 0)),
    *((("c", "p"), 2, 0), (("c", "q"), 3, 1), (("c", "q"), 3, 1)),
]
PEOPLE = People(tuple(map(ValueHierarchy, HIERARCHIES[:2])), ROWS)
NODES = ((0, 1), (2, 0))


def lattice() -> FrequencyLattice:
    return FrequencyLattice(PEOPLE.frequencies, PEOPLE.levels, PEOPLE.constraint(read_models("k=2")), most=4)


@pytest.mark.parametrize(
    ("metric", "node"),
    [
        (LossMetric.NCP, (2, 0)),
        (LossMetric.DISCERNIBILITY, (2, 0)),
        (LossMetric.CLASS_SIZE, (0, 1)),
        (LossMetric.PRECISION, (2, 0)),
    ],
)
def test_the_least_loss_by_each_metric(metric: LossMetric, node: tuple[int, int]) -> None:
    shares = [[np.full(9, level / 10) for level in range(3)], [np.full(9, level) for level in range(2)]]
    assert choose_least_loss(measure_nodes(lattice(), NODES, shares, k=2), metric).node == node


def test_classes_are_counted_by_people() -> None:
    assert sizes_of(PEOPLE.frequencies) == {(1, 0): 4}
    found = measure_nodes(lattice(), [(2, 0)], [[np.zeros(9)] * 3, [np.zeros(9)] * 2], k=2)[0]
    assert found.sizes == {(2, 0): 2}
