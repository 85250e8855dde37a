"""Words of UTF-8 text, and hashes of whatever stands from the start of one to the end of another: by base letters."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.base_letters import SKIPPED as NO_UNIT

BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
_ONE, _EIGHT, _BYTE = np.uint64(1), np.uint64(8), np.uint64(0xFF)
SKIPPED = np.uint64(NO_UNIT)
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
def unit_at(data: UInt8s, place: Int, end: Int, units: UInt64s) -> np.uint64:
    """Return what is compared in place of the character that begins at a place: UTF-8 bytes, the first one lowest.

    It is SKIPPED for a character that is passed over; see ``text.base_letters.units``.
    """
    lead = np.int64(data[place])
    if lead < 0x80:
        return np.uint64(units[lead])
    code = code_at(data, place, end)
    if 0 < code < len(units) and units[code]:
        return np.uint64(units[code])
    total = np.uint64(0)
    for i in range(min(width_at(data, place), end - place)):
        total |= np.uint64(data[place + i]) << np.uint64(8 * i)
    return total


@compiled
def find_words(
    data: UInt8s, begin: Int, end: Int, letters: Bools, units: UInt64s, borders: Int64s, hashes: UInt64s
) -> Int:
    """Fill in the words of ``data[begin:end]``, runs of letters and digits, and return how many there are.

    Characters that are passed over belong to what stands before them. Row i of ``borders`` gets where word i starts and
    ends, row i of ``hashes`` the hashes of what is compared up to its start and up to its end, and what makes the
    former comparable; see ``hash_between``. Both have room for a word every second byte.
    """
    number, inside = 0, False
    total, power, inverse = np.uint64(0), _ONE, _ONE
    place = begin
    while place < end:
        lead = np.int64(data[place])
        if lead < 0x80:
            is_letter, unit, width = letters[lead], units[lead], np.int64(1)
        else:
            unit, width = unit_at(data, place, end, units), np.int64(width_at(data, place))
            is_letter = inside if unit == SKIPPED else letters[code_at(data, place, end)]
        if is_letter != inside:
            if is_letter:
                borders[number, 0] = place
                hashes[number, 0] = total
                hashes[number, 2] = inverse
            else:
                borders[number, 1] = place
                hashes[number, 1] = total
                number += 1
            inside = is_letter
        if lead < 0x80:
            # A polynomial modulo 2^64. The inverse of the power moves a difference of
            # prefixes to one origin, see `hash_between`.
            total += (unit + _ONE) * power
            power *= BASE
            inverse *= _INVERSE
        elif unit != SKIPPED:
            # A unit of several bytes is hashed byte by byte, so `ß` and `ss` have one hash.
            while unit:
                total += ((unit & _BYTE) + _ONE) * power
                power *= BASE
                inverse *= _INVERSE
                unit >>= _EIGHT
        place += width
    if inside:
        borders[number, 1] = end
        hashes[number, 1] = total
        number += 1
    return number


@inlined
def hash_between(hashes: UInt64s, first: Int, last: Int) -> np.uint64:
    """Return the hash of what is compared from the start of one word to the end of another, wherever they stand."""
    return np.uint64((hashes[last, 1] - hashes[first, 0]) * hashes[first, 2])


@compiled
def hash_each(data: UInt8s, offsets: Int64s) -> UInt64s:
    """Return the hash of each text ``data[offsets[i]:offsets[i + 1]]``, its high bits mixed into the low ones."""
    hashes = np.zeros(len(offsets) - 1, np.uint64)
    for i in range(len(hashes)):
        total = np.uint64(0)
        for place in range(offsets[i], offsets[i + 1]):
            total = total * BASE + np.uint64(data[place]) + _ONE
        # Low bits of a polynomial depend on few characters, and tables take their slot from these.
        hashes[i] = total ^ (total >> np.uint64(32))
    return hashes
