"""Tokens as vectors know them: runs of letters, runs of digits, and single marks.

The paper cuts at all punctuation and between digits and letters ("25yo" is "25", "yo"), so that few words lack a
vector.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import regex

_TOKEN = regex.compile(r"(?P<letters>[\p{L}\p{M}\p{Nl}\p{No}\p{Cf}]+)|(?P<digits>\p{Nd}+)|(?P<mark>[^\s\p{Z}])")
"""Characters that nobody sees belong to words: else they would stay, and mark a document."""
_ASCII_TOKEN = re.compile(r"([A-Za-z]+)|([0-9]+)|[^\t-\r ]")
"""What ``_TOKEN`` is to ASCII, in which no symbol is, at a third of its time."""
_ASCII_WORD = re.compile(r"[A-Za-z]+|[0-9]+")
_ASCII_LETTERS = re.compile(r"[A-Za-z]+")
_HARMLESS = regex.compile(r"[\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cc}]")
LETTERS, DIGITS, SYMBOL, MARK = "letters", "digits", "symbol", "mark"
_ASCII_KINDS = (MARK, LETTERS, DIGITS)


class VectorToken(NamedTuple):
    """A token: where it begins and ends, and whether it is letters, digits, a symbol such as an emoji, or a mark."""

    start: int
    end: int
    kind: str


def tokens_of(text: str, start: int = 0, end: int | None = None) -> Iterator[VectorToken]:
    """Yield the tokens of a stretch of text, in order; white space belongs to none.

    >>> [text[t.start:t.end] for text in ["25yo O'Brien 👩"] for t in tokens_of(text)]
    ['25', 'yo', 'O', "'", 'Brien', '👩']
    """
    last = len(text) if end is None else end
    if text[start:last].isascii():
        for match in _ASCII_TOKEN.finditer(text, start, last):
            yield VectorToken(*match.span(), _ASCII_KINDS[match.lastindex or 0])
        return
    for found in _TOKEN.finditer(text, start, last):
        kind = str(found.lastgroup)
        if kind == MARK and not _HARMLESS.match(text, found.start()):
            kind = SYMBOL
        yield VectorToken(found.start(), found.end(), kind)


def replaced_tokens(text: str) -> list[tuple[int, str]]:
    """Return the tokens of a text that are no marks, each with where it begins.

    >>> replaced_tokens("25yo O'Brien")
    [(0, '25'), (2, 'yo'), (5, 'O'), (7, 'Brien')]
    """
    if text.isascii():
        return [(match.start(), match[0]) for match in _ASCII_WORD.finditer(text)]
    return [(token.start, text[token.start : token.end]) for token in tokens_of(text) if token.kind != MARK]


def is_letters(token: str) -> bool:
    """Tell whether a token is of letters."""
    return next(tokens_of(token)).kind == LETTERS


def letter_runs(text: str) -> list[str]:
    """Return the tokens of a text that are letters.

    >>> letter_runs("25yo O'Brien")
    ['yo', 'O', 'Brien']
    """
    if text.isascii():
        return _ASCII_LETTERS.findall(text)
    return [text[token.start : token.end] for token in tokens_of(text) if token.kind == LETTERS]


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text in small letters, as vectors of a corpus are learned from them.

    >>> words_of("Ann, 25yo.")
    ['ann', '25', 'yo']
    """
    return [text[token.start : token.end].lower() for token in tokens_of(text) if token.kind in (LETTERS, DIGITS)]
