"""Tokens of a text, and how words are written alike."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from spark_deid.text.kernels.characters import MARK, NEWLINE, SPACE, characters

SEPARATORS = re.compile(r"[\s\-_\u2010\u2011]+")
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_CURLED = "\u2019"


class Token(NamedTuple):
    """A run of letters, digits and what combines with them."""

    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text.

    >>> tokens_of("It's 5")
    [Token(start=0, end=2), Token(start=3, end=4), Token(start=5, end=6)]
    """
    if text.isascii():
        return [Token(*match.span()) for match in _PLAIN.finditer(text)]
    classes = characters().classes[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)]
    inside = (classes != SPACE) & (classes != NEWLINE) & (classes != MARK)
    borders = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
    return list(map(Token._make, borders.reshape(-1, 2).tolist()))


def words_of(text: str) -> list[str]:
    """Return the tokens of a text as they are looked up: case aside.

    >>> words_of("It's 5")
    ['it', 's', '5']
    """
    if text.isascii():
        return _PLAIN.findall(text.lower())
    return [folded(text[token.start : token.end]) for token in tokens_of(text)]


def runs_of(text: str, heads: Mapping[str, int]) -> Iterator[list[Token]]:
    """Yield runs of tokens of a text: from each that reads as one of the heads on, as many as that one has.

    >>> list(runs_of("It's 5, its 6", {"s": 2, "6": 1}))
    [[Token(start=3, end=4), Token(start=5, end=6)], [Token(start=12, end=13)]]
    """
    if not text.isascii():
        tokens = tokens_of(text)
        keys = (folded(text[start:end]) for start, end in tokens)
        yield from (tokens[number : number + heads[key]] for number, key in enumerate(keys) if key in heads)
        return
    lowered = text.lower()
    for head, most in heads.items():
        start = lowered.find(head)
        while start >= 0:
            end = start + len(head)
            if not lowered[start - 1 : start].isalnum() and not lowered[end : end + 1].isalnum():
                yield [Token(*match.span()) for match in islice(_PLAIN.finditer(text, start), most)]
            start = lowered.find(head, end)


def shown(text: str) -> str:
    """Return a term as it is written: whatever parts its words as one space."""
    return SEPARATORS.sub(" ", text).replace(_CURLED, "'")


def folded(text: str) -> str:
    """Return a term as it is looked up: case aside.

    >>> folded("Soft-\\nDRUG")
    'soft drug'
    """
    written = shown(text)
    return written.lower() if written.isascii() else "".join(map(_lower, written))


def _lower(character: str) -> str:
    small = character.lower()
    return small if len(small) == 1 else character
