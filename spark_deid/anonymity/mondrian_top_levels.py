"""The top levels of Mondrian by statistics of a whole table, which no process holds.

A node is cut exactly as the compiled cutting of one part cuts it: LeFevre, DeWitt and Ramakrishnan, "Workload-Aware
Anonymization Techniques for Large-Scale Datasets" (TODS 2008), 6: frequency sets of the nodes of a level decide. Where
an attribute has more values than fit, they are counted in buckets, and then within the one bucket that has the median.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.choosing import find_lowest_node, find_middle, find_widest, width_between
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.kernels.cuts import LAST, NO_TIE, CutTree
from spark_deid.anonymity.partition_statistics import (
    TIE_BITS,
    CutSides,
    EdgeCounts,
    NodeCounts,
    NodeSurvey,
    Question,
    TieCounts,
    count_buckets,
)
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.errors import CorpusError, GateRefused
from spark_deid.core.numerics.arrays import Int64s

COUNTED_BYTES = 64 << 20
"""What the counts of one round may take on the driver."""
MOST_BYTES = 1 << 30
"""What those of one question may take, where that is more."""
LEAST_BITS, MOST_BITS = 6, 16
"""A logarithm of how many buckets an attribute has."""

Ask = Callable[[CutTree, Sequence[Question]], Sequence[NodeCounts]]
"""Answers questions about the nodes of a tree of cuts, of the whole table."""
Asking = Generator[Question, NodeCounts, "AttributeCut | None"]


@dataclass(frozen=True)
class CutRules:
    """What cuts must keep to: the space, the constraint, whether ties part units of one value.

    Nodes of up to ``most`` units remain whole. ``answerers`` answer each question separately.
    """

    space: CodeSpace
    constraint: ClassConstraint
    is_relaxed: bool
    most: int
    answerers: int = 1

    @property
    def least(self) -> int:
        """Return the fewest units of a side."""
        return max(self.constraint.k, 1)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many codes each attribute has."""
        return tuple(map(int, np.diff(self.space.offsets)))

    @property
    def values(self) -> int:
        """Return how many sensitive values there are."""
        return int(self.constraint.offsets[-1])

    def shifts(self, nodes: int) -> tuple[int, ...]:
        """Return how many bits of codes are not distinguished when that many nodes are surveyed at once."""
        each = COUNTED_BYTES // (8 * self.answerers * nodes * len(self.sizes))
        bits = min(max(each.bit_length() - 1, LEAST_BITS), MOST_BITS)
        return tuple(max((size - 1).bit_length() - bits, 0) for size in self.sizes)


@dataclass(frozen=True)
class AttributeCut:
    """An attribute, and of each side the least and greatest code, the limit of ties, and the number of units."""

    column: int
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    limits: tuple[int, ...]
    units: tuple[int, ...]


def top_cuts(ask: Ask, rules: CutRules, units: int) -> CutTree:
    """Cut a table of that many units until what remains fits, level by level.

    The whole must satisfy the constraint: raises GateRefused where it does not. ``ends`` less ``starts`` of a node is
    how many units it has. Asks once or a few times a level.
    """
    tree = _Tree(units)
    _check_whole(ask, rules, tree.cuts(), units)
    level = [0] if units > rules.most else []
    while level:
        shifts = rules.shifts(len(level))
        found = _advance(ask, tree.cuts(), [_cut(node, rules, shifts) for node in level], rules.answerers)
        added = [tree.add(node, cut) for node, cut in zip(level, found, strict=True) if cut is not None]
        level = [node for nodes in added for node in nodes if tree.units[node] > rules.most]
    return tree.cuts()


def check_values(values: int, answerers: int) -> None:
    """Raise CorpusError where counts of that many sensitive values would take more than MOST_BYTES on the driver."""
    most = MOST_BYTES // (8 * answerers * 2) - 1  # a cut has two sides
    if values > most:
        raise CorpusError(
            f"sensitive columns have {values} distinct values, more than the limit of {most}. Round the "
            "values, or choose columns with fewer"
        )


def _check_whole(ask: Ask, rules: CutRules, cuts: CutTree, units: int) -> None:
    (entry,) = ask(cuts, [CutSides(0, 0, (0,), (LAST,), (int(NO_TIE),), rules.values)])
    if not satisfies(rules.constraint, np.int64(units), np.int64(0), entry.counts[0, 1:]):
        raise GateRefused(f"the table is not written: even one class with all {units} does not satisfy the model")


