"""Tokens of one text as arrays, the form compiled functions share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.numerics.compilation import compiled


class TokenArrays(NamedTuple):
    """Tokens in order, n of them; offsets count codes of the view.

    ``kinds`` is the class and ``marks`` the code of the first character, ``gaps[i]`` the white space before token i and
    ``gaps[n]`` a line break, ``flags`` the word classes, ``merged`` the kind of a merged token (0: none) and ``lasts``
    the start of the last token that went into it.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    marks: NDArray[np.uint32]
    gaps: NDArray[np.uint8]
    flags: NDArray[np.uint32]
    merged: NDArray[np.uint8]
    lasts: NDArray[np.int32]


@compiled
def part_of(tokens: TokenArrays, first: int, end: int, gaps: NDArray[np.uint8]) -> TokenArrays:
    """Return the tokens from ``first`` to ``end`` with the white space given."""
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
