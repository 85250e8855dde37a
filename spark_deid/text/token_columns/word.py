"""The token only: the word, its affixes, shape, length, case and word classes."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.characters import COMBINING, DIGIT, HAN, MARK, PLACEHOLDER, UNICODE, UPPER
from spark_deid.text.kernels.hashing import finish, hash_keyed, salt, step
from spark_deid.text.kernels.merging import AGE, AGE_WORDS, KINDS
from spark_deid.text.kernels.token_arrays import TokenArrays

U = np.uint64
WORD_COLUMNS = columns_of(
    "one *word *lower shape short length case list"
    " *prefix1 *prefix2 *prefix3 *prefix4 *suffix1 *suffix2 *suffix3 *suffix4"
)
"""``short`` is the shape without repeats, ``list`` the word classes, ``lower`` the word in lower case."""
ONE, WORD, LOWER_CASE, SHAPE, SHORT, LENGTH, CASE, LIST, PREFIX, SUFFIX = 0, 1, 2, 3, 4, 5, 6, 7, 8, 12

SHAPE_SEED, SHORT_SEED, BEFORE_TEXT, AFTER_TEXT = (salt(name) for name in ("shape", "short shape", "before", "after"))
KIND_HASHES = np.array([salt(f"merged {kind}") for kind in KINDS], np.uint64)
MAX_LENGTH = 10
MAX_REMEMBERED = 32
"""Longer words are computed each time."""
FEATURE_CLASSES = 31
"""The word classes that are separate features."""


@compiled
def shape_code(code: np.uint32, kind: Int) -> np.uint64:
    """Return what represents a character in a shape: X, x, d, a letter a script, or a mark itself."""
    if kind == UPPER:
        return U(88)
    if kind == DIGIT:
        return U(100)
    if kind == MARK:
        return U(code)
    if kind >= HAN:
        return U(104 + kind - HAN)
    return U(120)


@compiled
def _shape_columns(codes: UInt32s, classes: UInt8s, start: Int, end: Int, out: UInt64s, p: Int) -> None:
    full = SHAPE_SEED
    short = SHORT_SEED
    previous = U(0)
    for i in range(start, end):
        if classes[i] == COMBINING:
            continue
        code = shape_code(codes[i], np.int64(classes[i]))
        full = step(full, code)
        # The short shape has no repeats: `Anna` and `Li` are both `Xx`.
        if code != previous:
            short = step(short, code)
            previous = code
    out[SHAPE, p] = finish(full)
    out[SHORT, p] = finish(short)


@compiled
def _opaque(out: UInt64s, p: Int, name: np.uint64, shape: np.uint64, short: np.uint64, length: Int) -> None:
    """A token of which only its class is known."""
    out[WORD, p] = name
    out[LOWER_CASE, p] = name
    out[SHAPE, p] = shape
    out[SHORT, p] = short
    out[LENGTH, p] = U(length)
    for k in range(LIST, SUFFIX + 4):
        out[k, p] = U(0)


class WordMemory(NamedTuple):
    """Words met before under one key, of this document or of others, and their columns: bounded, and empty when full.

    ``places`` is an open-addressing table of entries plus one, ``borders[e]`` and ``borders[e + 1]`` state where in
    ``codes`` the word of entry e occurs, ``columns[e]`` holds what is in its cells from ``WORD`` on, and
    ``used[0]`` counts entries. Codes are compared, so no hash decides.
    """

    places: Int32s
    borders: Int32s
    codes: UInt32s
    columns: UInt64s
    used: Int64s


def word_memory(entries: int = 1 << 12) -> WordMemory:
    """Make an empty memory for that many words, a power of two; each takes about 264 bytes."""
    return WordMemory(
        np.zeros(2 * entries, np.int32),
        np.zeros(entries + 1, np.int32),
        np.empty(entries * MAX_REMEMBERED, np.uint32),
        np.empty((entries, SUFFIX + 4 - WORD), np.uint64),
        np.zeros(1, np.int64),
    )


@compiled
def fill_word(
    codes: UInt32s,
    lower: UInt32s,
    classes: UInt8s,
    tokens: TokenArrays,
    key: UInt64s,
    placeholders: UInt64s,
    memory: WordMemory,
    out: UInt64s,
) -> None:
    """Fill the word columns; ``placeholders`` has the public hash of each class of removed pieces.

    ``memory`` belongs to the key and to what cuts and classifies the words.
    """
    k0 = key[0]
    k1 = key[1]
    n = len(tokens.starts)
    places, borders, kept, columns, used = memory
    mask = U(len(places) - 1)
    entries = used[0]
    for t in range(n):
        p = t + PAD
        start = np.int64(tokens.starts[t])
        end = np.int64(tokens.ends[t])
        out[ONE, p] = U(1)
        out[CASE, p] = U(2 if tokens.kinds[t] == UPPER else 1)
        merged = np.int64(tokens.merged[t])
        if tokens.kinds[t] == PLACEHOLDER:
            name = placeholders[codes[start] - UNICODE]
            _opaque(out, p, name, name, name, 60)
        elif merged:
            name = KIND_HASHES[merged]
            shape = name
            short = name
            if merged in (AGE, AGE_WORDS):
                name = finish(step(name, hash_keyed(lower, tokens.lasts[t], end, k0, k1)))
                second_digit = start + 1 < end and classes[start + 1] == DIGIT
                shape = finish(step(short, U(2 if second_digit else 1)))
            _opaque(out, p, name, shape, short, 20 + merged)
        else:
            length = end - start
            state = U(length)
            for i in range(start, end):
                state = step(state, U(codes[i]))
            # A memory of words: each costs nine keyed hashes, and texts repeat most of their words.
            slot = finish(state) & mask
            entry = np.int64(places[slot]) - 1
            while entry >= 0:
                begin = np.int64(borders[entry])
                same = np.int64(borders[entry + 1]) - begin == length
                k = 0
                # Characters decide, because two words of one hash would otherwise get each other's columns.
                while same and k < length:
                    same = kept[begin + k] == codes[start + k]
                    k += 1
                if same:
                    break
                slot = (slot + U(1)) & mask
                entry = np.int64(places[slot]) - 1
            if entry >= 0:
                for k in range(SUFFIX + 4 - WORD):
                    out[WORD + k, p] = columns[entry, k]
                continue
            small = hash_keyed(lower, start, end, k0, k1)
            _shape_columns(codes, classes, start, end, out, p)
            out[LOWER_CASE, p] = small
            out[WORD, p] = finish(step(small, out[SHAPE, p]))
            out[LENGTH, p] = U(min(int(end - start), MAX_LENGTH))
            out[LIST, p] = U(tokens.flags[t] & FEATURE_CLASSES)
            for k in range(4):
                fits = end - start > k
                out[PREFIX + k, p] = hash_keyed(lower, start, start + k + 1, k0, k1) if fits else U(0)
                out[SUFFIX + k, p] = hash_keyed(lower, end - k - 1, end, k0, k1) if fits else U(0)
            if length <= MAX_REMEMBERED:
                # A full memory starts empty again, which keeps it bounded and costs little.
                if entries == len(columns):
                    places[:] = 0
                    entries = 0
                    slot = finish(state) & mask
                begin = np.int64(borders[entries])
                for i in range(length):
                    kept[begin + i] = codes[start + i]
                for k in range(SUFFIX + 4 - WORD):
                    columns[entries, k] = out[WORD + k, p]
                borders[entries + 1] = begin + length
                entries += 1
                places[slot] = entries
    used[0] = entries
    for k in (WORD, LOWER_CASE, SHAPE, SHORT):
        for p in range(PAD):
            out[k, p] = BEFORE_TEXT
            out[k, n + PAD + p] = AFTER_TEXT
