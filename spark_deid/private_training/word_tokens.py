"""Tokens as vectors know them: runs of letters, runs of digits, and single marks.

The paper cuts at all punctuation and between digits and letters ("25yo" is "25", "yo"), so that few words lack a
vector.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import regex

from spark_deid.core.numerics.arrays import Int64s

_LETTER = r"[\p{L}\p{M}\p{Nl}\p{No}\p{Cf}]"
_TOKEN = regex.compile(rf"(?P<letters>{_LETTER}+)|(?P<digits>\p{{Nd}}+)|(?P<mark>[^\s\p{{Z}}])")
"""Characters that nobody sees belong to words: else they would stay, and mark a document."""
_ASCII_TOKEN = re.compile(r"([A-Za-z]+)|([0-9]+)|[^\t-\r ]")
"""What ``_TOKEN`` is to ASCII, in which no symbol is, at a third of its time."""
_ASCII_WORD = re.compile(r"([A-Za-z]+|[0-9]+)")
_ASCII_LETTERS = re.compile(r"[A-Za-z]+")
_MARKS = r"[\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cc}]"
_HARMLESS = regex.compile(_MARKS)
_WORD = regex.compile(rf"({_LETTER}+|\p{{Nd}}+|(?!{_MARKS})[^\s\p{{Z}}])")
_LETTERS = regex.compile(rf"{_LETTER}+")
_ASCII_LETTERS_OR_BORDER, _LETTERS_OR_BORDER = re.compile("[A-Za-z]+|\0"), regex.compile(rf"{_LETTER}+|\0")
_ASCII_DIGITS, _DIGITS = re.compile("[0-9]+"), regex.compile(r"\p{Nd}+")
_SYMBOL = regex.compile(rf"(?!{_MARKS}|{_LETTER}|\p{{Nd}})[^\s\p{{Z}}]")
BETWEEN = "\0"
"""What stands between spans that are cut together."""
_ASCII_LONG, _LONG = re.compile(r"[A-Za-z]{2,}|\0"), regex.compile(rf"{_LETTER}{{2,}}|\0")
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


def around_tokens(text: str) -> list[str]:
    """Cut a text at its tokens that are no marks: what stands before one, and the token, in turn, and what is left.

    >>> around_tokens("25yo O'Brien")
    ['', '25', '', 'yo', ' ', 'O', "'", 'Brien', '']
    """
    found: list[str] = (_ASCII_WORD if text.isascii() else _WORD).split(text)
    return found


def is_letters(token: str) -> bool:
    """Tell whether a token is of letters."""
    return next(tokens_of(token)).kind == LETTERS


def letter_runs(text: str, *, with_borders: bool = False) -> list[str]:
    r"""Return the tokens of a text that are letters; among them, if asked for, NUL where it stands.

    >>> letter_runs("25yo O'Brien"), letter_runs("Ann\0 Lee", with_borders=True)
    (['yo', 'O', 'Brien'], ['Ann', '\x00', 'Lee'])
    """
    one, other = (_ASCII_LETTERS_OR_BORDER, _LETTERS_OR_BORDER) if with_borders else (_ASCII_LETTERS, _LETTERS)
    found: list[str] = (one if text.isascii() else other).findall(text)
    return found


def digit_runs(text: str) -> int:
    """Count the tokens of a text that are digits.

    >>> digit_runs("25yo, 12/03")
    3
    """
    return len((_ASCII_DIGITS if text.isascii() else _DIGITS).findall(text))


def joined_spans(spans: Sequence[str]) -> str:
    r"""Join what stands in spans, with NUL between each two; where it stands within one, it becomes a blank.

    >>> joined_spans(["Ann", "B\0b"])
    'Ann\x00B b'
    """
    joined = BETWEEN.join(spans)
    if joined.count(BETWEEN) < len(spans):
        return joined
    return BETWEEN.join([each.replace(BETWEEN, " ") for each in spans])


def has_symbol(text: str) -> bool:
    """Tell whether a token of a text is a symbol.

    >>> has_symbol("Ann 👩"), has_symbol("Ann, 25")
    (True, False)
    """
    return not text.isascii() and _SYMBOL.search("".join(set(text))) is not None


def long_words(texts: str) -> tuple[list[str], Int64s]:
    r"""Return the tokens of texts, with NUL between each two, that are two letters and more, and the numbers of texts.

    >>> words, numbers = long_words("25yo O'Brien\0\0Lee")
    >>> words, numbers.tolist()
    (['yo', 'Brien', 'Lee'], [0, 0, 2])
    """
    found: list[str] = (_ASCII_LONG if texts.isascii() else _LONG).findall(texts)
    is_border = np.fromiter(map(BETWEEN.__eq__, found), np.bool_, len(found))
    numbers: Int64s = np.cumsum(is_border)
    return [*filter(BETWEEN.__ne__, found)], numbers[~is_border]


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text in small letters, as vectors of a corpus are learned from them.

    >>> words_of("Ann, 25yo.")
    ['ann', '25', 'yo']
    """
    return [text[token.start : token.end].lower() for token in tokens_of(text) if token.kind in (LETTERS, DIGITS)]
