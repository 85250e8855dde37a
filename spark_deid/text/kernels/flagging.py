"""Look tokens up in word lists."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.characters import COMBINING, PLACEHOLDER
from spark_deid.text.kernels.hashing import finish, step
from spark_deid.text.kernels.lookup import LookupTable
from spark_deid.text.kernels.tokens import is_letter

U = np.uint64
MIN_STEM, MAX_TAIL = 3, 4
MAX_WORD = 24
"""Longer words stand in no list."""


@compiled
def flag_words(
    lower: UInt32s, classes: UInt8s, starts: Int32s, ends: Int32s, seed: np.uint64, flagged: LookupTable, flags: UInt32s
) -> None:
    """Write each token's class bits: those of the word, and those of a stem that all but a few last letters make."""
    keys, values = flagged
    mask = U(len(keys) - 1)
    for t in range(len(starts)):
        start = np.int64(starts[t])
        end = np.int64(ends[t])
        found = U(0)
        if end - start <= MAX_WORD and is_letter(np.int64(classes[start])):
            state = seed
            for i in range(start, end):
                state = step(state, U(lower[i]))
                tail = end - 1 - i
                if tail == 0 or (i - start + 1 >= MIN_STEM and tail <= MAX_TAIL):
                    key = finish(state)
                    slot = key & mask
                    while keys[slot] != U(0):
                        if keys[slot] == key:
                            found |= values[slot] if tail == 0 else values[slot] & U(0xFFFFFFFF00000000)
                            break
                        slot = (slot + U(1)) & mask
        flags[t] = np.uint32((found | (found >> U(32))) & U(0xFFFFFFFF))


@compiled
def first_classes(classes: UInt8s, codes: UInt32s, starts: Int32s, kinds: UInt8s, marks: UInt32s) -> None:
    """Write the class and the code of each token's first character; a lone combining mark counts as a mark."""
    for t in range(len(starts)):
        kind = classes[starts[t]]
        kinds[t] = kind if kind != COMBINING else np.uint8(5)
        marks[t] = codes[starts[t]] if kind != PLACEHOLDER else np.uint32(0)
