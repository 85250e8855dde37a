"""Pieces of texts in UTF-8."""

import numpy as np

from spark_deid.numerics.arrays import Int64s, UInt8s, UInt32s
from spark_deid.numerics.compilation import compiled


@compiled
def bytes_before(codes: UInt32s) -> Int64s:
    """Return how many bytes of UTF-8 stand before each code point, and how many there are."""
    before = np.empty(len(codes) + 1, np.int64)
    place = 0
    for i in range(len(codes)):
        before[i] = place
        place += 1 + (codes[i] >= 0x80) + (codes[i] >= 0x800) + (codes[i] >= 0x10000)
    before[len(codes)] = place
    return before


@compiled
def gather_pieces(data: UInt8s, starts: Int64s, ends: Int64s, offsets: Int64s, gathered: UInt8s) -> None:
    """Copy pieces one behind another: piece p to ``gathered[offsets[p]:offsets[p + 1]]``."""
    for p in range(len(starts)):
        gathered[offsets[p] : offsets[p + 1]] = data[starts[p] : ends[p]]
