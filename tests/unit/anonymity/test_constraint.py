"""A constraint holds for a class exactly where its models, written down plainly, do."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import log

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import coder_of, constraint_for
from spark_deid.anonymity.constraint import SensitiveCodes, free_constraint, sensitive_of
from spark_deid.anonymity.kernels.constraint import distance, satisfies
from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.anonymity.models import read_models
from spark_deid.core.errors import UsageError

TABLE = np.array([4, 3, 2, 1, 1])
"""People of the whole table that hold each of five values."""


def holds(models: str, *values: int, persons: int | None = None, population: int = 0) -> bool:
    """Return whether a class satisfies models: one person a value, unless stated otherwise."""
    counts = np.bincount(values, minlength=5).astype(np.int64)
    constraint = read_models(models).tighten(free_constraint([SensitiveCodes(TABLE)]))
    return satisfies(constraint, len(values) if persons is None else persons, population, counts)


def plainly(models: str, values: tuple[int, ...]) -> bool:
    """Return the same in the words of the papers, for a class without people of several values."""
    counts = sorted(Counter(values).values(), reverse=True)
    n, asked = len(values), read_models(models)
    entropy = -sum(count / n * log(count / n) for count in counts)
    c, recursive = asked.numbers("recursive-l", 0, 0)
    return all(
        (
            n >= asked.numbers("k", 0)[0],
            len(counts) >= asked.numbers("l", 0)[0],
            Fraction(counts[0], n) <= 1 / asked.numbers("frequency-l", 1)[0],
            Fraction(counts[0], n) <= asked.numbers("alpha", 1)[0],
            entropy >= log(asked.numbers("entropy-l", 1)[0]) - 1e-9,
            not recursive or counts[0] < c * sum(counts[int(recursive) - 1 :]),
        )
    )


@pytest.mark.parametrize(
    "models",
    [
        *("k=3", "l=3", "frequency-l=2", "frequency-l=1.7", "entropy-l=2", "recursive-l=2:2", "recursive-l=0.7:3"),
        *("k=2,alpha=0.4", "k=4,l=2,entropy-l=1.5"),
    ],
)
def test_random_classes_satisfy_what_the_papers_state(models: str) -> None:
    random = np.random.default_rng(5)
    classes = [tuple(random.integers(0, random.integers(1, 6), random.integers(1, 9)).tolist()) for _ in range(300)]
    told = [holds(models, *values) for values in classes]
    assert told == [plainly(models, values) for values in classes]
    assert any(told)
    assert not all(told)


def test_a_value_counts_against_people_and_not_against_rows() -> None:
    assert holds("frequency-l=2", 0, 1, 2, persons=2)
    assert not holds("frequency-l=2", 0, 0, 1, 2, persons=3)


def test_shares_at_the_bound_are_allowed() -> None:
    assert holds("k=2,alpha=0.7", *[0] * 7, *[1] * 3)
    assert holds("entropy-l=3", 0, 1, 2)


def test_presence_is_a_share_of_the_population() -> None:
    assert holds("delta=0.1:0.5", 0, 1, population=4)
    assert not holds("delta=0.1:0.5", 0, 1, population=3)
    assert not holds("delta=0.1:0.5", 0, 1, population=21)
    assert not holds("delta=0:0.5", 0, 1, population=0)


def test_an_m_unique_class_has_no_value_twice() -> None:
    assert holds("m=2", 0, 1, 2)
    assert not holds("m=2", 0, 1, 1)


def test_all_sensitive_attributes_count() -> None:
    constraint = read_models("l=2").tighten(free_constraint([SensitiveCodes(TABLE[:2]), SensitiveCodes(TABLE[:2])]))
    assert satisfies(constraint, 2, 0, np.array([1, 1, 1, 1]))
    assert not satisfies(constraint, 2, 0, np.array([1, 1, 2, 0]))


def _transport(supply: list[int], demand: list[int], cost: np.ndarray) -> float:
    """Return the least cost of moving units from suppliers to takers, by trying every assignment."""
    sources = [place for place, count in enumerate(supply) for _ in range(count)]
    sinks = [place for place, count in enumerate(demand) for _ in range(count)]
    assignments = (zip(sources, order, strict=True) for order in set(permutations(sinks)))
    return min(sum(cost[pair] for pair in assignment) for assignment in assignments) / len(sources)


LEVELS = np.array([[0, 1, 2, 3], [0, 0, 1, 1]])
"""Four values under two nodes."""
GAPS = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) / 3
TREE = np.array([[0, 0.5, 1, 1], [0.5, 0, 1, 1], [1, 1, 0, 0.5], [1, 1, 0.5, 0]])


@pytest.mark.parametrize(
    ("kind", "cost"),
    [
        (SensitiveDistance.EQUAL, 1 - np.eye(4)),
        (SensitiveDistance.ORDERED, GAPS),
        (SensitiveDistance.HIERARCHICAL, TREE),
    ],
)
def test_distances_are_the_least_cost_of_moving(kind: SensitiveDistance, cost: np.ndarray) -> None:
    random = np.random.default_rng(3)
    for _ in range(60):
        counts = np.bincount(random.integers(0, 4, 6), minlength=4).astype(np.int64)
        table = 1 + np.bincount(random.integers(0, 4, 2), minlength=4).astype(np.int64)
        constraint = read_models("t=0.5").tighten(free_constraint([sensitive_of(table, kind, ancestors=LEVELS)]))
        expected = _transport(counts.tolist(), table.tolist(), cost)
        assert distance(constraint, 0, counts) == pytest.approx(expected)
        assert satisfies(constraint, 6, 0, counts) == (expected <= 0.5 + 1e-9)


def test_values_that_the_table_lacks_leave_no_gap() -> None:
    with_gap, without = np.array([0, 2, 0, 2, 1]), np.array([2, 2, 1])
    constraints = [
        read_models("t=0.5").tighten(free_constraint([SensitiveCodes(table, ordered=True)]))
        for table in (with_gap, without)
    ]
    told = [distance(each, 0, counts) for each, counts in zip(constraints, (with_gap // 2, without // 2), strict=True)]
    assert told[0] == pytest.approx(told[1])
    assert told[0] > 0


def test_a_distance_goes_by_the_column() -> None:
    assert sensitive_of(TABLE, SensitiveDistance.AUTO, ordered=True).ordered
    assert sensitive_of(TABLE, SensitiveDistance.AUTO, ordered=True, ancestors=LEVELS).ancestors is LEVELS
    alike = sensitive_of(TABLE, SensitiveDistance.AUTO)
    assert (alike.persons is TABLE, alike.ordered, alike.ancestors) == (True, False, None)
    with pytest.raises(UsageError, match="hierarchical"):
        sensitive_of(TABLE, SensitiveDistance.HIERARCHICAL)


@pytest.mark.parametrize(("values", "height"), [(["7", "12"], 0), (["07", "12"], 1), ([7, 12], 0)])
def test_sensitive_text_is_ordered_if_all_of_it_is_plain_numbers(values: list[str] | list[int], height: int) -> None:
    claim = PrivacyClaim(("q",), read_models("t=0.5"), ("s",))
    coder = coder_of(claim, {"q": pa.array(["x", "y"]), "s": pa.array(values)})
    assert constraint_for(claim, coder, np.array([0, 1, 1])).heights.tolist() == [height]


def test_the_least_and_the_greatest_presence_that_are_allowed_hold() -> None:
    assert holds("delta=0.1:0.5", 0, 1, population=20)
    assert holds("delta=0.1:0.5", 0, 1, population=4)