def _advance(ask: Ask, cuts: CutTree, askings: Sequence[Asking], answerers: int) -> list[AttributeCut | None]:
    """Let all nodes ask until each has decided; what they ask at the same time is asked together, as far as it fits."""
    found: list[AttributeCut | None] = [None] * len(askings)
    waiting = {place: next(asking) for place, asking in enumerate(askings)}
    while waiting:
        portions = _portions(list(waiting.values()), COUNTED_BYTES // (8 * answerers))
        results = [answer for portion in portions for answer in ask(cuts, portion)]
        answered = dict(zip(waiting, results, strict=True))
        waiting = {}
        for place, answer in answered.items():
            try:
                waiting[place] = askings[place].send(answer)
            except StopIteration as end:
                found[place] = end.value
    return found


def _portions(questions: Sequence[Question], most: int) -> Iterator[list[Question]]:
    """Divide questions so that the answers of each portion have at most that many counts, or it is one question."""
    portion: list[Question] = []
    counts = 0
    for question in questions:
        if portion and counts + question.counts > most:
            yield portion
            portion, counts = [], 0
        portion.append(question)
        counts += question.counts
    yield portion


def _cut(node: int, rules: CutRules, shifts: tuple[int, ...]) -> Asking:
    """Cut a node by the widest attribute that allows it; None where none does."""
    entry = yield NodeSurvey(node, shifts, rules.sizes)
    here = _Node(node, rules, shifts, entry)
    ends = list(zip(entry.lows.astype(np.int64), entry.highs.astype(np.int64), strict=True))
    widths = np.array([width_between(rules.space, column, *each) for column, each in enumerate(ends)])
    while (column := int(find_widest(widths))) >= 0:
        cutting = here.tree if rules.space.is_tree[column] else here.line
        cut = yield from cutting(column, *map(int, ends[column]))
        if cut is not None:
            return cut
        widths[column] = 0.0
    return None


class _Node:
    """A node and its survey."""

    def __init__(self, node: int, rules: CutRules, shifts: tuple[int, ...], counts: NodeCounts) -> None:
        self._node, self._rules, self._shifts = node, rules, shifts
        numbers = [count_buckets(size, shift) for size, shift in zip(rules.sizes, shifts, strict=True)]
        self._counts = np.split(counts.counts, np.cumsum(numbers)[:-1])
        self._units = int(self._counts[0].sum())

    def line(self, column: int, low: int, high: int) -> Asking:
        """Cut off missing values, otherwise categories among numbers, otherwise cut at the median or below it."""
        if low == 0:
            cut = yield from self._at(column, 0, int(self._counts[column][0]))
            if cut is not None:
                return cut
        last = int(self._rules.space.ends[column])
        if low <= last < high:
            categories = yield from self._count(column, np.array([last + 1, self._rules.sizes[column]]))
            cut = yield from self._at(column, last, self._units - int(categories[0]))
            if cut is not None:
                return cut
        half = self._units // 2
        code, before, within = yield from self._median(column, half)
        if self._rules.is_relaxed and before + within > half and within > 1:
            return (yield from self._ties(column, code, before, half - before))
        cut = yield from self._at(column, code, before + within)
        return cut if cut is not None else (yield from self._at(column, code - 1, before))

    def tree(self, column: int, low: int, high: int) -> Asking:
        """Cut the lowest node above the units into its children, where every one that has units is allowed."""
        space = self._rules.space
        above = int(find_lowest_node(space, column, np.int64(low), np.int64(high)))
        children = space.children[space.bounds[above] : space.bounds[above + 1]]
        edges = np.append(space.first[children], space.last[children[-1]] + 1).astype(np.int64)
        counts = yield from self._count(column, edges)
        there = np.flatnonzero(counts)
        lows, highs = (tuple(map(int, ends[children[there]])) for ends in (space.first, space.last))
        limits = (int(NO_TIE),) * there.size
        return (yield from self._allowed(AttributeCut(column, lows, highs, limits, tuple(map(int, counts[there])))))

    def _at(self, column: int, code: int, lower: int) -> Asking:
        """Cut above a code, up to which ``lower`` units are."""
        limits = (int(NO_TIE),) * 2
        units = (lower, self._units - lower)
        return (yield from self._allowed(AttributeCut(column, (0, code + 1), (code, LAST), limits, units)))

    def _ties(self, column: int, code: int, before: int, needed: int) -> Asking:
        """Cut within the units of a code: those with the ``needed`` least ties go to the left."""
        prefix, passed = 0, 0
        for known in range(0, 64, TIE_BITS):
            entry = yield TieCounts(self._node, column, code, prefix, known)
            place, so_far = find_middle(entry.counts, np.int64(needed - passed))
            prefix, passed = (prefix << TIE_BITS) | int(place), passed + int(so_far)
        left = before + passed + int(entry.counts[int(place)])
        limits = (prefix, int(NO_TIE))
        return (
            yield from self._allowed(AttributeCut(column, (0, code), (code, LAST), limits, (left, self._units - left)))
        )

    def _allowed(self, cut: AttributeCut) -> Asking:
        """Return a cut where all sides satisfy the constraint."""
        rules = self._rules
        if min(cut.units) < rules.least:
            return None
        if rules.values == 0:
            return cut
        each = max(COUNTED_BYTES // (8 * rules.answerers * (rules.values + 1)), 2)  # the sides of a median go together
        for first in range(0, len(cut.units), each):
            some = slice(first, first + each)
            entry = yield CutSides(
                self._node, cut.column, cut.lows[some], cut.highs[some], cut.limits[some], rules.values
            )
            if not all(satisfies(rules.constraint, side[0], np.int64(0), side[1:]) for side in entry.counts):
                return None
        return cut

    def _median(self, column: int, half: int) -> Generator[Question, NodeCounts, tuple[int, int, int]]:
        """Return the code up to which half of the units are, how many are before it and how many at it."""
        counts, shift = self._counts[column], self._shifts[column]
        place, before = map(int, find_middle(counts, np.int64(half)))
        if place == 0 or shift == 0:
            return place, before, int(counts[place])
        first = 1 + ((place - 1) << shift)
        within = yield from self._count(column, np.arange(first, first + (1 << shift) + 1))
        inner, passed = map(int, find_middle(within, np.int64(half - before)))
        return first + inner, before + passed, int(within[inner])

    def _count(self, column: int, edges: Int64s) -> Generator[Question, NodeCounts, Int64s]:
        """Count units between edges."""
        if self._shifts[column] == 0:
            so_far = np.append(0, np.cumsum(self._counts[column]))
            return np.diff(so_far[np.minimum(edges, so_far.size - 1)])
        entry = yield EdgeCounts(self._node, column, edges)
        return entry.counts


class _Tree:
    """A tree of cuts that grows."""

    def __init__(self, units: int) -> None:
        self.units = [units]
        self._columns, self._children, self._numbers = [-1], [0], [0]
        self._lows, self._highs, self._limits = [0], [LAST], [int(NO_TIE)]

    def add(self, node: int, cut: AttributeCut) -> range:
        """Cut a node; return its children."""
        first = len(self.units)
        self._columns[node], self._children[node], self._numbers[node] = cut.column, first, len(cut.units)
        self.units += cut.units
        self._lows, self._highs = [*self._lows, *cut.lows], [*self._highs, *cut.highs]
        self._limits += cut.limits
        for empty, filled in ((self._columns, -1), (self._children, 0), (self._numbers, 0)):
            empty += [filled] * len(cut.units)
        return range(first, len(self.units))

    def cuts(self) -> CutTree:
        """Return the tree as it is."""
        starts, ends = self._places()
        return CutTree(
            np.array(self._columns, np.int32),
            np.array(self._children, np.int32),
            np.array(self._numbers, np.int32),
            np.array(self._lows, np.int32),
            np.array(self._highs, np.int32),
            np.array(self._limits, np.uint64),
            starts,
            ends,
        )

    def _places(self) -> tuple[Int64s, Int64s]:
        """Return where the units of each node would occur, side by side."""
        starts = np.zeros(len(self.units), np.int64)
        for node, first in enumerate(self._children):
            children = range(first, first + self._numbers[node])
            for child, following in pairwise([*children, None]):
                if child == first:
                    starts[child] = starts[node]
                if following is not None:
                    starts[following] = starts[child] + self.units[child]
        return starts, starts + np.array(self.units, np.int64)
