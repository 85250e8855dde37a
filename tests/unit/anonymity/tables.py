"""Random small tables, and Mondrian written plainly, on lists."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute, attribute_of
from spark_deid.anonymity.column_type import ColumnKind
from spark_deid.anonymity.partition import UnitRows
from spark_deid.ontology.hierarchy import parse_hierarchy

CITIES = "a;A;X;*\nb;A;X;*\nc;B;X;*\nd;C;Y;*\ne;C;Y;*\nf;D;Y;*\n"

Unit = tuple[int, ...]
Side = list[int]
Allowed = Callable[[Sequence[int]], bool]


@dataclass(frozen=True)
class Table:
    """Attributes, the codes of units, their ties and one sensitive value each."""

    attributes: tuple[CodedAttribute, ...]
    units: list[Unit]
    ties: list[int]
    held: list[int]

    @property
    def part(self) -> UnitRows:
        n = len(self.units)
        codes = np.array(self.units, np.int32)
        ties, held = np.array(self.ties, np.uint64), np.array(self.held, np.int32)
        return UnitRows(codes, np.arange(n + 1), ties, np.arange(n + 1), held)


def random_table(random: np.random.Generator, sizes: tuple[int, int] = (4, 60)) -> Table:
    n = int(random.integers(*sizes))
    columns: list[pa.Array] = []
    for kind in random.integers(0, 4, random.integers(1, 4)):
        missing = random.random(n) < random.choice([0, 0.2])
        if kind == 0:
            values = random.choice(random.integers(0, 200, random.integers(1, 30)), n)
        elif kind == 1:
            values = random.choice(list("pqrs"), n)
        elif kind == 2:
            values = random.choice(list("abcdef"), n)
        else:
            numbers = random.integers(0, 90, random.integers(1, 30))
            values = random.choice([*map(str, numbers), *(["90+", "other", "x"] * int(random.integers(0, 3)))], n)
        columns.append((int(kind), pa.array(values.tolist()), missing))
    tree = parse_hierarchy(CITIES, "cities")
    attributes, codes = [], []
    for number, (kind, values, missing) in enumerate(columns):
        column = pa.array([None if gone else value for value, gone in zip(values.to_pylist(), missing, strict=True)])
        column = column.cast(values.type)
        read = ColumnKind.NUMBER if kind == 3 else ColumnKind.TEXT
        attributes.append(attribute_of(f"c{number}", column, tree if kind == 2 else None, read))
        codes.append(attributes[-1].encode(column))
    units = [tuple(map(int, unit)) for unit in np.stack(codes, 1)]
    ties = [int(tie) for tie in random.permutation(n)]
    return Table(tuple(attributes), units, ties, [int(value) for value in random.integers(0, 4, n)])


def plain_classes(table: Table, allowed: Allowed, *, is_relaxed: bool) -> list[Side]:
    """Cut a table as the paper states, one list after the other."""
    waiting, classes = [list(range(len(table.units)))], []
    while waiting:
        side = waiting.pop()
        sides = next((cut for cut in _cuts(table, side, is_relaxed) if all(map(allowed, cut))), None)
        if sides:
            waiting += sides
        else:
            classes.append(sorted(side))
    return sorted(classes)


def _cuts(table: Table, side: Side, is_relaxed: bool) -> list[list[Side]]:
    """List the cuts to try, in order."""
    widths = {column: _width(table, side, column) for column in range(len(table.attributes))}
    cuts = []
    for column in sorted(widths, key=lambda column: -widths[column]):
        if widths[column] > 0:
            of_tree = table.attributes[column].tree is not None
            cuts += [_children(table, side, column)] if of_tree else _halves(table, side, column, is_relaxed)
    return [cut for cut in cuts if all(cut)]


def _width(table: Table, side: Side, column: int) -> float:
    attribute = table.attributes[column]
    codes = {table.units[unit][column] for unit in side}
    if len(codes) == 1:
        return 0.0
    if 0 in codes or max(codes) > attribute.last:
        return 1.0
    if attribute.tree is None:
        return float((attribute.positions[max(codes)] - attribute.positions[min(codes)]) / attribute.span)
    node = attribute.tree.lowest(min(codes), max(codes))
    inside = sum(attribute.tree.first[node] <= leaf <= attribute.tree.last[node] for leaf in range(attribute.size))
    return min(1.0, (inside - 1) / (attribute.size - 2))


def _children(table: Table, side: Side, column: int) -> list[Side]:
    tree = table.attributes[column].tree
    assert tree is not None
    codes = [table.units[unit][column] for unit in side]
    node = tree.lowest(min(codes), max(codes))
    children = [child for child in range(len(tree.parent)) if tree.parent[child] == node]
    sides = [[unit for unit in side if tree.first[c] <= table.units[unit][column] <= tree.last[c]] for c in children]
    return [side for side in sides if side]


def _halves(table: Table, side: Side, column: int, is_relaxed: bool) -> list[list[Side]]:
    code = {unit: table.units[unit][column] for unit in side}
    cuts = [_above(side, code, 0)] if 0 in code.values() else []
    last = table.attributes[column].last
    cuts += [_above(side, code, last)] if min(code.values()) <= last < max(code.values()) else []
    half = len(side) // 2
    ordered = sorted(side, key=lambda unit: (code[unit], table.ties[unit]))
    at = code[ordered[half - 1]] if half else code[ordered[0]]
    counts = Counter(code.values())
    before = sum(count for other, count in counts.items() if other < at)
    if is_relaxed and before + counts[at] > half and counts[at] > 1:
        return [*cuts, [ordered[:half], ordered[half:]]]
    return [*cuts, _above(side, code, at), _above(side, code, at - 1)]


def _above(side: Side, code: dict[int, int], limit: int) -> list[Side]:
    return [[u for u in side if code[u] <= limit], [u for u in side if code[u] > limit]]
