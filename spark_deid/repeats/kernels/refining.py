"""Sort a range of suffixes as deep as it matters, a word at a time.

An item is a suffix: its unit in the upper half of a number, its place in the lower. Items come in the order of their
units, and equal words keep it, so a group of suffixes that begin alike has as many units as its items change units.
A group of fewer than k remains as it is: no window of k units is in it, and what its members share with those
outside is known. (Multikey quicksort of Bentley and Sedgewick, 1997, with words for characters, dealt out.)
"""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled, inlined, prefetch
from spark_deid.repeats.kernels.loading import (
    WORD,
    byte_of_lowest_bit,
    differing_or_mark,
    equal_bytes,
    is_whole,
    load,
    load_in_order,
    text_bytes,
)
from spark_deid.repeats.kernels.marks import is_mark
from spark_deid.repeats.kernels.sorting import Words, sort_by_word

AHEAD = 32
LINE = 64
"""Bytes of a line of the processor's cache; what is held against a pivot mostly continues into the next."""
PENDING = 1 << 15
"""What is added to a shared prefix where the group is to be refined from there on."""
PLACE = (1 << 32) - 1
OCCURRENCES = 0
UNITS = 1
"""What a group is asked to have k of."""
BY_WORDS = 2 * WORD
"""Bytes that are sorted by words; text equal for longer often remains equal, and is compared with a pivot."""
REST = WORD - 2
"""Bytes of text in the word that holds a suffix against a pivot; the other two state where they begin, and the side."""
SAME = np.uint64(PENDING)
AFTER = np.uint64((1 << 16) - 1)


@compiled
def refine_items(
    text: UInt8s,
    items: Words,
    depth: Int,
    cap: Int,
    k: Int,
    counted: Int,
    shared: UInt16s,
    words: Words,
    other_words: Words,
    other_items: Words,
) -> None:
    """Sort items that have ``depth`` bytes in common, and write what each shares with the one before, up to ``cap``.

    What a suffix shares with another of a group of fewer than k is too low, but not below what the group shares. The
    first shares nothing. ``cap`` is below PENDING, and ``words`` and what follows is room for as many items.
    """
    size = len(items)
    shared[0] = 0
    _load_words(text, items, 0, size, depth, words)
    sort_by_word(words, items, 0, size, other_words, other_items)
    _mark_by_words(items, 0, size, depth, cap, k, counted, words, shared)
    deep = depth + BY_WORDS
    begin = 0
    # Neighbours with one mark at PENDING or above are a group that is still sorted only to that depth.
    while begin < size - 1:
        mark = shared[begin + 1]
        if mark < PENDING:
            begin += 1
            continue
        end = begin + 2
        while end < size and shared[end] == mark:
            end += 1
        low = np.int64(mark) - PENDING
        # Short prefixes are sorted by their next word, long ones by their order around a pivot of the group.
        if low < deep:
            _load_words(text, items, begin, end, low, words)
            sort_by_word(words, items, begin, end, other_words, other_items)
            _mark_by_words(items, begin, end, low, cap, k, counted, words, shared)
        else:
            _load_against(text, items, begin, end, low, cap, words)
            sort_by_word(words, items, begin, end, other_words, other_items)
            _mark_against(items, begin, end, cap, k, counted, words, shared)


@compiled
def _load_words(text: UInt8s, items: Words, begin: Int, end: Int, depth: Int, words: Words) -> None:
    last = len(items) - 1
    for i in range(begin, end):
        prefetch(text, np.int64(items[min(i + AHEAD, last)] & np.uint64(PLACE)) + depth)
        words[i] = load_in_order(text, np.int64(items[i] & np.uint64(PLACE)) + depth)


@compiled
def _mark_by_words(
    items: Words, begin: Int, end: Int, depth: Int, cap: Int, k: Int, counted: Int, words: Words, shared: UInt16s
) -> None:
    """Write what neighbours share that are sorted by words, and mark the groups that are to be refined."""
    first = begin
    while first < end:
        word = words[first]
        if first > begin:
            shared[first] = min(np.int64(depth + equal_bytes(words[first - 1], word)), np.int64(cap))
        after = first + 1
        while after < end and words[after] == word:
            after += 1
        if after > first + 1:
            low = np.int64(depth) + (np.int64(WORD) if is_whole(word) else text_bytes(word))
            # A word with a mark ends its text, and a group with fewer than k units is never refined.
            is_open = is_whole(word) and bool(low < cap) and _has(items, first, after, k, counted)
            shared[first + 1 : after] = low + PENDING if is_open else min(low, np.int64(cap))
        first = after


