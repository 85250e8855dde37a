"""Plates of vehicles, after words that state it: only they look like any other short code. And their long numbers."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.check_digits import passes_vin
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
_VIN = re.compile("[A-HJ-NPR-Z0-9]{17}", re.IGNORECASE | re.ASCII)
_VIN_WORDS = frozenset(
    (
        "vin",
        "vin no",
        "vin number",
        "identification number",
        "telaio",
        "chassis",
        "chassis no",
        "chassis number",
        "fahrgestellnummer",
        "bastidor",
    )
)
_VIN_LENGTH, _SERIAL = 17, 3
"""The number ends in that many figures at least."""
_LOOK_BACK = 10
_LEAST, _MOST = 4, 9


def find_plates(scan: TextScan) -> Iterator[Interval]:
    """Find plates: four to nine uppercase letters and digits, both of them, right after a word such as "plate".

    And identification numbers of 17 signs, with a right check digit or after a word such as "VIN".
    """
    yield from _identification_numbers(scan)
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


def _identification_numbers(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for digits, end in scan.runs:
        start = end - _VIN_LENGTH
        if end - digits < _SERIAL or start < 0 or text[start - 1 : start].isalnum() or text[end : end + 1].isalnum():
            continue
        if _VIN.fullmatch(text, start, end) and not text[start:end].isdigit():
            code = text[start:end].upper()
            if passes_vin(code) or is_introduced(text, start, _VIN_WORDS):
                yield start, end


def _is_plate(code: str) -> bool:
    count = sum(map(str.isalnum, code))
    return _LEAST <= count <= _MOST and any(map(str.isdigit, code)) and any(map(str.isalpha, code))
