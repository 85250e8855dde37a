"""Unicode's normal forms in linear time: to sort a run of marks takes the square of its length."""

import unicodedata
from collections.abc import Iterator
from typing import Literal

MOST_MARKS = 30
"""Marks in a row that are sorted together; no language writes more (Unicode Standard Annex 15, Stream-Safe Text)."""


def normalize(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> str:
    """Return a text in a normal form; of a longer run of marks each so many by themselves.

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
