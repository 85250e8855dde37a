"""Plates of vehicles, after words that say so: alone they look like any other short code."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import LOOK_BACK, is_introduced
from spark_deid.text.patterns.scan import Interval, TextScan

_WORDS = frozenset(
    (
        *("plate", "plates", "license plate", "licence plate", "number plate", "registration", "reg", "reg no", "tag"),
        *("matrícula", "matricula", "placa", "kennzeichen", "kfz-kennzeichen", "immatriculation", "plaque"),
    )
)
_LETTERS_BEFORE = re.compile(r"(?<!\w)(?:[A-ZÄÖÜ]{1,3}[ ·-]){0,2}[A-ZÄÖÜ]{0,3}$")
_PLATE = re.compile(r"[A-ZÄÖÜ0-9]{1,8}(?:[ ·-][A-ZÄÖÜ0-9]{1,5}){0,3}(?!\w)")
_CUES = ("plate", "reg", "tag", "matr", "placa", "kennzeichen", "plaque")
"""One of them is part of each of the words."""
_LOOK_BACK = 10
_LEAST, _MOST = 4, 9


def find_plates(scan: TextScan) -> Iterator[Interval]:
    """Find plates: four to nine capitals and digits, both of them, right after a word such as "plate"."""
    text, covered = scan.text, 0
    for digits, _ in scan.runs_after(_CUES, LOOK_BACK + _LOOK_BACK):
        if digits < covered:
            continue
        before = text[max(covered, digits - _LOOK_BACK) : digits]
        letters = _LETTERS_BEFORE.search(before)
        for start in sorted({digits - len(letters[0]) if letters else digits, digits}):
            match = _PLATE.match(text, start)
            if match and _is_plate(match[0]) and is_introduced(text, start, _WORDS):
                covered = match.end()
                yield match.span()
                break


def _is_plate(code: str) -> bool:
    count = sum(map(str.isalnum, code))
    return _LEAST <= count <= _MOST and any(map(str.isdigit, code)) and any(map(str.isalpha, code))
