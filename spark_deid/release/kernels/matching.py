"""Many pieces of text looked for in one pass, by the hash of their words and what stands between these.

A piece begins where a word begins and ends where one ends, and no word goes on beyond it: so it is the text from the
start of one word to the end of another as many words on. Which numbers of words are worth a look is told by the first.
Texts are compared by units in place of characters (``text.base_letters``): hashed without case, then with it.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.release.kernels.words import SKIPPED, code_at, find_words, hash_between, unit_at, width_at

MOST_WORDS = 64
"""A piece of more words is looked for by so many of them; compared is all of it."""
NONE = -1
_SPREAD = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_ONE, _EIGHT, _BYTE = np.uint64(1), np.uint64(8), np.uint64(0xFF)
NOWHERE, ANOTHER_CASE, SAME_CASE = 0, 1, 2
"""What is found of a piece: nothing, one that differs in capitals, or one that does not."""


@inlined
def _slot(hashed: np.uint64, mask: np.uint64) -> Int:
    return np.int64((hashed * _SPREAD >> _HALF) & mask)


@compiled
def index_pieces(
    data: UInt8s,
    offsets: Int64s,
    letters: Bools,
    units: UInt64s,
    cores: Int64s,
    keys: UInt64s,
    firsts: UInt64s,
    room: Int,
) -> None:
    """Find where pieces begin and end, without the marks at their ends, and hash them.

    Row i of ``cores`` gets the start and end of piece ``data[offsets[i]:offsets[i + 1]]``, and its words, at most
    MOST_WORDS; ``keys`` the hash up to the end of the last of these, ``firsts`` that of the first word. A piece without
    a word has none. ``room``: words that a piece has at most.
    """
    # `borders` and `hashes` are room for the words of one piece, reused for all pieces.
    borders, hashes = np.empty((room, 2), np.int64), np.empty((room, 3), np.uint64)
    for i in range(len(offsets) - 1):
        words = find_words(data, offsets[i], offsets[i + 1], letters, units, borders, hashes)
        known = min(words, MOST_WORDS)
        cores[i, 2] = known
        if words:
            cores[i, 0], cores[i, 1] = borders[0, 0], borders[words - 1, 1]
            keys[i], firsts[i] = hash_between(hashes, 0, known - 1), hash_between(hashes, 0, 0)


@compiled
def chain_pieces(
    cores: Int64s, keys: UInt64s, firsts: UInt64s, heads: Int32s, following: Int32s, counts: UInt64s
) -> None:
    """Chain pieces by the slots of their keys, and note in ``counts``, by first words, the numbers of words as bits.

    The lengths of ``heads`` and ``counts`` are powers of two.
    """
    mask, first_mask = np.uint64(len(heads) - 1), np.uint64(len(counts) - 1)
    for i in range(len(keys)):
        if cores[i, 2]:
            slot = _slot(keys[i], mask)
            following[i] = heads[slot]
            heads[slot] = i
            counts[_slot(firsts[i], first_mask)] |= _ONE << np.uint64(cores[i, 2] - 1)


@compiled
def match_pieces(
    data: UInt8s,
    offsets: Int64s,
    letters: Bools,
    units: UInt64s,
    cased: UInt64s,
    pieces: UInt8s,
    cores: Int64s,
    keys: UInt64s,
    heads: Int32s,
    following: Int32s,
    counts: UInt64s,
    room: Int,
    least: UInt8s,
    found: UInt8s,
    holding: Bools,
) -> None:
    """Note in ``found`` how pieces stand between words in texts ``data[offsets[i]:offsets[i + 1]]``, at their best.

    Where one stands as ``least`` says of it, or better, that is noted of the text, in ``holding``, and not of the
    piece; the text is read no further. Pieces that ``found`` has as SAME_CASE are passed over. ``units`` and ``cased``
    are what is compared in place of characters, without case and with it.
    """
    borders, hashes = np.empty((room, 2), np.int64), np.empty((room, 3), np.uint64)
    mask, first_mask = np.uint64(len(heads) - 1), np.uint64(len(counts) - 1)
    for i in range(len(offsets) - 1):
        end = offsets[i + 1]
        words = find_words(data, offsets[i], end, letters, units, borders, hashes)
        word = 0
        while word < words and not holding[i]:
            # Bit n of `counts` is set if some piece with this first word has n + 1
            # words: other lengths are never hashed.
            bits = counts[_slot(hash_between(hashes, word, word), first_mask)]
            last = word
            while bits and last < words:
                if bits & _ONE:
                    hashed = hash_between(hashes, word, last)
                    number = heads[_slot(hashed, mask)]
                    while number != NONE:
                        # The hash selects candidates, and the comparison of units decides.
                        if found[number] < SAME_CASE and keys[number] == hashed:
                            place, start, stop = borders[word, 0], cores[number, 0], cores[number, 1]
                            if _stands(data, place, end, letters, units, pieces, start, stop):
                                case = ANOTHER_CASE
                                if _stands(data, place, end, letters, cased, pieces, start, stop):
                                    case = SAME_CASE
                                if case >= least[number]:
                                    holding[i] = True
                                else:
                                    found[number] = max(found[number], case)
                        number = following[number]
                bits >>= _ONE
                last += 1
            word += 1


@compiled
def _stands(
    data: UInt8s, place: Int, end: Int, letters: Bools, units: UInt64s, pieces: UInt8s, start: Int, stop: Int
) -> bool:
    """Compare a piece with the text from the start of a word on; the piece ends where a word ends."""
    mine, theirs = np.uint64(0), np.uint64(0)
    while True:
        while start < stop and not theirs:
            theirs, start = _next(pieces, start, stop, units)
        if not theirs:
            break
        # After the piece, skipped characters belong to the word before them, so the
        # next letter shows whether it continues.
        while place < end and not mine:
            mine, place = _next(data, place, end, units)
        if mine & _BYTE != theirs & _BYTE:
            return False
        mine >>= _EIGHT
        theirs >>= _EIGHT
    while place < end and not mine:
        if unit_at(data, place, end, units) != SKIPPED:
            return not letters[code_at(data, place, end)]
        place += width_at(data, place)
    return not mine


@inlined
def _next(data: UInt8s, place: Int, end: Int, units: UInt64s) -> tuple[np.uint64, Int]:
    unit = unit_at(data, place, end, units)
    return np.uint64(0) if unit == SKIPPED else unit, place + width_at(data, place)
