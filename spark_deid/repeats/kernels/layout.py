"""Lay documents out in one array of bytes, and put marks where there is no text."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.repeats.kernels.marks import CONTINUED, EXCLUDED, HIDDEN, begins_character, is_mark

STAR = (0xE2, 0x98, 0x85)
"""The bytes of the character that represents a hidden run."""


@inlined
def _put(text: UInt8s, start: Int, mark: Int) -> np.int64:
    """Put a mark instead of the character that begins at ``start``; return the begin of the next."""
    text[start] = mark
    start += 1
    # The character's other bytes become CONTINUED, so no pattern matches across it and offsets are kept.
    while not begins_character(text[start]):
        text[start] = CONTINUED
        start += 1
    return np.int64(start)


@compiled
def hide_stars(text: UInt8s, size: int) -> None:
    """Mark every star of the input as hidden: in what is published it could not be distinguished from ours."""
    for i in range(size - 2):
        if text[i] == STAR[0] and text[i + 1] == STAR[1] and text[i + 2] == STAR[2]:
            _put(text, i, HIDDEN)


@compiled
def mark_excluded(text: UInt8s, begin: int, starts: Int32s, ends: Int32s) -> None:
    """Mark the intervals of characters of one document, in order and disjoint, as no text."""
    place = np.int64(begin)
    character = np.int64(0)
    for interval in range(len(starts)):
        # Intervals are in characters and ordered, so one walk over the bytes finds them all.
        while character < starts[interval]:
            place += 1
            while not begins_character(text[place]):
                place += 1
            character += 1
        while character < ends[interval]:
            place = _put(text, place, EXCLUDED)
            character += 1


@compiled
def hide_characters(text: UInt8s, size: int, hidden: Bools) -> None:
    """Mark every character that ``hidden`` names, so that a later count takes the text as published."""
    place = np.int64(0)
    for character in range(len(hidden)):
        if hidden[character] and not is_mark(text[place]):
            place = _put(text, place, HIDDEN)
            continue
        place += 1
        while place < size and not begins_character(text[place]):
            place += 1


@compiled
def count_marks(text: UInt8s, size: int) -> int:
    """Count the bytes that are marks."""
    count = 0
    for i in range(size):
        count += is_mark(text[i])
    return count


@compiled
def fill_units(unit_of: Int32s, bounds: Int64s, units: Int32s) -> None:
    """Write the unit of every byte, the document's end included."""
    for document in range(len(units)):
        unit_of[bounds[document] : bounds[document + 1]] = units[document]
