"""The kind of line that the token is in: its opener, length and last mark, and those of the lines around."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import UPPER
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import is_letter
from spark_deid.text.token_columns.line import find_lines
from spark_deid.text.vocabulary import WORD_CLASSES

U = np.uint64
LINE_CLASS_COLUMNS = columns_of(
    "line.class line.previous line.next line.turn line.lead line.capitals line.header line.short"  # words: ok (data)
)
"""``line.class`` states how the line begins (closing, greeting), its length and last mark; ``line.previous`` and
``line.next`` are the classes of the lines around, ``line.turn`` and ``line.lead`` the look of the line with the
beginning of the one before, and after. ``line.capitals``: no word begins small; ``line.header``: "From", "Sent:"."""
OWN, PREVIOUS, NEXT, TURN, LEAD, CAPITALS, HEADER, LENGTH = range(8)
CLOSING, GREETING, ADDRESSING = (1 << WORD_CLASSES.index(name) for name in ("closing", "greeting", "addressing"))
NO_LINE = 255
MARKS = np.array([0, 46, 44, 58, 45, 33, 63, 59], np.uint32)
"""Full stop, comma, colon, hyphen, exclamation and question mark, semicolon; place 0 is for any other end."""


@inlined
def _length(size: Int) -> Int:
    return 0 if size == 1 else 1 if size <= 3 else 2 if size <= 6 else 3


@compiled
def _class(tokens: TokenArrays, first: Int, end: Int) -> int:
    """Return opener, length and last mark of a line as one number of 7 bits."""
    opener = 0
    if tokens.flags[first] & CLOSING or (end - first > 1 and tokens.flags[first + 1] & CLOSING):
        opener = 1
    elif tokens.flags[first] & (GREETING | ADDRESSING):
        opener = 2
    mark = 0
    for k in range(1, len(MARKS)):
        if tokens.marks[end - 1] == MARKS[k] and not tokens.merged[end - 1]:
            mark = k
    return (opener * 4 + int(_length(end - first))) * 8 + mark


@compiled
def _is_header(tokens: TokenArrays, first: Int, end: Int) -> bool:
    """Return whether one of the first three tokens is a colon, or a capitalised word of the heads of letters."""
    for t in range(first, min(end, first + 3)):
        if tokens.marks[t] == 58 or (tokens.flags[t] & ADDRESSING and tokens.kinds[t] == UPPER):
            return True
    return False


@compiled
def _has_capitals(tokens: TokenArrays, first: Int, end: Int) -> bool:
    found = True
    for t in range(first, end):
        if is_letter(np.int64(tokens.kinds[t])) and tokens.kinds[t] != UPPER:
            found = False
    return found


@compiled
def fill_line_class(tokens: TokenArrays, out: UInt64s) -> None:
    """Fill the columns of kinds of lines."""
    n = len(tokens.starts)
    _, firsts, ends = find_lines(tokens.gaps, n)
    count = len(firsts)
    classes = np.empty(count + 2, np.int64)
    # One entry before the first line and one after the last, so that every line has neighbours.
    classes[0] = classes[count + 1] = NO_LINE
    for line in range(count):
        classes[line + 1] = _class(tokens, np.int64(firsts[line]), np.int64(ends[line]))
    for line in range(count):
        first = np.int64(firsts[line])
        end = np.int64(ends[line])
        own = classes[line + 1]
        look = own & 31
        header = _is_header(tokens, first, end)
        size = int(end - first)
        uppercase = min(size, 5) if _has_capitals(tokens, first, end) else 0
        for p in range(first + PAD, end + PAD):
            out[OWN, p] = U(own + 1)
            out[PREVIOUS, p] = U(classes[line] + 1)
            out[NEXT, p] = U(classes[line + 2] + 1)
            # Opener and length of a neighbour with length and mark of this line, as digits of one number.
            out[TURN, p] = U((classes[line] >> 3) * 32 + look + 1)
            out[LEAD, p] = U((classes[line + 2] >> 3) * 32 + look + 1)
            out[CAPITALS, p] = U(uppercase)
            out[HEADER, p] = U(header)
            out[LENGTH, p] = U(min(size, 8))
