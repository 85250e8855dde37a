"""Pieces of texts in UTF-8, and places of sentences in an order that a key draws."""

import numpy as np

from spark_deid.numerics.arrays import Int64s, UInt8s, UInt32s, UInt64s
from spark_deid.numerics.compilation import compiled
from spark_deid.text.kernels.hashing import keyed

_BLANK = 32


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
def gather_pieces(data: UInt8s, starts: Int64s, ends: Int64s, offsets: Int64s, gap: bool, gathered: UInt8s) -> None:
    """Copy pieces one behind another: piece p to ``gathered[offsets[p]:]``.

    With a gap a byte of 0 is left behind each piece, and such a byte within one becomes a blank.
    """
    for p in range(len(starts)):
        place = offsets[p]
        for i in range(starts[p], ends[p]):
            gathered[place] = _BLANK if gap and data[i] == 0 else data[i]
            place += 1
        if gap:
            gathered[place] = 0


@compiled
def draw_places(before: Int64s, keys: UInt64s, places: UInt64s) -> None:
    """Draw 128 bits for each sentence: of its number in its document, by the document's keys, a row of four."""
    number = np.zeros(1, np.uint32)
    for document in range(len(keys)):
        for i in range(before[document], before[document + 1]):
            number[0] = i - before[document]
            places[i, 0] = keyed(number, 0, 1, keys[document, 0], keys[document, 1])
            places[i, 1] = keyed(number, 0, 1, keys[document, 2], keys[document, 3])
