"""The greedy covering of maximal repeats that keeps the longest first."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.repeats.kernels.marks import HIDDEN_CHARACTER, MAX_LENGTH, begins_character


@compiled
def ended_by_cap(data: UInt8s, lengths: UInt16s, cap: int) -> Bools:
    """Return for each character whether the repeat that begins there has more than ``cap`` bytes with the next one.

    ``data`` are the bytes of the characters. Ends of repeats never move back, so one pass with two pointers suffices.
    """
    capped = np.zeros(len(lengths), np.bool_)
    place = end_place = np.int64(0)
    end = np.int64(0)
    for i in range(len(lengths)):
        if end < i:
            end, end_place = np.int64(i), place
        length = np.int64(lengths[i])
        if 0 < length <= MAX_LENGTH:
            while end < i + length:
                end_place = _next_character(data, end_place)
                end += 1
            if end < len(lengths) and lengths[end] <= MAX_LENGTH:
                capped[i] = _next_character(data, end_place) - place > cap
        place = _next_character(data, place)
    return capped


@inlined
def _next_character(data: UInt8s, place: np.int64) -> np.int64:
    """Return where the character after the one at ``place`` begins."""
    place += 1
    while place < len(data) and not begins_character(data[place]):
        place += 1
    return place


@compiled
def cover_greedily(lengths: UInt16s, capped: Bools, min_length: int) -> Bools:
    """Return which characters a greedy covering hides (Matsubara and Hasida, Algorithms 2 and 3).

    Maximal repeats of at least ``min_length`` characters are kept whole, the longest first and of equals the leftmost,
    if that leaves a hidden character to either side. Excluded characters are never hidden, hidden ones remain so.

    The cap on lengths would otherwise replace a long repeat by overlapping repeats that exclude one another. So repeats
    that begin one character after another, each but the last ended by the cap (``capped``), count as one. It is kept
    from left to right in parts of the longest length, with one hidden character between two parts. Each part is
    frequent: it ends where the repeat of its first character ends, or before.
    """
    hidden = np.ones(len(lengths), np.bool_)
    widest = start = 0
    for i in range(len(lengths)):
        if lengths[i] > MAX_LENGTH:
            hidden[i] = lengths[i] == HIDDEN_CHARACTER
            widest = max(widest, i - start)
            start = i + 1
    # Arrays for the longest piece serve all pieces.
    widest = max(widest, len(lengths) - start)
    repeats = np.empty((3, widest), np.int64)
    counts = np.zeros(widest + 2, np.int64)
    start = 0
    for i in range(len(lengths) + 1):
        if i == len(lengths) or lengths[i] > MAX_LENGTH:
            _cover_piece(lengths, capped, start, i, max(min_length, 1), repeats, counts, hidden)
            start = i + 1
    return hidden


@compiled
def _cover_piece(
    lengths: UInt16s,
    capped: Bools,
    start: Int,
    end: Int,
    min_length: Int,
    repeats: Int64s,
    counts: Int64s,
    hidden: Bools,
) -> None:
    """Cover one piece of text. ``counts`` is all zero before and after."""
    starts, ends, order = repeats[0], repeats[1], repeats[2]
    found = _find_repeats(lengths, capped, start, end, min_length, starts, ends)
    _sort_repeats(starts, ends, found, order, counts)
    for i in range(found):
        first, after = starts[order[i]], ends[order[i]]
        if _is_free(hidden, first, after, start, end):
            _keep_parts(lengths, first, after, min_length, hidden)


@compiled
def _find_repeats(
    lengths: UInt16s, capped: Bools, start: Int, end: Int, min_length: Int, starts: Int64s, ends: Int64s
) -> np.int64:
    """Write starts and ends of the repeats of at least ``min_length`` characters, and return their number."""
    found = np.int64(0)
    reached = np.int64(start)
    continues = False
    for i in range(start, end):
        after = i + np.int64(lengths[i])
        if continues:
            ends[found - 1] = max(ends[found - 1], after)
        # A repeat is maximal if it ends beyond all earlier ones. Otherwise an earlier one contains it.
        elif after > reached:
            if found and ends[found - 1] - starts[found - 1] < min_length:
                found -= 1
            starts[found], ends[found] = i, after
            found += 1
        # The cap ended this repeat, so the one that begins at the next character belongs to the same longer text.
        continues = bool(capped[i] and (continues or after > reached))
        reached = max(reached, after)
    if found and ends[found - 1] - starts[found - 1] < min_length:
        found -= 1
    return found


@compiled
def _sort_repeats(starts: Int64s, ends: Int64s, found: Int, order: Int64s, counts: Int64s) -> None:
    """Write the numbers of the repeats, longest first and equals from left to right, by counting lengths."""
    longest = np.int64(0)
    for i in range(found):
        counts[ends[i] - starts[i]] += 1
        longest = max(longest, ends[i] - starts[i])
    before = np.int64(0)
    for length in range(longest, -1, -1):
        number = counts[length]
        counts[length] = before
        before += number
    for i in range(found):
        order[counts[ends[i] - starts[i]]] = i
        counts[ends[i] - starts[i]] += 1
    # Cleared for the next piece, up to the longest length that was counted.
    counts[: longest + 1] = 0


@compiled
def _is_free(hidden: Bools, first: Int, after: Int, start: Int, end: Int) -> bool:
    """Return whether all of a repeat and its neighbours inside the piece are still hidden.

    No repeat contains another, so a kept one nearly always covers an end, which is tried first. In full, only parts of
    a long repeat need the search, of which too short ones remain hidden.
    """
    if not (hidden[first] and hidden[after - 1]):
        return False
    if not ((first == start or hidden[first - 1]) and (after == end or hidden[after])):
        return False
    return bool(hidden[first:after].all())


@compiled
def _keep_parts(lengths: UInt16s, first: Int, after: Int, min_length: Int, hidden: Bools) -> None:
    """Keep a repeat, in parts if it is longer than the length at its first character."""
    begin = np.int64(first)
    while begin < after:
        until = min(begin + np.int64(lengths[begin]), after)
        if until - begin >= min_length:
            hidden[begin:until] = False
            begin = np.int64(until)
        begin += 1
