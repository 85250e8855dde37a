"""Extension lengths of a whole corpus in one suffix array."""

from typing import NamedTuple

import numpy as np
from pydivsufsort import divsufsort

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import in_parts
from spark_deid.repeats.kernels.characters import in_characters
from spark_deid.repeats.kernels.extension import followed_by_occurrences, followed_by_units, place_extensions
from spark_deid.repeats.kernels.layout import count_marks, fill_units
from spark_deid.repeats.kernels.prefixes import fill_shared, fill_shared_and_units
from spark_deid.repeats.parallel import at_once, cut_ranges, extensions_by_ranges
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, in_documents

# The one door to pydivsufsort.


MAX_BYTES = (1 << 31) - 1


def suffix_array(text: UInt8s) -> Int32s:
    """Return the places of all suffixes of a text in their order.

    Raises SparkDeidError from 2 GiB on, where places no longer fit.
    """
    if len(text) > MAX_BYTES:
        raise SparkDeidError(
            f"{len(text)} bytes in one suffix array, more than the limit of {MAX_BYTES}. Use more shards"
        )
    if not len(text):
        return np.zeros(0, np.int32)
    suffixes: Int32s = divsufsort(text if text.flags.writeable else text.copy())
    return suffixes


RANGE = 1 << 18
"""Suffixes of a range: few enough that caches hold what sorting moves about."""
MAX_THREADED_CAP = 1024


class SortedSuffixes(NamedTuple):
    """The suffixes of a text in order, what each shares with the one before, and its unit; none by occurrence."""

    suffixes: Int32s
    shared: UInt16s
    units: Int32s | None


def sort_suffixes(text: TextLayout, *, unit: CountingUnit, cap: int, threads: int = 1) -> SortedSuffixes:
    """Sort the suffixes that begin with text; up to ``cap`` bytes of each are checked.

    ``threads`` compare neighbours, each a part of the order; the sorting itself takes one.
    """
    # Marks sort behind all text.
    suffixes = suffix_array(text.data[: text.size])[: text.size - count_marks(text.data, text.size)]
    shared = np.zeros(len(suffixes), np.uint16)
    if unit is CountingUnit.OCCURRENCE:
        in_parts(lambda a, b: fill_shared(text.data, suffixes, cap, a, b, shared), len(suffixes), threads=threads)
        return SortedSuffixes(suffixes, shared, None)
    unit_of = np.empty(text.size, np.int32)
    fill_units(unit_of, text.bounds, text.units)
    units = np.empty(len(suffixes), np.int32)
    in_parts(
        lambda a, b: fill_shared_and_units(text.data, suffixes, unit_of, cap, a, b, shared, units),
        len(suffixes),
        threads=threads,
    )
    return SortedSuffixes(suffixes, shared, units)


def count_sorted(suffixes: SortedSuffixes, text: TextLayout, *, k: int, cap: int) -> UInt16s:
    """Return the extension lengths by byte that sorted suffixes give."""
    if suffixes.units is None:
        lengths = followed_by_occurrences(suffixes.shared, k, cap)
    else:
        number = int(text.units.max(initial=0)) + 1
        lengths = followed_by_units(suffixes.shared, suffixes.units, k, number, cap)
    placed = np.zeros(text.size, np.uint16)
    place_extensions(lengths, suffixes.shared, suffixes.suffixes, placed)
    return placed


def extension_lengths(
    text: TextLayout, *, k: int, unit: CountingUnit, cap: int, threads: int = 1, size: int = RANGE
) -> UInt16s:
    """Return how far the text can be followed from a byte on, up to ``cap`` bytes, before fewer than k share it.

    The substring that begins at byte i, where a character begins, is found in at least k units, inside documents and
    clear of what is excluded, up to the i-th length and no further. Takes about 19 bytes a byte of text.

    One thread takes a suffix array, in linear time. Several take ranges of about ``size`` suffixes each, sorted as deep
    as k units share anything, unless the cap is higher than MAX_THREADED_CAP (a deep group is sorted once more where
    its members differ) or the first bytes of that many suffixes are the same that ranges would take more memory.
    """
    if threads > 1 and cap <= MAX_THREADED_CAP and text.size <= MAX_BYTES:
        ranges = cut_ranges(text, size=size, cap=cap)
        if workers := at_once(ranges, text, threads):
            return extensions_by_ranges(text, ranges, k=k, unit=unit, cap=cap, threads=workers)
    return count_sorted(sort_suffixes(text, unit=unit, cap=cap, threads=threads), text, k=k, cap=cap)


def character_lengths(text: TextLayout, extensions: UInt16s, *, threads: int = 1) -> UInt16s:
    """Return extension lengths by character and in characters; above marks.MAX_LENGTH where there is no text."""
    lengths = np.empty(int(text.characters[-1]), np.uint16)

    def fill(first: int, last: int) -> None:
        (begin, end), (a, b) = text.bounds[[first, last]], text.characters[[first, last]]
        lengths[a:b] = in_characters(text.data[begin:end], extensions[begin:end], int(b - a))

    in_documents(fill, text, threads=threads)
    return lengths
