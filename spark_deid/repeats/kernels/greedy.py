"""The greedy covering of maximal repeats that keeps the longest first."""

import numpy as np

from spark_deid.numerics.arrays import Bools, Int64s, UInt16s
from spark_deid.numerics.compilation import Int, compiled
from spark_deid.repeats.kernels.marks import HIDDEN_CHARACTER, MAX_LENGTH


@compiled
def cover_greedily(lengths: UInt16s, min_length: int) -> Bools:
    """Return which characters a greedy covering hides (Matsubara and Hasida, Algorithms 2 and 3).

    Maximal repeats of at least ``min_length`` characters are kept whole, the longest first and of equals the leftmost,
    where that leaves a hidden character to either side. What is excluded is never hidden, what was hidden remains so.
    """
    hidden = np.ones(len(lengths), np.bool_)
    longest = np.int64(0)
    widest = start = 0
    for i in range(len(lengths)):
        if lengths[i] > MAX_LENGTH:
            hidden[i] = lengths[i] == HIDDEN_CHARACTER
            widest = max(widest, i - start)
            start = i + 1
        else:
            longest = max(longest, np.int64(lengths[i]))
    widest = max(widest, len(lengths) - start)
    places = np.empty(widest, np.int64)
    counts = np.zeros(longest + 2, np.int64)
    start = 0
    for i in range(len(lengths) + 1):
        if i == len(lengths) or lengths[i] > MAX_LENGTH:
            _cover_piece(lengths, start, i, max(min_length, 1), places, counts, hidden)
            start = i + 1
    return hidden


@compiled
def _cover_piece(
    lengths: UInt16s, start: Int, end: Int, min_length: Int, places: Int64s, counts: Int64s, hidden: Bools
) -> None:
    """Cover one piece of text; ``counts`` is all zero before and after."""
    found, longest = _sort_repeats(lengths, start, end, min_length, places, counts)
    for i in range(found):
        first = places[i]
        after = first + np.int64(lengths[first])
        if _is_free(hidden, first, after, start, end):
            hidden[first:after] = False
    counts[: longest + 1] = 0


@compiled
def _is_free(hidden: Bools, first: Int, after: Int, start: Int, end: Int) -> bool:
    """Tell whether a repeat and its neighbours inside the piece are hidden yet.

    No maximal repeat contains another, so what overlaps covers one of its ends.
    """
    if not (hidden[first] and hidden[after - 1]):
        return False
    return (first == start or hidden[first - 1]) and (after == end or hidden[after])


@compiled
def _sort_repeats(
    lengths: UInt16s, start: Int, end: Int, min_length: Int, places: Int64s, counts: Int64s
) -> tuple[np.int64, np.int64]:
    """Write the starts of the maximal repeats, longest first; return their number and the greatest length."""
    longest = np.int64(0)
    reached = np.int64(start)
    for i in range(start, end):
        length = np.int64(lengths[i])
        if i + length > reached:
            reached = i + length
            if length >= min_length:
                counts[length] += 1
                longest = max(longest, length)
    found = np.int64(0)
    for each in range(longest, -1, -1):
        number = counts[each]
        counts[each] = found
        found += number
    reached = np.int64(start)
    for i in range(start, end):
        length = np.int64(lengths[i])
        if i + length > reached:
            reached = i + length
            if length >= min_length:
                places[counts[length]] = i
                counts[length] += 1
    return found, longest
