"""Hash tables from non-zero 64-bit keys to 64-bit values: open addressing, linear probing, at most half full."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import compiled

U = np.uint64


class LookupTable(NamedTuple):
    """Keys and values by slot; key 0 marks a free slot, and 0 is the value of an absent key."""

    keys: UInt64s
    values: UInt64s


@compiled
def _insert(keys: UInt64s, values: UInt64s, new: UInt64s, given: UInt64s) -> None:
    mask = U(len(keys) - 1)
    for i in range(len(new)):
        slot = new[i] & mask
        while keys[slot] != U(0) and keys[slot] != new[i]:
            slot = (slot + U(1)) & mask
        keys[slot] = new[i]
        values[slot] = given[i]


def build_lookup(keys: UInt64s, values: UInt64s) -> LookupTable:
    """Build the table of these pairs; the last value of a repeated key occurs."""
    size = 4
    # At most half full: a search for an absent key ends after two to three slots on average.
    while size < 2 * len(keys):
        size *= 2
    table = LookupTable(np.zeros(size, np.uint64), np.zeros(size, np.uint64))
    _insert(table.keys, table.values, np.ascontiguousarray(keys, np.uint64), np.ascontiguousarray(values, np.uint64))
    return table


def empty_lookup() -> LookupTable:
    """Build a table without keys."""
    return build_lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint64))


@compiled
def look_up(keys: UInt64s, values: UInt64s, key: np.uint64) -> np.uint64:
    """Return the value of a key, 0 where it is absent."""
    mask = U(len(keys) - 1)
    slot = key & mask
    # Keys are never removed, so a free slot proves that the key is absent.
    while keys[slot] != U(0):
        if keys[slot] == key:
            return U(values[slot])
        slot = (slot + U(1)) & mask
    return U(0)
