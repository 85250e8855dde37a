"""Texts with characters written as entities (``&#64;``, ``&nbsp;``) or with a sign of percent (``%40``), as read."""

import re
from html import unescape

import numpy as np

from spark_deid.text.visible import VisibleText

_ESCAPED = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|nbsp|commat|period|hyphen|dash|ndash|mdash|minus|sol|colon|lowbar|plus|lpar|rpar"
    r"|lsqb|rsqb|shy|zwj|zwnj|ensp|emsp|thinsp|middot|bull);|%(?:40|2[BDEFbdef]|3[0-9])"
)
_MOST_SEEN = 1 << 16


def unescape_text(text: str) -> tuple[VisibleText, list[int]] | None:
    """Return a text with such characters as they are read, and where each stands there; None where it has none.

    >>> unescape_text("to ann&#64;example.com")[0].text, unescape_text("AT&T; 100%")
    ('to ann@example.com', None)
    """
    if "&" not in text and "%" not in text:
        return None
    written: list[str] = []
    starts: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    places: list[int] = []
    done = length = 0
    for match in _ESCAPED.finditer(text):
        character = unescape(match[0]) if match[0][0] == "&" else chr(int(match[0][1:], 16))
        if len(character) != 1 or len(places) >= _MOST_SEEN:
            continue
        written += (text[done : match.start()], character)
        starts += (np.arange(done, match.start(), dtype=np.int32), np.array([match.start()], np.int32))
        length += match.start() - done
        places.append(length)
        length += 1
        done = match.end()
    if not places:
        return None
    begins = np.concatenate([*starts, np.arange(done, len(text), dtype=np.int32)])
    return VisibleText("".join([*written, text[done:]]), begins, np.append(begins[1:], np.int32(len(text)))), places
