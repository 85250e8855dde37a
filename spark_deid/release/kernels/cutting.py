"""Pieces of texts, cut out by their offsets."""

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.release.kernels.words import code_at, width_at


@compiled
def place_pieces(
    data: UInt8s, offsets: Int64s, lists: Int64s, starts: Int32s, ends: Int32s, spaces: Bools, places: Int64s
) -> None:
    """Find the bytes of pieces without the whitespace at their ends.

    Text i is ``data[offsets[i]:offsets[i + 1]]``; its pieces, in characters from its start on, are those numbered
    ``lists[i]`` to ``lists[i + 1]``, in any order. Row p of ``places`` gets the first byte of piece p, the byte behind
    it, and how many characters it has.
    """
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        place, character = begin, 0
        for p in range(lists[i], lists[i + 1]):
            # Pieces in order are found in one walk. One that begins earlier starts the walk again.
            if starts[p] < character:
                place, character = begin, 0
            place = _walk(data, place, end, starts[p] - character)
            stop = _walk(data, place, end, ends[p] - starts[p])
            places[p, 0], places[p, 1], places[p, 2] = _stripped(data, place, stop, ends[p] - starts[p], spaces)
            place, character = stop, ends[p]


@compiled
def _walk(data: UInt8s, place: Int, end: Int, characters: Int) -> Int:
    for _ in range(characters):
        if place >= end:
            break
        place += width_at(data, place)
    return min(place, end)


@compiled
def _stripped(data: UInt8s, start: Int, end: Int, characters: Int, spaces: Bools) -> tuple[Int, Int, Int]:
    while start < end and spaces[code_at(data, start, end)]:
        start += width_at(data, start)
        characters -= 1
    while start < end:
        last = end - 1
        # Bytes 10xxxxxx continue a character, so its first byte is further left.
        while last > start and data[last] & 0xC0 == 0x80:
            last -= 1
        if not spaces[code_at(data, last, end)]:
            break
        end = last
        characters -= 1
    return start, end, characters