@compiled
def _load_against(text: UInt8s, items: Words, begin: Int, end: Int, depth: Int, cap: Int, words: Words) -> None:
    last = len(items) - 1
    pivot = np.int64(items[(begin + end) >> 1] & np.uint64(PLACE))
    for i in range(begin, end):
        ahead = np.int64(items[min(i + AHEAD, last)] & np.uint64(PLACE)) + depth
        prefetch(text, ahead)
        prefetch(text, min(ahead + LINE, np.int64(len(text) - 1)))
        words[i] = _against(text, np.int64(items[i] & np.uint64(PLACE)), pivot, np.int64(depth), np.int64(cap))


@inlined
def _against(text: UInt8s, place: np.int64, pivot: np.int64, depth: np.int64, cap: np.int64) -> np.uint64:
    """Return a word that sorts suffixes as their text does, of which the first ``depth`` bytes are those of the pivot.

    Those before the pivot come by how much they share with it, those behind it in reverse; then by what follows.
    """
    shift = np.uint64(8 * REST)
    length = depth
    found = differing_or_mark(load(text, place + length), load(text, pivot + length))
    while found == np.uint64(0) and length < cap:
        length += WORD
        found = differing_or_mark(load(text, place + length), load(text, pivot + length))
    length += byte_of_lowest_bit(found)
    if length >= cap:
        return SAME << shift | np.uint64(cap)
    one, other = text[place + length], text[pivot + length]
    # Both texts end here: the suffixes are equal as far as text goes.
    if is_mark(one) and is_mark(other):
        return SAME << shift | np.uint64(length)
    side = np.uint64(length) if one < other else AFTER - np.uint64(length)
    return side << shift | load_in_order(text, place + length) >> np.uint64(8 * (WORD - REST))


@inlined
def _agreed(word: np.uint64) -> np.int64:
    """Return how much a suffix shares with the pivot."""
    side = word >> np.uint64(8 * REST)
    if side == SAME:
        return np.int64(word & AFTER)
    return np.int64(side) if side < SAME else np.int64(AFTER - side)


@compiled
def _mark_against(
    items: Words, begin: Int, end: Int, cap: Int, k: Int, counted: Int, words: Words, shared: UInt16s
) -> None:
    """Write what neighbours share that are sorted against a pivot, and mark the groups that are to be refined."""
    first = begin
    while first < end:
        word = words[first]
        agreed = _agreed(word)
        if first > begin:
            # Beyond the agreement with the pivot, neighbours can share bytes of the text that follows.
            equal = max(equal_bytes(words[first - 1], word) - (WORD - REST), np.int64(0))
            shared[first] = min(min(agreed, _agreed(words[first - 1])) + equal, np.int64(cap))
        after = first + 1
        while after < end and words[after] == word:
            after += 1
        if after > first + 1:
            is_same = bool(word >> np.uint64(8 * REST) == SAME)
            is_open = False
            low = agreed
            if not is_same:
                low += np.int64(REST) if is_whole(word) else max(text_bytes(word) - (WORD - REST), np.int64(0))
                is_open = is_whole(word) and bool(low < cap) and _has(items, first, after, k, counted)
            shared[first + 1 : after] = low + PENDING if is_open else min(low, np.int64(cap))
        first = after


@compiled
def _has(items: Words, begin: Int, end: Int, k: Int, counted: Int) -> bool:
    """Return whether a group has k units, or k occurrences."""
    if end - begin < k or counted == OCCURRENCES:
        return bool(end - begin >= k)
    units = 1
    for i in range(begin + 1, end):
        units += (items[i] ^ items[i - 1]) > np.uint64(PLACE)
        if units >= k:
            return True
    return bool(units >= k)


@compiled
def unpack_items(items: Words, suffixes: Int32s, units: Int32s) -> None:
    """Write places and units of items."""
    for i in range(len(items)):
        suffixes[i] = items[i] & np.uint64(PLACE)
        units[i] = items[i] >> np.uint64(32)
