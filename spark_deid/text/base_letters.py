"""Texts by their base letters, so that spellings of one word are equal where what was removed is searched for.

Accents and strokes fall off (``Łódź`` is ``Lodz``), Turkish i's are i, ligatures and what is written as two letters are
these (``ﬁ``, ``æ``, ``ß``), and invisible characters are removed. Umlauts written as two letters (``Mueller``) remain:
``other_spellings`` has them.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s

_RANGES = (
    *(range(0x80, 0x530), range(0x1D00, 0x2070), range(0x20D0, 0x20F1), range(0x2100, 0x2150), range(0x2C60, 0x2C80)),
    *(range(0xA720, 0xA800), range(0xFB00, 0xFB07), range(0xFE00, 0xFE10), range(0xFEFF, 0xFF00)),
    *(range(0xFF10, 0xFF5B), range(0x1D400, 0x1D800)),
)
"""Latin, Greek and Cyrillic letters, marks, invisible characters, letters of formulas, full-width ones and digits."""
_WITH = re.compile(r"LATIN (SMALL|CAPITAL) LETTER (?:DOTLESS )?([A-Z]{1,2})(?: WITH .*)?")
_WRITTEN_OUT = {"ß": "ss", "ẞ": "SS", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i", "œ": "oe", "Œ": "OE"}
_AS_TWO = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa"}
)
TWO = "(?i:(?<=[aou])e|(?<=a)a)"
"""The second of two letters that may represent one with a mark."""
_TWO = re.compile(TWO)
_CATEGORIES = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")
_UNSEEN = ("Mn", "Me", "Cf")
_TABLE = 0x20000
_ASCII = 0x80
SKIPPED = 0xFF
"""The unit of a character that is skipped; no byte of UTF-8 has this value."""


def base_letters(text: str) -> str:
    """Return a text by its base letters; case remains.

    >>> base_letters("İZMİR, Łódź, Straße, Sørensen, ﬁnal, Pe\\u0301\\u00adrez")
    'IZMIR, Lodz, Strasse, Sorensen, final, Perez'
    """
    return text if text.isascii() else text.translate(_letters())


def same_letters(text: str) -> str:
    """Return a text by its base letters and without case.

    >>> same_letters("İZMİR") == same_letters("ızmir") == "izmir"
    True
    """
    return base_letters(text).casefold()


def other_spellings(text: str) -> tuple[str, ...]:
    """Return a text with its umlauts as two letters, and with two letters as one, as far as these differ from it.

    >>> other_spellings("Jörg Müller"), other_spellings("Mueller"), other_spellings("Ann")
    (('Joerg Mueller',), ('Muller',), ())
    """
    if text.isascii():  # as nearly all are
        shorter = _TWO.sub("", text)
        return () if shorter == text else (shorter,)
    composed = normalize("NFC", text)
    return tuple({composed.translate(_AS_TWO), _TWO.sub("", composed)} - {composed})


@cache
def units(*, is_cased: bool) -> UInt64s:
    """Return of code points what is compared in their place: UTF-8 bytes, the first one lowest; by the code point.

    0 represents the character as it is, SKIPPED for none. Where ``is_cased`` is false, uppercase letters are lowercase
    letters.
    """
    table = np.zeros(_TABLE, np.uint64)
    table[:_ASCII] = np.arange(_ASCII)
    table[0] = ord(" ")
    for code, written in _letters().items():
        table[code] = _packed(written)
    if not is_cased:
        for code in (*_capitals(), *_letters()):
            table[code] = _packed(same_letters(chr(code)))
    return table


def _packed(written: str) -> int:
    return int.from_bytes(written.encode(), "little") if written else SKIPPED


@cache
def _letters() -> Mapping[int, str]:
    """Return the characters that have base letters of another spelling, and these."""
    every = (code for codes in _RANGES for code in codes)
    pairs = ((code, _base(chr(code))) for code in every)
    return {code: base for code, base in pairs if base is not None and base != chr(code)}


def _capitals() -> Iterator[int]:
    return (code for code in range(_TABLE) if chr(code).casefold() != chr(code))


def _base(character: str) -> str | None:
    """Return the base letters of a character, none for a mark or one that no one sees; None if it lacks one."""
    category = unicodedata.category(character)
    if category in _UNSEEN:
        return ""
    if category not in _CATEGORIES:
        return None
    parts = unicodedata.normalize("NFKD", character)
    written = "".join(_stripped(part) for part in parts if unicodedata.category(part) not in _UNSEEN)
    return written if len(written.encode()) <= np.uint64().nbytes and written.isalnum() else None


def _stripped(letter: str) -> str:
    """Return a letter without its stroke, hook or missing dot; ligatures as their letters."""
    result = _WRITTEN_OUT.get(letter)
    match = None if result or letter.isascii() else _WITH.fullmatch(unicodedata.name(letter, ""))
    if match is None:
        return result or letter
    return match[2] if match[1] == "CAPITAL" else match[2].lower()


# Unicode's normal forms in linear time: to sort a run of marks takes the square of its length.


MOST_MARKS = 30
"""Marks in a row that are sorted together; no language writes more (Unicode Standard Annex 15, Stream-Safe Text)."""


def normalize(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> str:
    """Return a text in a normal form; of a longer run of marks each that many separately.

    >>> normalize("NFC", "e\\u0301") == "é", len(normalize("NFC", "e" + "\\u0323\\u0301" * 100))
    (True, 200)
    """
    if len(text) <= MOST_MARKS or text.isascii():
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    begin = marks = 0
    for place, character in enumerate(text):
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > MOST_MARKS:
            yield text[begin:place]
            begin, marks = place, 1
    yield text[begin:]
