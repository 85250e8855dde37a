"""Whitespace around the token, and the unbroken chunk of text it is in."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import COMBINING
from spark_deid.text.kernels.hashing import finish, hash_keyed, step
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import NO_GAP
from spark_deid.text.token_columns.word import SHORT_SEED, shape_code

U = np.uint64
SPACE_COLUMNS = columns_of("gap.before gap.after chunk.place chunk.size chunk.shape *chunk.text chunk.mail chunk.rest")
"""Chunks with an at sign are marked and state how far their end is."""
BEFORE, AFTER, PLACE, SIZE, CHUNK_SHAPE, TEXT, MAIL, REST = range(8)
MAX_TEXT = 14
MAX_SHAPE = 24
AT = 64


@inlined
def _is_trimmed(code: Int) -> bool:
    """Full stop, comma, colon, semicolon and round brackets are not part of what they enclose."""
    return code == 46 or code == 44 or code == 58 or code == 59 or code == 40 or code == 41


@compiled
def _core_shape(codes: UInt32s, classes: UInt8s, start: Int, end: Int) -> np.uint64:
    short = SHORT_SEED
    previous = U(0)
    length = 0
    for i in range(start, end):
        if classes[i] == COMBINING:
            continue
        code = shape_code(codes[i], np.int64(classes[i]))
        if code != previous and length < MAX_SHAPE:
            short = step(short, code)
            previous = code
            length += 1
    return finish(short)


@compiled
def fill_space(
    codes: UInt32s, lower: UInt32s, classes: UInt8s, tokens: TokenArrays, key: UInt64s, out: UInt64s
) -> None:
    """Fill the columns of whitespace and chunks."""
    n = len(tokens.starts)
    first = 0
    while first < n:
        end = first + 1
        while end < n and tokens.gaps[end] == NO_GAP:
            end += 1
        a = np.int64(tokens.starts[first])
        b = np.int64(tokens.ends[end - 1])
        mail = False
        for i in range(a, b):
            # Without a jump: chunks are short, and most contain no such sign.
            mail |= codes[i] == AT
        while a < b and _is_trimmed(np.int64(codes[a])):
            a += 1
        while a < b and _is_trimmed(np.int64(codes[b - 1])):
            b -= 1
        shape = _core_shape(codes, classes, a, b)
        # Long chunks are nearly always unique, so their text would be a feature of one place.
        text = hash_keyed(lower, a, b, key[0], key[1]) if b - a <= MAX_TEXT else U(0)
        for t in range(first, end):
            p = t + PAD
            out[BEFORE, p] = U(tokens.gaps[t]) + U(1)
            out[AFTER, p] = U(tokens.gaps[t + 1]) + U(1)
            out[PLACE, p] = U(1 if end - first == 1 else 2 if t == first else 3 if t == end - 1 else 4)
            out[SIZE, p] = U(min(end - first, 8))
            out[CHUNK_SHAPE, p] = shape
            out[TEXT, p] = text
            out[MAIL, p] = U(mail)
            out[REST, p] = U(1 + min(3, end - 1 - t)) if mail else U(0)
        first = end
