"""Words of UTF-8 text, and hashes of whatever stands from the start of one to the end of another."""

import numpy as np

from spark_deid.numerics.arrays import Bools, Int64s, UInt8s, UInt64s
from spark_deid.numerics.compilation import Int, compiled, inlined

BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_UNICODE = 0x110000


@inlined
def width_at(data: UInt8s, place: Int) -> Int:
    """Return how many bytes the character has that begins at a place."""
    lead = np.int64(data[place])
    return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)


@compiled
def code_at(data: UInt8s, place: Int, end: Int) -> Int:
    """Return the code point of the character that begins at a place; 0 for one that ``end`` cuts."""
    lead = np.int64(data[place])
    if lead < 0x80:
        return lead
    width = width_at(data, place)
    if place + width > end:
        return 0
    code = lead & (0xFF >> (width + 1))
    for i in range(1, width):
        code = code << 6 | (np.int64(data[place + i]) & 0x3F)
    return code if code < _UNICODE else 0


@compiled
def find_words(
    data: UInt8s, begin: Int, end: Int, letters: Bools, starts: Int64s, ends: Int64s, before: UInt64s, after: UInt64s
) -> Int:
    """Fill in the words of ``data[begin:end]``, runs of letters and digits, and return how many there are.

    ``before`` and ``after`` are the hashes of ``data[begin:start of the word]`` and ``data[begin:end of the word]``.
    The arrays have room for a word every second byte.
    """
    number, inside = 0, False
    total = np.uint64(0)
    place = begin
    while place < end:
        is_letter = letters[code_at(data, place, end)]
        if is_letter != inside:
            if is_letter:
                starts[number] = place
                before[number] = total
            else:
                ends[number] = place
                after[number] = total
                number += 1
            inside = is_letter
        following = min(place + width_at(data, place), end)
        while place < following:
            total = total * BASE + np.uint64(data[place]) + _ONE
            place += 1
    if inside:
        ends[number] = end
        after[number] = total
        number += 1
    return number


@compiled
def powers_of_base(most: Int) -> UInt64s:
    """Return the powers of the hash's base up to ``BASE ** most``."""
    powers = np.ones(most + 1, np.uint64)
    for i in range(1, most + 1):
        powers[i] = powers[i - 1] * BASE
    return powers


@compiled
def hash_each(data: UInt8s, offsets: Int64s) -> UInt64s:
    """Return the hash of each text ``data[offsets[i]:offsets[i + 1]]``, its high bits mixed into the low ones."""
    hashes = np.zeros(len(offsets) - 1, np.uint64)
    for i in range(len(hashes)):
        total = np.uint64(0)
        for place in range(offsets[i], offsets[i + 1]):
            total = total * BASE + np.uint64(data[place]) + _ONE
        hashes[i] = total ^ (total >> np.uint64(32))
    return hashes
