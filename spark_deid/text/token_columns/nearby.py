"""How far the last keyword, relative and postal code are, and the round bracket around the token."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import DIGIT, UPPER
from spark_deid.text.kernels.merging import POSTAL
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK

U = np.uint64
NEARBY_COLUMNS = columns_of(
    "*keyword *keyword.before keyword.distance postal.since postal.until postal.near family.near"
)
"""Distances within the line to the last listed keyword and the one before it, to five-digit codes, to a relative."""
KEYWORD, KEYWORD_BEFORE, KEYWORD_DISTANCE, SINCE, UNTIL, NEAR, FAMILY = range(7)
BRACKET_COLUMNS = columns_of(
    "bracket bracket.part bracket.commas bracket.place bracket.size *bracket.before *bracket.last"
)
"""Inside round brackets of up to 15 tokens: what they hold, the place between commas, the words before and last."""
BRACKET, PART, COMMAS, PLACE, SIZE, BEFORE, LAST = range(7)
FAMILY_WORD, KEY_WORD = 1, 1 << 5
FAR = 99
MAX_BRACKET = 16


@inlined
def _is_postal(kind: Int, length: Int, merged: Int) -> bool:
    return (kind == DIGIT and length == 5 and merged == 0) or merged == POSTAL


@compiled
def fill_nearby(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    """Fill the columns of distances; ``words`` is the column ``lower``."""
    n = len(tokens.starts)
    out[:, PAD : PAD + n] = U(0)
    since_code = since_family = since_keyword = FAR
    keyword = U(0)
    before = U(1)
    for t in range(n):
        p = t + PAD
        if tokens.gaps[t] == LINE_BREAK:
            since_code = since_family = FAR
            keyword = U(0)
            before = U(1)
        # Distances restart far away at each line, so fields of another line do not count.
        since_code += 1
        since_family += 1
        if _is_postal(
            np.int64(tokens.kinds[t]), np.int64(tokens.ends[t] - tokens.starts[t]), np.int64(tokens.merged[t])
        ):
            since_code = 0
        if since_code <= 8:
            out[SINCE, p] = U(since_code + 1)
        if tokens.flags[t] & KEY_WORD:
            before = keyword if keyword != U(0) else before
            keyword = words[p]
            since_keyword = 0
        if keyword != U(0) and since_keyword <= 9:
            out[KEYWORD, p] = keyword
            out[KEYWORD_BEFORE, p] = before
            out[KEYWORD_DISTANCE, p] = U(min(since_keyword, 6) + 1)
        since_keyword += 1
        if tokens.marks[t] == 46 and not tokens.merged[t]:
            since_family = FAR
        if since_family <= 7:
            out[FAMILY, p] = U(min(since_family, 4))
        if tokens.flags[t] & FAMILY_WORD:
            since_family = 0
    # Codes after a token need a second pass, from right to left.
    until = FAR
    for t in range(n - 1, -1, -1):
        if tokens.gaps[t + 1] == LINE_BREAK:
            until = FAR
        until += 1
        if _is_postal(
            np.int64(tokens.kinds[t]), np.int64(tokens.ends[t] - tokens.starts[t]), np.int64(tokens.merged[t])
        ):
            until = 0
        out[UNTIL, t + PAD] = U(until + 1) if until <= 8 else U(0)
        out[NEAR, t + PAD] = U(until + 1) if until <= 3 else U(0)


@compiled
def fill_bracket(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    """Fill the columns of round brackets; ``words`` is the column ``lower``."""
    n = len(tokens.starts)
    out[:, PAD : PAD + n] = U(0)
    opening = -1
    for t in range(n):
        if tokens.marks[t] == 40:
            opening = t
        elif tokens.marks[t] == 41 and opening >= 0:
            if 2 <= t - opening <= MAX_BRACKET:
                _fill_one(tokens, words, opening, t, out)
            opening = -1


@compiled
def _fill_one(tokens: TokenArrays, words: UInt64s, opening: int, closing: int, out: UInt64s) -> None:
    # First the content of the bracket as a whole, then each token's place in it. An uppercase word before it
    # may be a name.
    commas = digits = registered = 0
    for t in range(opening + 1, closing):
        commas += tokens.marks[t] == 44
        if tokens.kinds[t] == DIGIT:
            digits = 1
        if tokens.marks[t] == 174:
            registered = 1
    name = opening > 0 and tokens.kinds[opening - 1] == UPPER
    part = 0
    first = opening + 1
    for t in range(opening + 1, closing):
        p = t + PAD
        if tokens.marks[t] == 44:
            part += 1
            first = t + 1
        out[BRACKET, p] = U(1 + registered * 8 + min(commas, 3) * 2 + digits)
        out[PART, p] = U(1 + min(part, 3))
        out[COMMAS, p] = U(1 + min(part, 3) * 4 + min(commas, 3))
        out[PLACE, p] = U(1 + max(0, min(t - first, 2)) * 4 + min(part, 3))
        out[SIZE, p] = U(1 + min(closing - opening - 1, 5) * 2 + np.int64(name))
        out[BEFORE, p] = words[opening - 1 + PAD]
        out[LAST, p] = words[closing - 1 + PAD]
