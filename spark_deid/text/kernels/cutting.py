"""From code points to tokens in one call, since a call of compiled code costs as much as twenty tokens."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.characters import PLACEHOLDER, UNICODE, CharacterTable
from spark_deid.text.kernels.flagging import first_classes, flag_words
from spark_deid.text.kernels.lookup import LookupTable
from spark_deid.text.kernels.merging import find_merges, merge_runs
from spark_deid.text.kernels.token_arrays import TokenArrays, part_of
from spark_deid.text.kernels.tokens import measure_gaps, tokenize


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
    all_starts, all_ends = np.empty(total, np.int32), np.empty(total, np.int32)
    n = tokenize(classes, borders, all_starts, all_ends)
    starts, ends = all_starts[:n].copy(), all_ends[:n].copy()
    kinds, marks = np.empty(n, np.uint8), np.empty(n, np.uint32)
    first_classes(classes, codes, starts, kinds, marks)
    gaps = np.empty(n + 1, np.uint8)
    measure_gaps(classes, starts, ends, gaps)
    flags = np.zeros(n, np.uint32)
    flag_words(lower, classes, starts, ends, seed, flagged, flags)
    tokens = TokenArrays(starts, ends, kinds, marks, gaps, flags, np.zeros(n, np.uint8), starts.copy())
    if merged:
        until = np.zeros(n, np.int32)
        find_merges(codes, tokens, patterns, until)
        n = merge_runs(tokens, until)
    return lower, classes, part_of(tokens, 0, n, gaps[: n + 1])
