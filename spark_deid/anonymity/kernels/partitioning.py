"""Reorder units so that those of each side of a cut are together."""

import numpy as np

from spark_deid.anonymity.kernels.choosing import child_at
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def part_at(codes: Int32s, ids: Int32s, start: Int, end: Int, column: Int, code: Int) -> Int:
    """Bring units up to a code before the others; return where the others begin."""
    # Hoare's partition: two indices meet, and each unit on a wrong side is swapped once.
    low, high = start, end - 1
    while True:
        while low <= high and codes[low, column] <= code:
            low += 1
        while low <= high and codes[high, column] > code:
            high -= 1
        if low >= high:
            return low
        _swap(codes, ids, low, high)
        low += 1
        high -= 1


@compiled
def part_by_ties(codes: Int32s, ids: Int32s, ties: UInt64s, start: Int, end: Int, column: Int, code: Int) -> Int:
    """Bring units with a smaller code, or with this one and a tie up to ``ties[-1]``, before the others.

    ``ties`` is by id, its last element the limit.
    """
    limit = ties[ties.size - 1]
    place = start
    for i in range(start, end):
        if codes[i, column] < code or (codes[i, column] == code and ties[ids[i]] <= limit):
            if i != place:
                _swap(codes, ids, i, place)
            place += 1
    return place


@compiled
def _swap(codes: Int32s, ids: Int32s, one: Int, other: Int) -> None:
    for column in range(codes.shape[1]):
        kept = codes[one, column]
        codes[one, column] = codes[other, column]
        codes[other, column] = kept
    moved = ids[one]
    ids[one] = ids[other]
    ids[other] = moved


@compiled
def part_by_child(
    codes: Int32s, ids: Int32s, start: Int, end: Int, column: Int, space: CodeSpace, node: Int, places: Int64s
) -> None:
    """Bring units below one child of a node together, children in order; ``places`` is where each begins."""
    old_codes, old_ids = codes[start:end].copy(), ids[start:end].copy()
    # A counting sort by child: it is stable, so equal inputs give equal orders.
    following = places.copy()
    for i in range(end - start):
        child = child_at(space, node, np.int64(old_codes[i, column]))
        place = following[child]
        following[child] += 1
        codes[place] = old_codes[i]
        ids[place] = old_ids[i]
