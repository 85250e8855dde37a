"""The line of the token: its place, and the field labels before and after it ("Name: ")."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.hashing import finish, salt, step
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK, is_letter
from spark_deid.text.token_columns.word import AFTER_TEXT

U = np.uint64
LINE_COLUMNS = columns_of(
    "line line.end line.place line.rest line.size *label *label2 label.distance *header *next.label next.distance"
)
"""``label`` is the word before the last colon of the line, ``label2`` the two words before it, ``header`` the up to
four words before the line's first colon, ``next.label`` the word before the next colon."""
LINE, LINE_END, LINE_PLACE, LINE_REST, LINE_SIZE, LABEL, LABEL2, DISTANCE, HEADER, NEXT, NEXT_DISTANCE = range(11)
NO_LABEL, ODD_LABEL, LABEL_SEED = salt("no label"), salt("odd label"), salt("label")
LABEL_WORDS = 4
FARTHEST_HEADER = 7
FARTHEST_NEXT = 6


@inlined
def _is_colon(mark: Int) -> bool:
    return mark == 58 or mark == 0xFF1A


@inlined
def _bucket(distance: Int) -> np.uint64:
    return U(distance + 1 if distance < 6 else 7 if distance < 10 else 8 if distance < 20 else 9)


class TokenLines(NamedTuple):
    """The line of each token, and each line's first token and end."""

    numbers: Int32s
    firsts: Int32s
    ends: Int32s


@compiled
def find_lines(gaps: UInt8s, n: int) -> TokenLines:
    """Find the lines of ``n`` tokens."""
    lines, firsts, ends = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    line = -1
    for t in range(n):
        if gaps[t] == LINE_BREAK:
            line += 1
            firsts[line] = t
        lines[t] = line
        ends[line] = t + 1
    return TokenLines(lines, firsts[: line + 1], ends[: line + 1])


@compiled
def fill_line(tokens: TokenArrays, words: UInt64s, found: TokenLines, distances: Int32s, out: UInt64s) -> None:
    """Fill the columns of lines; ``words`` is the column ``lower``, ``distances`` the tokens since the label (out)."""
    lines, firsts, ends = found
    n, count = len(lines), len(firsts)
    # By line: the hash of the words before its first colon, 0 until one is found.
    headers = np.zeros(count, np.uint64)
    label = label2 = NO_LABEL
    origin = 0
    for t in range(n):
        p = t + PAD
        line = lines[t]
        if tokens.gaps[t] == LINE_BREAK:
            label = label2 = NO_LABEL
            origin = t - 1
        distances[t] = t - origin
        out[LABEL, p] = label
        out[LABEL2, p] = label2
        out[DISTANCE, p] = _bucket(t - origin)
        # The words before a colon name the field, and the tokens after it belong to the field until the next colon.
        if _is_colon(np.int64(tokens.marks[t])) and tokens.gaps[t] != LINE_BREAK:
            state = LABEL_SEED
            taken = 0
            i = t - 1
            while i >= firsts[line] and taken < LABEL_WORDS:
                if not (is_letter(np.int64(tokens.kinds[i])) or tokens.marks[i] == 47 or tokens.marks[i] == 45):
                    break
                state = step(state, words[i + PAD])
                taken += 1
                if taken == 2:
                    label2 = state
                i -= 1
            origin = t
            if taken:
                label = words[t - 1 + PAD]
                if taken == 1:
                    label2 = label
                if headers[line] == U(0) and t - firsts[line] < FARTHEST_HEADER:
                    headers[line] = finish(state)
            else:
                label = label2 = ODD_LABEL
    for t in range(n):
        p = t + PAD
        line = lines[t]
        out[LINE, p] = U(min(line, 24) + 1)
        out[LINE_END, p] = U(min(count - 1 - line, 6) + 1)
        out[LINE_PLACE, p] = U(min(t - firsts[line], 6) + 1)
        out[LINE_REST, p] = U(min(ends[line] - 1 - t, 4) + 1)
        out[LINE_SIZE, p] = U(min(ends[line] - firsts[line], 30))
        out[HEADER, p] = headers[line] if headers[line] != U(0) else NO_LABEL
    _fill_next(tokens, words, out)


@compiled
def _fill_next(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    n = len(tokens.starts)
    colon = -1
    # From right to left, because a token reads the colon after it.
    for t in range(n - 1, -1, -1):
        p = t + PAD
        if tokens.gaps[t + 1] == LINE_BREAK:
            colon = -1
        if _is_colon(np.int64(tokens.marks[t])):
            colon = t
        near = colon >= 0 and colon - t <= FARTHEST_NEXT
        out[NEXT, p] = U(0) if not near else words[colon - 1 + PAD] if colon else AFTER_TEXT
        out[NEXT_DISTANCE, p] = U(colon - t + 1) if near else U(0)
