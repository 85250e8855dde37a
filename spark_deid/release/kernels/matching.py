"""Many pieces of text looked for in one pass, by the hash of their words and what stands between these.

A piece begins where a word begins and ends where one ends, and no word goes on beyond it: so it is the text from the
start of one word to the end of another as many words on. Which numbers of words are worth a look is told by the first.
"""

import numpy as np

from spark_deid.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt64s
from spark_deid.numerics.compilation import Int, compiled, inlined
from spark_deid.release.kernels.words import code_at, find_words

MOST_WORDS = 64
"""A piece of more words is looked for by so many of them; compared is all of it."""
NONE = -1
_SPREAD = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@inlined
def _slot(hashed: np.uint64, mask: np.uint64) -> Int:
    return np.int64((hashed * _SPREAD >> _HALF) & mask)


@compiled
def index_pieces(
    data: UInt8s, offsets: Int64s, letters: Bools, cores: Int64s, keys: UInt64s, firsts: UInt64s, room: Int
) -> None:
    """Find where pieces begin and end, without the marks at their ends, and hash them.

    Row i of ``cores`` gets the start and end of piece ``data[offsets[i]:offsets[i + 1]]``, its words, at most
    MOST_WORDS, and the end of the last of these; ``keys`` the hash up to there, ``firsts`` that of the first word. A
    piece without a word has none. ``room``: words that a piece has at most.
    """
    starts, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    before, after = np.empty(room, np.uint64), np.empty(room, np.uint64)
    for i in range(len(offsets) - 1):
        words = find_words(data, offsets[i], offsets[i + 1], letters, starts, ends, before, after)
        cores[i, 2] = min(words, MOST_WORDS)
        if words:
            # The first word may stand behind marks, and hashes are of what follows them alone.
            core = find_words(data, starts[0], ends[words - 1], letters, starts, ends, before, after)
            known = min(core, MOST_WORDS)
            cores[i, 0], cores[i, 1], cores[i, 3] = starts[0], ends[core - 1], ends[known - 1]
            keys[i], firsts[i] = after[known - 1], after[0]


@compiled
def link(cores: Int64s, keys: UInt64s, firsts: UInt64s, heads: Int32s, following: Int32s, counts: UInt64s) -> None:
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
def look(
    data: UInt8s,
    offsets: Int64s,
    letters: Bools,
    pieces: UInt8s,
    cores: Int64s,
    keys: UInt64s,
    heads: Int32s,
    following: Int32s,
    counts: UInt64s,
    powers: UInt64s,
    room: Int,
    found: Bools,
) -> None:
    """Set ``found`` of the pieces that stand between words in texts ``data[offsets[i]:offsets[i + 1]]``."""
    starts, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    before, after = np.empty(room, np.uint64), np.empty(room, np.uint64)
    mask, first_mask = np.uint64(len(heads) - 1), np.uint64(len(counts) - 1)
    most = len(powers) - 1
    for i in range(len(offsets) - 1):
        end = offsets[i + 1]
        words = find_words(data, offsets[i], end, letters, starts, ends, before, after)
        for word in range(words):
            start = starts[word]
            if ends[word] - start > most:
                continue
            bits = counts[_slot(after[word] - before[word] * powers[ends[word] - start], first_mask)]
            last = word
            while bits and last < words and ends[last] - start <= most:
                if bits & _ONE:
                    hashed = after[last] - before[word] * powers[ends[last] - start]
                    number = heads[_slot(hashed, mask)]
                    while number != NONE:
                        if (
                            not found[number]
                            and keys[number] == hashed
                            and _stands(data, start, end, letters, pieces, cores[number, 0], cores[number, 1])
                        ):
                            found[number] = True
                        number = following[number]
                bits >>= _ONE
                last += 1


@compiled
def _stands(data: UInt8s, place: Int, end: Int, letters: Bools, pieces: UInt8s, start: Int, stop: Int) -> bool:
    """Compare a piece with the text from the start of a word on; the piece ends where a word ends."""
    after = place + stop - start
    if after > end:
        return False
    for i in range(stop - start):
        if data[place + i] != pieces[start + i]:
            return False
    return after == end or not letters[code_at(data, after, end)]
