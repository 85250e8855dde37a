"""Sort suffixes by a word of their text; equal ones keep their order."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled

Words = UInt64s

FEW, MANY = 24, 512
DIGITS = 8


@compiled
def sort_by_word(words: Words, items: Words, begin: Int, end: Int, other_words: Words, other_items: Words) -> None:
    """Sort items from ``begin`` to ``end`` by their words; the other two arrays are room.

    A few are inserted one by one, some are merged, and many are dealt out byte by byte, the last byte first.
    """
    if end - begin <= FEW:
        _insert(words, items, begin, end)
    elif end - begin <= MANY:
        _merge_runs(words, items, begin, end, other_words, other_items)
    else:
        _deal(words, items, begin, end, other_words, other_items)


@compiled
def _insert(words: Words, items: Words, begin: Int, end: Int) -> None:
    for i in range(begin + 1, end):
        word, item = words[i], items[i]
        j = i
        while j > begin and words[j - 1] > word:
            words[j] = words[j - 1]
            items[j] = items[j - 1]
            j -= 1
        words[j] = word
        items[j] = item


@compiled
def _merge_runs(words: Words, items: Words, begin: Int, end: Int, other_words: Words, other_items: Words) -> None:
    for first in range(begin, end, FEW):
        _insert(words, items, first, min(first + FEW, end))
    width = FEW
    while width < end - begin:
        for first in range(begin, end - width, 2 * width):
            middle = first + width
            # Runs that are in order already need no merge.
            if words[middle - 1] > words[middle]:
                _merge(words, items, first, middle, min(middle + width, end), other_words, other_items)
        width *= 2


@compiled
def _merge(
    words: Words, items: Words, begin: Int, middle: Int, end: Int, other_words: Words, other_items: Words
) -> None:
    """Merge two sorted runs that are next to each other; the first goes to the other arrays for it."""
    other_words[begin:middle] = words[begin:middle]
    other_items[begin:middle] = items[begin:middle]
    left, right, to = begin, middle, begin
    while left < middle and right < end:
        if other_words[left] <= words[right]:
            words[to], items[to] = other_words[left], other_items[left]
            left += 1
        else:
            words[to], items[to] = words[right], items[right]
            right += 1
        to += 1
    while left < middle:
        words[to], items[to] = other_words[left], other_items[left]
        left += 1
        to += 1


@compiled
def _deal(words: Words, items: Words, begin: Int, end: Int, other_words: Words, other_items: Words) -> None:
    # Radix sort by byte, least significant first. One pass counts all eight bytes of all words.
    counts = np.zeros((DIGITS, 256), np.int64)
    for i in range(begin, end):
        word = words[i]
        for digit in range(DIGITS):
            counts[digit, (word >> np.uint64(8 * digit)) & np.uint64(255)] += 1
    here = True
    for digit in range(DIGITS):
        shift = np.uint64(8 * digit)
        count = counts[digit]
        # All words have this byte in common, so a pass would change no order.
        if count[(words[begin] >> shift) & np.uint64(255)] == end - begin:
            continue
        before = np.int64(begin)
        for value in range(256):
            before, count[value] = before + count[value], before
        if here:
            _deal_digit(words, items, begin, end, shift, count, other_words, other_items)
        else:
            _deal_digit(other_words, other_items, begin, end, shift, count, words, items)
        here = not here
    if not here:
        words[begin:end] = other_words[begin:end]
        items[begin:end] = other_items[begin:end]


@compiled
def _deal_digit(
    words: Words, items: Words, begin: Int, end: Int, shift: np.uint64, places: Int64s, to_words: Words, to_items: Words
) -> None:
    for i in range(begin, end):
        word = words[i]
        value = (word >> shift) & np.uint64(255)
        place = places[value]
        places[value] = place + 1
        to_words[place] = word
        to_items[place] = items[i]
