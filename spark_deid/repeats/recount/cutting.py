"""Cut texts in UTF-8 at edits, whose offsets are characters, and at stars."""

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.rare import STAR
from spark_deid.numerics.compilation import Int, compiled

_STAR = np.frombuffer(STAR.encode(), np.uint8).copy()


@compiled
def cut_published(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    before: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    replaced: NDArray[np.int64],
    hides: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
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
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    before: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    hides: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
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
def _places(data: NDArray[np.uint8], start: Int, end: Int) -> NDArray[np.int64]:
    """Return where each character begins, and the end."""
    places = np.empty(end - start + 1, np.int64)
    number = 0
    for place in range(start, end):
        places[number] = place
        number += (data[place] & 0xC0) != 0x80
    places[number] = end
    return places[: number + 1]


@compiled
def _keep(pieces: NDArray[np.int64], number: Int, places: NDArray[np.int64], start: Int, end: Int, text: Int) -> None:
    """Write one piece down, from a character to another; what lies outside of the text is none of it."""
    last = len(places) - 1
    pieces[0, number] = places[min(max(start, 0), last)]
    pieces[1, number] = places[min(max(end, 0), last)]
    pieces[2, number] = text


@compiled
def split_at_stars(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    texts: NDArray[np.int64],
    max_pieces: Int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
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
