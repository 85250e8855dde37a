"""Classes and lower case of every code point, as tables for compiled code."""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, UInt32s

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
"""Blocks of which no character needs a separate look."""


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
        chars = list(map(chr, range(begin, start)))
        classes[begin:start] = _classes(chars)
        small = list(map(str.lower, chars))
        lower[begin:start] = [ord(new if len(new) == 1 else char) for char, new in zip(chars, small, strict=True)]
        begin = end
    for start, end, kind in _BLOCKS:
        part = classes[start:end]
        part[(part == LETTER) | np.isin(np.arange(start, end), _uniform_codes(start, end))] = kind
    classes[0xE0100:0xE01F0] = COMBINING
    return CharacterTable(classes, lower)


def _uniform_codes(start: int, end: int) -> Int64s:
    return np.concatenate([np.arange(max(a, start), max(a, start, min(b, end))) for a, b in _UNIFORM])


def _classes(chars: list[str]) -> UInt8s:
    """Return the classes of characters; of several that fit the first counts, in the order below."""
    letters = _which(str.isalnum, chars)
    tests = (
        (_which(_LINE_BREAKS.__contains__, chars), NEWLINE),
        (_which(str.isspace, chars), SPACE),
        (_which(str.isdecimal, chars), DIGIT),
        (letters & _which(str.isupper, chars), UPPER),
        (letters & _which(str.islower, chars), LOWER),
        (letters, LETTER),
        (_which(_combines, chars), COMBINING),
    )
    found = np.select([fits for fits, _ in tests], [kind for _, kind in tests], default=MARK)
    return found.astype(np.uint8)


def _which(test: Callable[[str], bool], chars: list[str]) -> Bools:
    return np.fromiter(map(test, chars), np.bool_, len(chars))


def _combines(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or char in "\u200c\u200d"
