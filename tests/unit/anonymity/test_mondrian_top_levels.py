"""What statistics of a whole table decide is what the cutting of the whole decides."""

from collections.abc import Sequence

import numpy as np
import pytest

from spark_deid.anonymity import mondrian_top_levels
from spark_deid.anonymity.constraint import ClassConstraint, free_constraint
from spark_deid.anonymity.kernels.classes import find_node_boxes, place_units
from spark_deid.anonymity.kernels.cuts import CutTree
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.mondrian_top_levels import CutRules, check_values, top_cuts
from spark_deid.anonymity.partition import PartClasses, UnitRows, class_labels, cut_part
from spark_deid.anonymity.partition_statistics import (
    NodeCounts,
    Question,
    answer_questions,
    count_buckets,
    merge_answers,
)
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.space import space_of
from spark_deid.core.errors import CorpusError, GateRefused
from tests.unit.anonymity.tables import Table, random_table
from tests.unit.anonymity.test_mondrian import held_by

TABLES = 160
Class = tuple[tuple[int, ...], tuple[str | None, ...]]


def pick(part: UnitRows, units: Sequence[int]) -> UnitRows:
    """Return units of a part of one row and one value a unit."""
    chosen = np.array(units, np.int64)
    n = len(chosen)
    return UnitRows(part.codes[chosen], np.arange(n + 1), part.ties[chosen], np.arange(n + 1), part.held[chosen])


def shown_classes(classes: PartClasses, table: Table, units: Sequence[int]) -> list[Class]:
    names = list(zip(*(column.to_pylist() for column in class_labels(classes, table.attributes)), strict=True))
    bounds = zip(classes.starts, classes.starts[1:], strict=False)
    members = [tuple(sorted(units[unit] for unit in classes.order[start:end])) for start, end in bounds]
    return list(zip(members, names, strict=True))


def distributed(
    table: Table,
    constraint: ClassConstraint,
    modes: dict[str, RecodingMode],
    is_relaxed: bool,
    random: np.random.Generator,
) -> list[Class]:
    """Cut the top levels by what random parts answer, and the rest part by part."""
    n = len(table.units)
    owners = random.integers(0, random.integers(1, 8), n)
    parts = [pick(table.part, np.flatnonzero(owners == owner).tolist()) for owner in range(8)]

    def ask(cuts: CutTree, questions: Sequence[Question]) -> list[NodeCounts]:
        told = [answer_questions(part, cuts, questions) for part in parts if part.number]
        return [merge_answers(each) for each in zip(*told, strict=True)]

    rules = CutRules(space_of(table.attributes), constraint, is_relaxed, int(random.integers(1, 20)))
    cuts = top_cuts(ask, rules, n)
    nodes = place_units(cuts, np.array(table.units, np.int32), np.array(table.ties, np.uint64))
    boxes = find_node_boxes(cuts, np.array([attribute.size - 1 for attribute in table.attributes], np.int64))
    found = []
    for node in np.flatnonzero(cuts.columns < 0):
        units = np.flatnonzero(nodes == node).tolist()
        assert len(units) == cuts.ends[node] - cuts.starts[node]
        box = boxes[0][node], boxes[1][node]
        part = pick(table.part, units)
        classes = cut_part(part, table.attributes, constraint, modes, is_relaxed=is_relaxed, box=box)
        found += shown_classes(classes, table, units)
    return sorted(found, key=str)


@pytest.mark.parametrize("bits", [1, 16])
@pytest.mark.parametrize("is_relaxed", [False, True])
@pytest.mark.parametrize("diversity", [1, 2])
def test_classes_are_those_of_the_whole_table(
    diversity: int, is_relaxed: bool, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mondrian_top_levels, "LEAST_BITS", bits)
    monkeypatch.setattr(mondrian_top_levels, "MOST_BITS", bits)
    monkeypatch.setattr(
        mondrian_top_levels, "COUNTED_BYTES", 1 if bits == 1 else mondrian_top_levels.COUNTED_BYTES
    )  # 1: a question at a time
    random = np.random.default_rng(diversity + 10 * is_relaxed + 100 * bits)
    compared = 0
    for _ in range(TABLES // 2):
        table = random_table(random)
        modes = {each.name: random.choice([*RecodingMode]) for each in table.attributes}
        models = f"k={random.integers(2, 6)}" + (",l=2" if diversity > 1 else "")
        constraint = read_models(models).tighten(free_constraint([held_by(table, 4)] if diversity > 1 else []))
        try:
            found = distributed(table, constraint, modes, is_relaxed, random)
        except GateRefused:
            continue
        whole = cut_part(table.part, table.attributes, constraint, modes, is_relaxed=is_relaxed)
        assert found == sorted(shown_classes(whole, table, range(len(table.units))), key=str)
        compared += 1
    assert compared > TABLES // 4


def test_a_table_that_does_not_satisfy_as_a_whole_is_refused() -> None:
    table = random_table(np.random.default_rng(3), (4, 5))
    with pytest.raises(GateRefused, match="with all 4"):
        distributed(table, read_models("k=5").tighten(free_constraint()), {}, False, np.random.default_rng(0))


def test_sensitive_values_that_no_driver_counts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    check_values(8_388_606, 8)
    with pytest.raises(CorpusError, match="have 8388608 distinct values, more than the limit of 8388607"):
        check_values(8_388_608, 8)


def test_buckets_take_no_more_than_what_one_round_may() -> None:
    table = random_table(np.random.default_rng(3), (4, 5))
    rules = CutRules(space_of(table.attributes), read_models("k=2").tighten(free_constraint()), False, 1)
    wide = CutRules(rules.space._replace(offsets=np.array([0, 10**7, 2 * 10**7])), rules.constraint, False, 1, 200)
    for nodes in (1, 8, 64):
        counts = sum(count_buckets(size, shift) for size, shift in zip(wide.sizes, wide.shifts(nodes), strict=True))
        assert nodes * counts * 8 * wide.answerers <= mondrian_top_levels.COUNTED_BYTES * 1.1
