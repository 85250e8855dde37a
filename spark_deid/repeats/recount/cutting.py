"""Cut texts in UTF-8 at edits, whose offsets are characters, and at stars."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.core.rare import STAR

_STAR = np.frombuffer(STAR.encode(), np.uint8).copy()


@compiled
def cut_published(
    data: UInt8s, bounds: Int64s, before: Int64s, starts: Int64s, ends: Int64s, replaced: Int64s, hides: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what a released text shows between replacements; some may be empty.

    Text i is ``data[bounds[i] : bounds[i + 1]]``, and its edits, in order, are numbers ``before[i]`` to
    ``before[i + 1]``: their places in the original, and how many characters replace it. One that ``hides`` cuts
    nothing here, since what stands there is only hidden where it is a star. No two pieces overlap, even if edits do.
    """
    pieces = np.empty((3, len(starts) + len(before)), np.int64)
    number = 0
    for text in range(len(before) - 1):
        places = _places(data, bounds[text], bounds[text + 1])
        position = shift = np.int64(0)
        for edit in range(before[text], before[text + 1]):
            start = starts[edit] + shift
            if not hides[edit]:
                _keep(pieces, number, places, position, start, text)
                number += 1
                position = max(position, start + replaced[edit])
            shift = start + replaced[edit] - ends[edit]
        _keep(pieces, number, places, position, np.int64(len(places) - 1), text)
        number += 1
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]


@compiled
def cut_original(
    data: UInt8s, bounds: Int64s, before: Int64s, starts: Int64s, ends: Int64s, hides: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what edits leave of originals; an edit that only ``hides`` leaves what it hides.

    What any other edit replaces is in no piece, whatever overlaps it.
    """
    pieces = np.empty((3, len(starts) + len(before)), np.int64)
    number = 0
    for text in range(len(before) - 1):
        places = _places(data, bounds[text], bounds[text + 1])
        position = np.int64(0)
        for edit in range(before[text], before[text + 1]):
            if not hides[edit]:
                _keep(pieces, number, places, position, starts[edit], text)
                number += 1
                position = max(position, ends[edit])
        _keep(pieces, number, places, position, np.int64(len(places) - 1), text)
        number += 1
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]


@compiled
def _places(data: UInt8s, start: Int, end: Int) -> Int64s:
    """Return where each character begins, and the end."""
    places = np.empty(end - start + 1, np.int64)
    number = 0
    for place in range(start, end):
        places[number] = place
        number += (data[place] & 0xC0) != 0x80
    places[number] = end
    return places[: number + 1]


@compiled
def _keep(pieces: Int64s, number: Int, places: Int64s, start: Int, end: Int, text: Int) -> None:
    """Write one piece down, from a character to another; what lies outside of the text is none of it."""
    last = len(places) - 1
    pieces[0, number] = places[min(max(start, 0), last)]
    pieces[1, number] = places[min(max(end, 0), last)]
    pieces[2, number] = text


@compiled
def split_at_stars(
    data: UInt8s, starts: Int64s, ends: Int64s, texts: Int64s, max_pieces: Int
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what pieces show between stars, at most ``max_pieces``; none is empty."""
    pieces = np.empty((3, max_pieces), np.int64)
    number = 0
    for piece in range(len(starts)):
        begin = place = starts[piece]
        end = ends[piece]
        while begin < end:
            while place < end and not (
                place + 3 <= end
                and data[place] == _STAR[0]
                and data[place + 1] == _STAR[1]
                and data[place + 2] == _STAR[2]
            ):
                place += 1
            if place > begin:
                pieces[0, number], pieces[1, number], pieces[2, number] = begin, place, texts[piece]
                number += 1
            place += 3
            begin = place
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]
