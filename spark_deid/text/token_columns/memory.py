"""The same word elsewhere in the document."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import LOWER, MARK, PLACEHOLDER, UPPER
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.token_columns.line import NO_LABEL, TokenLines

U = np.uint64
MEMORY_COLUMNS = columns_of("*seen.label *seen.label2 seen.count seen.lower")
"""Field labels under which the word is elsewhere; how often a capitalised word occurs; whether small as well."""
SEEN, SEEN2, COUNT, SMALL = range(4)
STOP = 1 << 7
FORM_LINES, MAX_FIELD, FARTHEST = 22, 24, 12
"""Field labels count in the first lines of a document, where lines are short."""
SEVERAL = np.int64(-1)


@compiled
def number_words(tokens: TokenArrays, words: UInt64s, numbers: Int32s) -> int:
    """Write for each token the number of its word, by first occurrence; return how many there are."""
    n = len(numbers)
    size = 16
    # At most half full. Words are keyed hashes already, so their low bits serve as slots.
    while size < 2 * n:
        size *= 2
    keys = np.zeros(size, np.uint64)
    values = np.zeros(size, np.int32)
    mask = U(size - 1)
    count = 0
    for t in range(n):
        key = words[t + PAD]
        slot = key & mask
        while keys[slot] != U(0) and keys[slot] != key:
            slot = (slot + U(1)) & mask
        if keys[slot] == U(0):
            keys[slot] = key
            values[slot] = count
            count += 1
        numbers[t] = values[slot]
    return count


@compiled
def fill_memory(
    tokens: TokenArrays, words: UInt64s, labels: UInt64s, distances: Int32s, found: TokenLines, out: UInt64s
) -> None:
    """Fill the columns of the document's memory; ``words`` and ``labels`` are the columns ``lower`` and ``label``."""
    lines, firsts, ends = found
    n = len(lines)
    numbers = np.empty(n, np.int32)
    distinct = number_words(tokens, words, numbers)
    times = np.zeros(distinct, np.int32)
    small = np.zeros(distinct, np.bool_)
    known = np.zeros(distinct, np.int32)
    fields = np.zeros((distinct, 2), np.uint64)
    places = np.zeros((distinct, 2), np.int64)
    for t in range(n):
        w = numbers[t]
        times[w] += 1
        small[w] |= tokens.kinds[t] == LOWER
        line = lines[t]
        label = labels[t + PAD]
        if line >= FORM_LINES or ends[line] - firsts[line] > MAX_FIELD or distances[t] > FARTHEST:
            continue
        if label == NO_LABEL or tokens.kinds[t] == MARK or tokens.kinds[t] == PLACEHOLDER or tokens.flags[t] & STOP:
            continue
        # A second place with the same label: then every place of the word has another one.
        if known[w] and fields[w, 0] == label:
            places[w, 0] = SEVERAL
        elif known[w] < 2:
            fields[w, known[w]] = label
            places[w, known[w]] = t
            known[w] += 1
    for t in range(n):
        p = t + PAD
        w = numbers[t]
        for k in range(4):
            out[k, p] = U(0)
        if tokens.kinds[t] == MARK or tokens.kinds[t] == PLACEHOLDER:
            continue
        others = 0
        for k in range(known[w]):
            if places[w, k] != t:
                out[SEEN + others, p] = fields[w, k]
                others += 1
        if tokens.kinds[t] == UPPER:
            out[COUNT, p] = U(min(times[w], 4))
            out[SMALL, p] = U(small[w])
