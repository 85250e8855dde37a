"""Cut the order of suffixes into ranges, and deal the suffixes out to them.

The ranges are the leaves of a trie of bytes, some neighbours together. A node has the number 256 times its own; at
that and its byte ``children`` has a range, or below 0 a further node. All marks are one leaf.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s, UInt16s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.repeats.kernels.loading import load_in_order
from spark_deid.repeats.kernels.marks import begins_character, is_mark
from spark_deid.repeats.kernels.refining import UNITS

BYTES = 256


class RangePieces(NamedTuple):
    """Pieces of the text, in the order of their units."""

    begins: Int64s
    ends: Int64s
    units: Int32s


@compiled
def count_in_ranges(
    text: UInt8s,
    pieces: RangePieces,
    children: Int32s,
    counted: Int,
    sizes: Int64s,
    firsts: Int64s,
    lasts: Int64s,
    counts: Int64s,
) -> None:
    """Count the suffixes of each range that begin in some pieces of text, in the order of their units.

    ``counts`` gets for each node its units or occurrences there, ``firsts`` and ``lasts`` the first and last unit, or
    -1. A suffix that begins inside a character is none.
    """
    begins, ends, units = pieces
    for piece in range(len(begins)):
        # `children` has 256 cells per node: below 0 the next node, otherwise the range of all suffixes that begin so.
        unit = np.int64(units[piece])
        for place in range(begins[piece], ends[piece]):
            if is_mark(text[place]) or not begins_character(text[place]):
                continue
            child = np.int64(children[text[place]])
            depth = 1
            while child < 0:
                node = -child
                # Pieces come by unit, so a unit was counted at a node if it is the last one there.
                if counted != UNITS or lasts[node] != unit:
                    counts[node] += 1
                    if firsts[node] < 0:
                        firsts[node] = unit
                    lasts[node] = unit
                child = np.int64(children[node * BYTES + np.int64(text[place + depth])])
                depth += 1
            sizes[child] += 1


@compiled
def deal_to_ranges(
    text: UInt8s, pieces: RangePieces, children: Int32s, known: UInt16s, places: Int64s, items: UInt64s, placed: UInt16s
) -> None:
    """Write the suffixes of some pieces of text as items, each range's from its entry of ``places`` on.

    ``placed`` gets what is ``known`` of the node that a suffix scans last.
    """
    begins, ends, units = pieces
    for piece in range(len(begins)):
        unit = np.uint64(units[piece]) << np.uint64(32)
        for place in range(begins[piece], ends[piece]):
            if is_mark(text[place]) or not begins_character(text[place]):
                continue
            node = np.int64(0)
            child = np.int64(children[text[place]])
            depth = 1
            while child < 0:
                node = -child
                child = np.int64(children[node * BYTES + np.int64(text[place + depth])])
                depth += 1
            # A range's items keep the order of units, which sorting by words never changes for equal words.
            items[places[child]] = unit | np.uint64(place)
            places[child] += 1
            placed[place] = known[node]


@compiled
def words_at(text: UInt8s, places: Int64s) -> UInt64s:
    """Return the words in order of the suffixes that begin at some of these places."""
    words = np.empty(len(places), np.uint64)
    count = 0
    for place in places:
        if begins_character(text[place]) and not is_mark(text[place]):
            words[count] = load_in_order(text, place)
            count += 1
    return words[:count].copy()
