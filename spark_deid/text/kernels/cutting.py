"""From code points to tokens in one call, since a call of compiled code costs as much as twenty tokens."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s, UInt32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.characters import COMBINING, PLACEHOLDER, UNICODE, CharacterTable
from spark_deid.text.kernels.hashing import finish, step
from spark_deid.text.kernels.lookup import LookupTable
from spark_deid.text.kernels.merging import find_merges, merge_runs
from spark_deid.text.kernels.token_arrays import TokenArrays, part_of
from spark_deid.text.kernels.tokens import is_letter, measure_gaps, tokenize

# Look tokens up in word lists.


U = np.uint64
MIN_STEM, MAX_TAIL = 3, 4
MAX_WORD = 24
"""Longer words are in no list."""


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
                # The rolling state is the hash of each beginning, so stems are looked up without hashing them again.
                if tail == 0 or (i - start + 1 >= MIN_STEM and tail <= MAX_TAIL):
                    key = finish(state)
                    slot = key & mask
                    while keys[slot] != U(0):
                        if keys[slot] == key:
                            # The upper half of a value has classes that also apply to stems, the lower half only those
                            # of the whole word.
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


@compiled
def _look_up(codes: UInt32s, tables: CharacterTable, classes: UInt8s, lower: UInt32s) -> None:
    for i in range(len(codes)):
        code = codes[i]
        if code < UNICODE:
            classes[i] = tables.classes[code]
            lower[i] = tables.lower[code]
        else:
            classes[i] = PLACEHOLDER
            lower[i] = code


@compiled
def cut_text(
    codes: UInt32s,
    tables: CharacterTable,
    borders: int,
    seed: np.uint64,
    flagged: LookupTable,
    patterns: Int64s,
    merged: bool,
) -> tuple[UInt32s, UInt8s, TokenArrays]:
    """Return the lower case and class of every code, and the tokens; codes above Unicode are placeholders.

    ``flagged`` has the word classes by hash with ``seed``, ``patterns`` the digit groups to merge where ``merged``.
    """
    total = len(codes)
    classes, lower = np.empty(total, np.uint8), np.empty(total, np.uint32)
    _look_up(codes, tables, classes, lower)
    # No text has more tokens than codes. The copies below release the room that is not needed.
    all_starts, all_ends = np.empty(total, np.int32), np.empty(total, np.int32)
    n = tokenize(classes, borders, all_starts, all_ends)
    starts, ends = all_starts[:n].copy(), all_ends[:n].copy()
    kinds, marks = np.empty(n, np.uint8), np.empty(n, np.uint32)
    first_classes(classes, codes, starts, kinds, marks)
    gaps = np.empty(n + 1, np.uint8)
    measure_gaps(classes, starts, ends, gaps)
    # Word classes come before merging, because dates and ages are recognized by them.
    flags = np.zeros(n, np.uint32)
    flag_words(lower, classes, starts, ends, seed, flagged, flags)
    tokens = TokenArrays(starts, ends, kinds, marks, gaps, flags, np.zeros(n, np.uint8), starts.copy())
    if merged:
        until = np.zeros(n, np.int32)
        find_merges(codes, tokens, patterns, until)
        n = merge_runs(tokens, until)
    return lower, classes, part_of(tokens, 0, n, gaps[: n + 1])
