"""Many pieces of text looked for at once, in one pass over the bytes of Arrow columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt64s, read_only
from spark_deid.core.words import characters_of
from spark_deid.release.kernels.cutting import place_pieces
from spark_deid.release.kernels.matching import NONE, NOWHERE, SAME_CASE, chain_pieces, index_pieces, match_pieces
from spark_deid.release.kernels.words import hash_each
from spark_deid.text.base_letters import units
from spark_deid.text.gathering import gather_strings

_LETTERS = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"\s+")
_SLOTS_A_PIECE = 2
_COUNTS_A_PIECE = 4
Strings: TypeAlias = pa.StringArray | Sequence[str]


@dataclass(frozen=True, repr=False, eq=False)
class RemovedTextIndex:
    """Pieces of text to look for, by their base letters (``text.base_letters``), without the marks at their ends."""

    pieces: pa.StringArray
    data: UInt8s
    cores: Int64s
    keys: UInt64s
    heads: Int32s
    following: Int32s
    counts: UInt64s

    def __len__(self) -> int:
        return len(self.pieces)

    def search(self, texts: Strings, found: UInt8s) -> None:
        """Note in ``found``, of a value a piece, how those stand that stand between words somewhere in texts.

        That is ANOTHER_CASE or SAME_CASE of ``kernels.matching``.
        """
        self._match(texts, np.full(len(self), SAME_CASE + 1, np.uint8), found)

    def texts_holding(self, texts: Strings, least: UInt8s) -> Bools:
        """Tell of each text whether a piece stands in it between words, at least as ``least`` says of the piece.

        That is ANOTHER_CASE, SAME_CASE, or more than that of a piece that is passed over.
        """
        return self._match(texts, least, np.where(least > SAME_CASE, SAME_CASE, NOWHERE).astype(np.uint8))

    def _match(self, texts: Strings, least: UInt8s, found: UInt8s) -> Bools:
        data, offsets = bytes_of(texts)
        small, cased = units(is_cased=False), units(is_cased=True)
        index = (self.data, self.cores, self.keys, self.heads, self.following, self.counts)
        holding = np.zeros(len(texts), np.bool_)
        letters = characters_of(_LETTERS)
        match_pieces(data, offsets, letters, small, cased, *index, _room(offsets), least, found, holding)
        return holding

    def nothing(self) -> UInt8s:
        """Return what is found of the pieces before anything is looked through."""
        return np.full(len(self), NOWHERE, np.uint8)

    def find(self, texts: Strings) -> set[int]:
        """Return the numbers of the pieces that stand between words somewhere in texts, in any case."""
        found = self.nothing()
        self.search(texts, found)
        return set(np.flatnonzero(found).tolist())


def needles_of(pieces: Strings) -> RemovedTextIndex:
    """Index pieces of text; one without a word is found nowhere.

    >>> needles_of(["Ann Lee", "(617) 555-0147"]).find(["call 617) 555-0147, Ann Leeds"])
    {1}
    >>> needles_of(["Łódź", "WEIß"]).find(["from LODZ to Weiss"])
    {0, 1}
    """
    array = _array(pieces)
    data, offsets = bytes_of(array)
    n = len(array)
    cores, keys, firsts = np.zeros((n, 3), np.int64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    index_pieces(data, offsets, characters_of(_LETTERS), units(is_cased=False), cores, keys, firsts, _room(offsets))
    heads, following = np.full(_power_of_two(_SLOTS_A_PIECE * n), NONE, np.int32), np.full(n, NONE, np.int32)
    counts = np.zeros(_power_of_two(_COUNTS_A_PIECE * n), np.uint64)
    chain_pieces(cores, keys, firsts, heads, following, counts)
    return RemovedTextIndex(array, data, cores, keys, heads, following, counts)


def cut_out_pieces(
    texts: pa.StringArray, lists: Int64s, starts: Int32s, ends: Int32s, *, least: int
) -> tuple[pa.Array, Int64s]:
    """Return the pieces of texts that have ``least`` characters and more without white space, and their numbers.

    Text i has the pieces numbered ``lists[i]`` to ``lists[i + 1]``, from starts to ends in characters.
    """
    data, offsets = bytes_of(texts)
    places = np.zeros((len(starts), 3), np.int64)
    place_pieces(data, offsets, lists, starts, ends, characters_of(_SPACES), places)
    numbers = np.flatnonzero(places[:, 2] >= least)
    return gather_strings(data, places[numbers]), numbers


def digest_texts(texts: Strings) -> UInt64s:
    """Return a number of each text, equal for equal ones on every machine; it tells which of many are looked for."""
    data, offsets = bytes_of(texts)
    return hash_each(data, offsets)


def bytes_of(texts: Strings) -> tuple[UInt8s, Int64s]:
    """Return the bytes of texts and where each begins, and the last one ends; text that is null is empty."""
    array = _array(texts)
    if array.null_count:
        array = pc.fill_null(array, "")
    _, offsets, data = array.buffers()
    borders = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1] if len(array) else [0]
    return read_only(np.frombuffer(data or b"", np.uint8)), np.asarray(borders, np.int64)


def _array(texts: Strings) -> pa.StringArray:
    return texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string())


def _room(offsets: Int64s) -> int:
    """Return how many words the longest text has at most."""
    return int(np.diff(offsets).max(initial=0)) // 2 + 1


def _power_of_two(least: int) -> int:
    return 1 << max(least - 1, 1).bit_length()
