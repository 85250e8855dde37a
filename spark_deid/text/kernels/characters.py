"""Classes and lower case of every code point, as tables for compiled code."""

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.numerics.arrays import Int64s, UInt8s, UInt32s

SPACE, NEWLINE, LOWER, UPPER, DIGIT, MARK, LETTER, COMBINING, HAN, HIRAGANA, KATAKANA, UNSPACED, PLACEHOLDER = range(13)
"""MARK is what no other class takes; LETTER has no case; UNSPACED scripts are written without spaces (Thai)."""

UNICODE = 0x110000
_LINE_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_BLOCKS = (
    (0x0E00, 0x0F00, UNSPACED),
    (0x0F00, 0x10A0, UNSPACED),
    (0x1780, 0x1800, UNSPACED),
    (0x1950, 0x1A20, UNSPACED),
    (0x1A20, 0x1AB0, UNSPACED),
    (0x3005, 0x3008, HAN),
    (0x3041, 0x30A0, HIRAGANA),
    (0x30A0, 0x3100, KATAKANA),
    (0x31F0, 0x3200, KATAKANA),
    (0x3400, 0x4DC0, HAN),
    (0x4E00, 0xA000, HAN),
    (0xA9E0, 0xAA80, UNSPACED),
    (0xF900, 0xFB00, HAN),
    (0xFF66, 0xFFA0, KATAKANA),
    (0x1B000, 0x1B170, KATAKANA),
    (0x20000, 0x32400, HAN),
)
_UNIFORM = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xE000, 0xF900), (0x20000, 0x110000))
"""Blocks of which no character needs a look of its own."""


class CharacterTable(NamedTuple):
    """By code point: class (one of the constants above), and the lower case where that is one code point."""

    classes: UInt8s
    lower: UInt32s


@lru_cache(maxsize=1)
def characters() -> CharacterTable:
    """Build the tables of this Python's Unicode version, once a process."""
    classes = np.full(UNICODE, MARK, np.uint8)
    lower = np.arange(UNICODE, dtype=np.uint32)
    begin = 0
    for start, end in (*_UNIFORM, (UNICODE, UNICODE)):
        for code in range(begin, start):
            char = chr(code)
            classes[code] = _class(char)
            small = char.lower()
            if len(small) == 1:
                lower[code] = ord(small)
        begin = end
    for start, end, kind in _BLOCKS:
        part = classes[start:end]
        part[(part == LETTER) | np.isin(np.arange(start, end), _uniform_codes(start, end))] = kind
    classes[0xE0100:0xE01F0] = COMBINING
    return CharacterTable(classes, lower)


def _uniform_codes(start: int, end: int) -> Int64s:
    return np.concatenate([np.arange(max(a, start), max(a, start, min(b, end))) for a, b in _UNIFORM])


def _class(char: str) -> int:
    if char in _LINE_BREAKS:
        return NEWLINE
    if char.isspace():
        return SPACE
    if char.isdecimal():
        return DIGIT
    if char.isalnum():
        return UPPER if char.isupper() else LOWER if char.islower() else LETTER
    if char in "\u200c\u200d" or unicodedata.category(char)[0] == "M":
        return COMBINING
    return MARK
