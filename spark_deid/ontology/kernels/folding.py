"""Fold text for look-ups: case aside, and any run of whitespace, hyphens and underscores as one space."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s, UInt32s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.kernels.characters import MARK, NEWLINE, SPACE, CharacterTable

BLANK, APOSTROPHE = 32, 39
_HYPHEN, _UNDERSCORE, _CURLED, _HYPHENS_FROM, _HYPHENS_TO = 45, 95, 0x2019, 0x2010, 0x2011


@inlined
def separates(code: Int, kind: Int) -> bool | np.bool_:
    """Return whether a character of this code and class is between the words of one term."""
    return kind in (SPACE, NEWLINE) or code in (_HYPHEN, _UNDERSCORE) or _HYPHENS_FROM <= code <= _HYPHENS_TO


@inlined
def in_word(kind: Int) -> bool | np.bool_:
    """Return whether characters of this class make up words."""
    return kind not in (SPACE, NEWLINE) and kind != MARK


@compiled
def fold(codes: UInt32s, start: Int, end: Int, table: CharacterTable, key: UInt32s, spelled: UInt32s, at: Int) -> Int:
    """Append ``codes[start:end]`` to ``key`` in lower case and to ``spelled`` as it is; return the new length.

    Returns -1 where it does not fit, or where a blank line is inside.
    """
    breaks = 0
    for place in range(start, end):
        code = codes[place]
        kind = table.classes[code]
        if separates(code, kind):
            breaks = breaks + 1 if code == 10 else breaks
            # A blank line ends a paragraph, and no term continues in the next one.
            if breaks > 1:
                return -1
            if at and key[at - 1] == BLANK:
                continue
            code = np.uint32(BLANK)
        else:
            breaks = 0
            if code == _CURLED:
                code = np.uint32(APOSTROPHE)
        if at >= len(key):
            return -1
        key[at] = table.lower[code]
        spelled[at] = code
        at += 1
    return at


@compiled
def decode(text: UInt8s, start: Int, end: Int, codes: UInt32s) -> int:
    """Write the code points of valid UTF-8 and return their number."""
    number = 0
    place = start
    while place < end:
        byte = np.int64(text[place])
        # The first byte gives the number of bytes. The text was checked before, so following bytes need no test.
        more = 0 if byte < 0x80 else 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        code = byte if more == 0 else byte & (0x3F >> more)
        for following in range(place + 1, place + 1 + more):
            code = code << 6 | (np.int64(text[following]) & 0x3F)
        codes[number] = code
        number += 1
        place += 1 + more
    return number
