"""Many pieces of text looked for at once: a table of hashes, tried wherever a word begins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from spark_deid.numerics.arrays import Bools, Int64s, UInt8s, UInt32s, UInt64s
from spark_deid.numerics.compilation import Int, compiled
from spark_deid.text.kernels.characters import MARK, NEWLINE, PLACEHOLDER, SPACE, characters
from spark_deid.text.kernels.hashing import finish, salt, step

U = np.uint64
SEED = salt("removed text")
LONGEST = 256
_BEGINS, _WHOLE = 1, 2


@dataclass(frozen=True, repr=False)
class Needles:
    """Pieces to look for, each with words at both ends; ``keys`` is the table, ``kinds`` and ``places`` beside it."""

    pieces: tuple[str, ...]
    keys: UInt64s
    kinds: UInt8s
    places: Int64s

    def found(self, texts: Iterable[str]) -> Int64s:
        """Return the numbers of the pieces that stand between words somewhere in texts."""
        hits = np.zeros(len(self.pieces), np.bool_)
        for text in texts:
            codes = _codes(text)
            _search(codes, _words(), self.keys, self.kinds, self.places, hits)
        return np.flatnonzero(hits)


def needles_of(pieces: Sequence[str]) -> Needles:
    """Make a table of pieces; marks at their ends are left out of what is looked for.

    >>> needles_of(["Ann Lee", "(617) 555-0147"]).found(["call 617) 555-0147, Ann Leeds"]).tolist()
    [1]
    """
    joined = [_codes(piece) for piece in pieces]
    ends = np.cumsum([0, *map(len, joined)])
    codes = np.concatenate([np.zeros(0, np.uint32), *joined])
    size = 16
    while size < 2 * (_word_ends(codes, _words()) + len(pieces)):
        size *= 2
    keys, kinds = np.zeros(size, np.uint64), np.zeros(size, np.uint8)
    places = np.full(size, -1, np.int64)
    _fill(codes, ends, _words(), keys, kinds, places)
    return Needles(tuple(pieces), keys, kinds, places)


def _codes(text: str) -> UInt32s:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@lru_cache(maxsize=1)
def _words() -> Bools:
    """Tell of every code point whether it is part of a word: a letter, a digit, or a mark that combines with one."""
    return np.asarray(~np.isin(characters().classes, (SPACE, NEWLINE, MARK, PLACEHOLDER)))


@compiled
def _slot(keys: UInt64s, key: np.uint64) -> Int:
    """Return the slot of a key, or the free one where it belongs."""
    mask = U(len(keys) - 1)
    slot = key & mask
    while keys[slot] != U(0) and keys[slot] != key:
        slot = (slot + U(1)) & mask
    return np.int64(slot)


@compiled
def _word_ends(codes: UInt32s, words: Bools) -> int:
    """Return how many keys pieces have at most: one for each border of a word."""
    count = 1
    for i in range(len(codes)):
        count += words[codes[i]] and (i + 1 == len(codes) or not words[codes[i + 1]])
    return count


@compiled
def _fill(codes: UInt32s, ends: Int64s, words: Bools, keys: UInt64s, kinds: UInt8s, places: Int64s) -> None:
    """Enter each piece, and that it begins so at the end of each of its words."""
    for piece in range(len(ends) - 1):
        start, end = ends[piece], ends[piece + 1]
        while start < end and not words[codes[start]]:
            start += 1
        while end > start and not words[codes[end - 1]]:
            end -= 1
        state = SEED
        for i in range(start, end if end - start <= LONGEST else start):
            state = step(state, U(codes[i]))
            if words[codes[i]] and (i + 1 == end or not words[codes[i + 1]]):
                key = finish(state) | U(1)
                slot = _slot(keys, key)
                keys[slot] = key
                if i + 1 == end:
                    kinds[slot] |= np.uint8(_WHOLE)
                    places[slot] = piece
                else:
                    kinds[slot] |= np.uint8(_BEGINS)


@compiled
def _search(codes: UInt32s, words: Bools, keys: UInt64s, kinds: UInt8s, places: Int64s, hits: Bools) -> None:
    """Mark the pieces that stand in a text, each tried from the begin of a word as long as some piece goes on so."""
    n = len(codes)
    for start in range(n):
        if not words[codes[start]] or (start > 0 and words[codes[start - 1]]):
            continue
        state = SEED
        for i in range(start, min(n, start + LONGEST)):
            state = step(state, U(codes[i]))
            if words[codes[i]] and (i + 1 == n or not words[codes[i + 1]]):
                key = finish(state) | U(1)
                slot = _slot(keys, key)
                kind = kinds[slot] if keys[slot] == key else np.uint8(0)
                if kind & np.uint8(_WHOLE):
                    hits[places[slot]] = True
                if not kind & np.uint8(_BEGINS):
                    break
