"""Tokens of a text, and how words are written alike."""

import re
from typing import NamedTuple

import numpy as np

from spark_deid.text.kernels.characters import MARK, NEWLINE, SPACE, characters

SEPARATORS = re.compile(r"[\s\-_\u2010\u2011]+")
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
    classes = characters().classes[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)]
    inside = (classes != SPACE) & (classes != NEWLINE) & (classes != MARK)
    borders = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
    return list(map(Token._make, borders.reshape(-1, 2).tolist()))


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
