"""Bytes of texts in UTF-8, by their code points."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt32s
from spark_deid.core.numerics.compilation import compiled


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
