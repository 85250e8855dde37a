"""Cut code points into tokens, and show whitespace and first characters of each."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.kernels.characters import (
    COMBINING,
    DIGIT,
    HAN,
    LETTER,
    LOWER,
    MARK,
    NEWLINE,
    PLACEHOLDER,
    SPACE,
    UNSPACED,
    UPPER,
)

BORDER_MARK, BORDER_DIGIT, BORDER_CASE, BORDER_IDEOGRAPH = 1, 2, 4, 8
NO_GAP, ONE_SPACE, SPACES, LINE_BREAK = 0, 1, 2, 3


@inlined
def _joins(left: Int, right: Int, borders: Int) -> bool:
    """Return whether no border is between neighbours of these classes; case remains to the caller."""
    if right == COMBINING:
        return True
    if left in (MARK, COMBINING) or right == MARK:
        return not borders & BORDER_MARK
    if left >= HAN or right >= HAN:
        return left == right and not borders & BORDER_IDEOGRAPH
    return left == right or (left != DIGIT and right != DIGIT) or not borders & BORDER_DIGIT


@compiled
def tokenize(classes: UInt8s, borders: int, starts: Int32s, ends: Int32s) -> int:
    """Write the tokens' borders and return their number; every code that is not whitespace is in one token."""
    total = len(classes)
    n = 0
    i = 0
    while i < total:
        first = np.int64(classes[i])
        if first in (SPACE, NEWLINE):
            i += 1
            continue
        j = i + 1
        base = first
        # A placeholder is one character of the view and always a token of its kind.
        while first != PLACEHOLDER and j < total:
            following = np.int64(classes[j])
            if following in (SPACE, NEWLINE, PLACEHOLDER):
                break
            if not _joins(base, following, borders):
                break
            if following != COMBINING:
                base = following
            j += 1
        starts[n] = i
        # "JohnSmith" is cut before the uppercase letter if the tokenizer cuts at case.
        if borders & BORDER_CASE and j - i > 2:
            base = first
            for k in range(i + 1, j):
                if classes[k] == UPPER and base == LOWER:
                    ends[n] = k
                    n += 1
                    starts[n] = k
                if classes[k] != COMBINING:
                    base = np.int64(classes[k])
        ends[n] = j
        n += 1
        i = j
    return n


@compiled
def measure_gaps(classes: UInt8s, starts: Int32s, ends: Int32s, gaps: UInt8s) -> None:
    """Write the whitespace before each token; the text's begin and end (``gaps[0]``, ``gaps[n]``) break lines."""
    n = len(starts)
    for i in range(1, n):
        before = ends[i - 1]
        width = starts[i] - before
        gap = NO_GAP if width == 0 else ONE_SPACE if width == 1 else SPACES
        for k in range(before, starts[i]):
            if classes[k] == NEWLINE:
                gap = LINE_BREAK
        gaps[i] = gap
    gaps[0] = LINE_BREAK
    gaps[n] = LINE_BREAK


@inlined
def is_letter(kind: Int) -> bool | np.bool_:
    """Return whether a class is that of letters of any script."""
    return kind in (LOWER, UPPER, LETTER) or HAN <= kind <= UNSPACED
