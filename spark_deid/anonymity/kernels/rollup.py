"""Equal rows of codes found in one pass, and counts added up by them."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FREE = -1


@compiled
def keys_of(codes: Int32s, coarser: Int32s, starts: Int64s, strides: Int64s) -> Int64s:
    """Return a number for each row, equal where rows are equal once their codes are coarser.

    The code c of column a becomes ``coarser[starts[a] + c]``; a column of stride 0 does not count.
    """
    keys = np.zeros(codes.shape[0], np.int64)
    for row in range(codes.shape[0]):
        key = 0
        for column in range(codes.shape[1]):
            if strides[column] > 0:
                # Strides make the key a number in a mixed radix, so different rows have different keys.
                key += coarser[starts[column] + codes[row, column]] * strides[column]
        keys[row] = key
    return keys


@compiled
def number_keys(keys: Int64s, span: Int) -> tuple[Int64s, Int64s]:
    """Number different keys as they first appear: the number of each row, and the first row of each number.

    Keys are below ``span``; where that is small each has a separate place, else they are hashed.
    """
    if span <= 8 * keys.size + 1024:
        return _numbered_in_place(keys, span)
    return _numbered_by_hash(keys)


@compiled
def _numbered_in_place(keys: Int64s, span: Int) -> tuple[Int64s, Int64s]:
    numbers = np.full(span, _FREE, np.int32)
    group, first, count = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64), 0
    for row in range(keys.size):
        if numbers[keys[row]] == _FREE:
            numbers[keys[row]] = count
            first[count] = row
            count += 1
        group[row] = numbers[keys[row]]
    return group, first[:count].copy()


@compiled
def _numbered_by_hash(keys: Int64s) -> tuple[Int64s, Int64s]:
    bits = 4
    while (1 << bits) < 2 * keys.size:
        bits += 1
    shift, last = np.uint64(64 - bits), (1 << bits) - 1
    numbers = np.full(last + 1, _FREE, np.int32)
    group, first, count = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64), 0
    for row in range(keys.size):
        # Multiplicative hashing: the high bits of the product depend on all bits of the key.
        place = np.int64((np.uint64(keys[row]) * _MIX) >> shift)
        # At most half of the slots are used, so linear probing finds a free one soon.
        while numbers[place] != _FREE and keys[first[numbers[place]]] != keys[row]:
            place = (place + 1) & last
        if numbers[place] == _FREE:
            numbers[place] = count
            first[count] = row
            count += 1
        group[row] = numbers[place]
    return group, first[:count].copy()


@compiled
def add_by_group(group: Int64s, counts: Int64s, size: Int) -> Int64s:
    """Add counts up by group."""
    total = np.zeros(size, np.int64)
    for row in range(group.size):
        total[group[row]] += counts[row]
    return total


@compiled
def coarsen_rows(codes: Int32s, rows: Int64s, coarser: Int32s, starts: Int64s, columns: Int64s) -> Int32s:
    """Return some columns of some rows, their codes made coarser."""
    made = np.empty((rows.size, columns.size), np.int32)
    for row in range(rows.size):
        for at in range(columns.size):
            column = columns[at]
            made[row, at] = coarser[starts[column] + codes[rows[row], column]]
    return made
