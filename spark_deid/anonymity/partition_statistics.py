"""What the cutting of a whole table asks of its parts, and what each part answers; answers add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from spark_deid.anonymity.kernels.classes import place_units
from spark_deid.anonymity.kernels.cuts import LAST, CutTree
from spark_deid.anonymity.kernels.histograms import survey_units
from spark_deid.anonymity.partition import UnitRows
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt64s

TIE_BITS = 16
"""How many bits of ties are distinguished at a time."""


class NodeSurvey(NamedTuple):
    """How many units of a node have each code, in buckets of ``2**shifts[a]`` codes, and their extents."""

    node: int
    shifts: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def counts(self) -> int:
        """Return how many counts answer this."""
        return sum(count_buckets(size, shift) for size, shift in zip(self.sizes, self.shifts, strict=True))


class EdgeCounts(NamedTuple):
    """How many units of a node have a code from each edge up to the next."""

    node: int
    column: int
    edges: Int64s

    @property
    def counts(self) -> int:
        """Return how many counts answer this."""
        return len(self.edges)


class TieCounts(NamedTuple):
    """How many units of a node and a code have each next few bits of ties, of those whose first ``known`` are given."""

    node: int
    column: int
    code: int
    prefix: int
    known: int

    @property
    def counts(self) -> int:
        """Return how many counts answer this."""
        return 1 << TIE_BITS


class CutSides(NamedTuple):
    """How many units of a node, and how many holders of each sensitive value, are on each side of a cut."""

    node: int
    column: int
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    limits: tuple[int, ...]
    values: int

    @property
    def counts(self) -> int:
        """Return how many counts answer this."""
        return len(self.lows) * (self.values + 1)


Question = NodeSurvey | EdgeCounts | TieCounts | CutSides


@dataclass(frozen=True)
class NodeCounts:
    """Counts, with extents where they were asked for."""

    counts: Int64s
    lows: Int32s
    highs: Int32s


def merge_answers(answers: Sequence[NodeCounts]) -> NodeCounts:
    """Return the answer of several parts together."""
    return reduce(_add, answers)


def answer_questions(part: UnitRows, cuts: CutTree, questions: Sequence[Question]) -> list[NodeCounts]:
    """Answer questions about a part of a table."""
    placed = part.placed()
    nodes = place_units(cuts, placed, part.ties if part.ties.size else np.zeros(part.number, np.uint64))
    surveys = _surveys(placed, nodes, len(cuts.columns), [each for each in questions if isinstance(each, NodeSurvey)])
    results = []
    for question in questions:
        if isinstance(question, NodeSurvey):
            results.append(next(surveys))
            continue
        there = nodes == question.node
        results.append(NodeCounts(_counts(part, placed, there, question), _NO_CODES, _NO_CODES))
    return results


def count_buckets(size: int, shift: int) -> int:
    """Return how many buckets an attribute of that many codes has.

    >>> count_buckets(1, 0), count_buckets(10, 0), count_buckets(10, 2)
    (1, 10, 4)
    """
    return 1 + ((size - 1 + (1 << shift) - 1) >> shift)


_NO_CODES = np.empty(0, np.int32)


def _add(one: NodeCounts, other: NodeCounts) -> NodeCounts:
    return NodeCounts(one.counts + other.counts, np.minimum(one.lows, other.lows), np.maximum(one.highs, other.highs))


def _surveys(placed: Int32s, nodes: Int32s, number: int, requests: Sequence[NodeSurvey]) -> "_Surveys":
    return _Surveys(placed, nodes, number, requests)


class _Surveys:
    """Answers to all surveys of a round, which have the same buckets, counted in one go."""

    def __init__(self, placed: Int32s, nodes: Int32s, number: int, requests: Sequence[NodeSurvey]) -> None:
        self._answers: list[NodeCounts] = []
        if not requests:
            return
        first = requests[0]
        offsets = np.cumsum(
            [0, *(count_buckets(size, shift) for size, shift in zip(first.sizes, first.shifts, strict=True))]
        )
        slots = np.full(number, -1, np.int32)
        slots[[each.node for each in requests]] = np.arange(len(requests))
        shape = (len(requests), len(first.sizes))
        lows, highs = np.full(shape, LAST, np.int32), np.full(shape, -1, np.int32)
        counts = np.zeros((len(requests), int(offsets[-1])), np.int64)
        survey_units(
            placed, nodes, slots, np.array(first.shifts, np.int64), offsets.astype(np.int64), lows, highs, counts
        )
        self._answers = [NodeCounts(*each) for each in zip(counts, lows, highs, strict=True)]

    def __next__(self) -> NodeCounts:
        return self._answers.pop(0)


def _counts(part: UnitRows, placed: Int32s, there: Bools, question: EdgeCounts | TieCounts | CutSides) -> Int64s:
    codes = placed[there, question.column]
    if isinstance(question, EdgeCounts):
        at = np.searchsorted(question.edges, codes, side="right") - 1
        within = (at >= 0) & (at < len(question.edges) - 1)
        return np.bincount(at[within], minlength=len(question.edges) - 1).astype(np.int64)
    if isinstance(question, TieCounts):
        return _tie_counts(part.ties[there][codes == question.code], question)
    return _side_counts(part, placed, there, question)


def _tie_counts(ties: UInt64s, question: TieCounts) -> Int64s:
    left = 64 - question.known
    if question.known:
        ties = ties[(ties >> np.uint64(left)) == np.uint64(question.prefix)]
    bits = (ties >> np.uint64(left - TIE_BITS)) & np.uint64((1 << TIE_BITS) - 1)
    return np.bincount(bits.astype(np.int64), minlength=1 << TIE_BITS).astype(np.int64)


def _side_counts(part: UnitRows, placed: Int32s, there: Bools, question: CutSides) -> Int64s:
    sides = np.full(part.number, -1, np.int64)
    codes = placed[:, question.column]
    ties = part.ties if part.ties.size else np.zeros(part.number, np.uint64)
    for side in reversed(range(len(question.lows))):
        low, high, limit = question.lows[side], question.highs[side], question.limits[side]
        within = there & (codes >= low) & (codes <= high) & ((codes < high) | (ties <= np.uint64(limit)))
        sides[within] = side
    number, width = len(question.lows), question.values + 1
    counts = np.zeros((number, width), np.int64)
    counts[:, 0] = np.bincount(sides[sides >= 0], minlength=number)
    if not question.values:
        return counts
    owners = np.repeat(sides, np.diff(part.offsets))
    of_side = owners >= 0
    keys = owners[of_side] * question.values + part.held[of_side]
    counts[:, 1:] = np.bincount(keys, minlength=number * question.values).reshape(number, question.values)
    return counts
