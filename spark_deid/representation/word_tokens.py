"""Tokens as vectors know them: runs of letters, runs of digits, and single marks.

The paper cuts at all punctuation and between digits and letters ("25yo" is "25", "yo"), so that few words lack a
vector.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

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
_BETWEEN = "\0"
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


def letter_runs(text: str) -> list[str]:
    """Return the tokens of a text that are letters.

    >>> letter_runs("25yo O'Brien")
    ['yo', 'O', 'Brien']
    """
    found: list[str] = (_ASCII_LETTERS if text.isascii() else _LETTERS).findall(text)
    return found


def long_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each text that are two letters and more; to cut all together takes less time.

    >>> long_words(["25yo O'Brien", "", "Lee"])
    [['yo', 'Brien'], [], ['Lee']]
    """
    joined = _BETWEEN.join(texts)
    if joined.count(_BETWEEN) != len(texts) - 1:
        return [[word for word in letter_runs(text) if len(word) > 1] for text in texts]
    found = [own := list[str]()]
    for word in (_ASCII_LONG if joined.isascii() else _LONG).findall(joined):
        if word == _BETWEEN:
            found.append(own := [])
        else:
            own.append(word)
    return found


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text in small letters, as vectors of a corpus are learned from them.

    >>> words_of("Ann, 25yo.")
    ['ann', '25', 'yo']
    """
    return [text[token.start : token.end].lower() for token in tokens_of(text) if token.kind in (LETTERS, DIGITS)]
