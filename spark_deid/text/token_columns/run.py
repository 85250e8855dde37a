"""Runs of capitalised words joined by small ones, and parts of a line between marks."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import DIGIT, MARK, PLACEHOLDER, UPPER
from spark_deid.text.kernels.hashing import finish, salt, step
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK
from spark_deid.text.token_columns.word import BEFORE_TEXT

U = np.uint64
RUN_COLUMNS = columns_of("*run.first *run.last *run.before *run.after run.place run.size run.both run.rest")
"""Of a run: its first and last word, those around it, the token's place from the start, from both ends, the end."""
FIRST, LAST, RUN_BEFORE, RUN_AFTER, PLACE, SIZE, BOTH, REST = range(8)
PART_COLUMNS = columns_of(
    "*part.first *part.last *part.previous *part.next part.place part.size part.digits part.shape part.both"
)
"""Parts end at full stops, commas, semicolons, round brackets and line breaks; ``part.previous`` is the first word of
the part before."""
PREVIOUS, NEXT, PART_PLACE, PART_SIZE, DIGITS, PART_SHAPE, PART_BOTH = range(2, 9)
CONNECTOR = 1 << 6
PART_SEED = salt("part")
MAX_SHAPE = 12


@inlined
def _ties(mark: Int) -> bool:
    """Hyphen, apostrophes and accents used as such."""
    return mark == 45 or mark == 39 or mark == 8217 or mark == 180 or mark == 96


@inlined
def _parts(mark: Int) -> bool:
    """Comma, full stop, semicolon and round brackets."""
    return mark == 44 or mark == 46 or mark == 59 or mark == 40 or mark == 41


@compiled
def fill_run(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    """Fill the columns of capitalised runs; ``words`` is the column ``lower``."""
    n = len(tokens.starts)
    out[:, PAD : PAD + n] = U(0)
    first = 0
    while first < n:
        if tokens.kinds[first] != UPPER or tokens.merged[first]:
            first += 1
            continue
        last = first
        t = first + 1
        while t < n and tokens.gaps[t] != LINE_BREAK:
            # The run ends with its last uppercase word: connectors count only between two of these.
            if tokens.kinds[t] == UPPER:
                last = t
            elif not (tokens.flags[t] & CONNECTOR or _ties(np.int64(tokens.marks[t]))):
                break
            t += 1
        end = last + 1
        for t in range(first, end):
            p = t + PAD
            out[FIRST, p] = words[first + PAD]
            out[LAST, p] = words[last + PAD]
            out[RUN_BEFORE, p] = words[first - 1 + PAD]
            out[RUN_AFTER, p] = words[end + PAD]
            out[PLACE, p] = U(min(t - first, 4) + 1)
            out[SIZE, p] = U(min(end - first, 8))
            out[BOTH, p] = U(min(t - first, 4) * 8 + min(last - t, 4) + 1)
            out[REST, p] = U(min(last - t, 3) + 1)
        first = end


@compiled
def _part_shape(tokens: TokenArrays, first: int, end: int) -> tuple[np.uint64, bool]:
    digits = False
    state = PART_SEED
    previous = U(0)
    length = 0
    for t in range(first, end):
        kind = tokens.kinds[t]
        code = U(3 if kind == UPPER else 4 if kind == DIGIT else 5 if kind == MARK else 6 if kind == PLACEHOLDER else 2)
        if tokens.merged[t]:
            code = U(10) + U(tokens.merged[t])
        if code == U(4) or code > U(10):
            digits = True
        # Repeats are omitted, so parts that differ only in the number of words have one shape.
        if code != previous and length < MAX_SHAPE:
            state = step(state, code)
            previous = code
            length += 1
    return finish(state), digits


@compiled
def fill_part(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    """Fill the columns of parts between marks; ``words`` is the column ``lower``."""
    n = len(tokens.starts)
    out[:, PAD : PAD + n] = U(0)
    before = BEFORE_TEXT
    first = 0
    while first < n:
        end = first
        while end < n and not (_parts(np.int64(tokens.marks[end])) and not tokens.merged[end]):
            # A line break ends a part even without punctuation.
            if end > first and tokens.gaps[end] == LINE_BREAK:
                break
            end += 1
        if end == first:
            first += 1
            continue
        shape, digits = _part_shape(tokens, first, end)
        for t in range(first, end):
            p = t + PAD
            out[FIRST, p] = words[first + PAD]
            out[LAST, p] = words[end - 1 + PAD]
            out[PREVIOUS, p] = before
            out[NEXT, p] = words[end + PAD]
            out[PART_PLACE, p] = U(min(t - first, 4) + 1)
            out[PART_SIZE, p] = U(min(end - first, 8))
            out[DIGITS, p] = U(2 if digits else 1)
            out[PART_SHAPE, p] = shape
            out[PART_BOTH, p] = U(min(t - first, 3) * 4 + min(end - 1 - t, 3) + 1)
        before = words[first + PAD]
        first = end
