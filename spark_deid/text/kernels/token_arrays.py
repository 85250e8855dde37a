"""Tokens of one text as arrays, the form compiled functions share."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, UInt8s, UInt32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.tokens import LINE_BREAK

_BREAKS, _MOST_SPACES = (0x09, 0x1F), 2


class TokenArrays(NamedTuple):
    """Tokens in order, n of them; offsets count codes of the view.

    ``kinds`` is the class and ``marks`` the code of the first character, ``gaps[i]`` the whitespace before token i and
    ``gaps[n]`` a line break, ``flags`` the word classes, ``merged`` the kind of a merged token (0: none) and ``lasts``
    the start of the last token that went into it.
    """

    starts: Int32s
    ends: Int32s
    kinds: UInt8s
    marks: UInt32s
    gaps: UInt8s
    flags: UInt32s
    merged: UInt8s
    lasts: Int32s


@compiled
def part_of(tokens: TokenArrays, first: int, end: int, gaps: UInt8s) -> TokenArrays:
    """Return the tokens from ``first`` to ``end`` with the whitespace given."""
    # Views, not copies: a window of a long text costs no memory.
    return TokenArrays(
        tokens.starts[first:end],
        tokens.ends[first:end],
        tokens.kinds[first:end],
        tokens.marks[first:end],
        gaps,
        tokens.flags[first:end],
        tokens.merged[first:end],
        tokens.lasts[first:end],
    )


@compiled
def apart_from_before(tokens: TokenArrays, codes: UInt32s) -> Bools:
    """Return which tokens begin a line or a field: a break, a tab or more than two spaces are before them."""
    starts, ends = tokens.starts, tokens.ends
    separate = np.empty(len(starts), np.bool_)
    for t in range(len(starts)):
        separate[t] = tokens.gaps[t] == LINE_BREAK
        if t and starts[t] > ends[t - 1]:
            after, before = codes[ends[t - 1]], codes[starts[t] - 1]
            # Only the first and last character of a gap are read: in between is whitespace as well.
            breaks = after in _BREAKS or before in _BREAKS
            separate[t] |= breaks or starts[t] - ends[t - 1] > _MOST_SPACES
    return separate
