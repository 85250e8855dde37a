"""The prefilter: which places of a text the filters of an index let through."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.repeats.recount.index import RunIndex, bit

U = np.uint64


class WindowPlaces(NamedTuple):
    """Places of a window with what is known of each: a head, then the number behind it."""

    places: Int64s
    heads: UInt64s


@compiled
def prefilter(guides: UInt64s, reach: Int, index: RunIndex, row: Int, chosen: WindowPlaces) -> int:
    """Choose the places where a level's filter knows the head; without branches, so that misses cost little."""
    width, shift = index.levels[row, 0], index.shifts[row]
    filters, down, begin = index.filters, U(64 - index.levels[row, 1]), index.levels[row, 2]
    places, heads = chosen
    number = 0
    for place in range(reach):
        # The hash of a substring is a difference of prefix hashes: one multiplication per place and level.
        head = guides[place + width] - guides[place] * shift
        places[number], heads[number] = place, head
        number += bit(filters, begin, head >> down)
    return number


@compiled
def prefilter_again(guides: UInt64s, among: Int64s, reach: Int, index: RunIndex, row: Int, chosen: WindowPlaces) -> int:
    """Choose among places, which are in order."""
    width, shift = index.levels[row, 0], index.shifts[row]
    filters, down, begin = index.filters, U(64 - index.levels[row, 1]), index.levels[row, 2]
    places, heads = chosen
    number = 0
    for place in among:
        if place >= reach:
            break
        head = guides[place + width] - guides[place] * shift
        places[number], heads[number] = place, head
        number += bit(filters, begin, head >> down)
    return number
