"""Tokens of a text, and how words are written alike."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from spark_deid.text.kernels.characters import MARK, NEWLINE, SPACE, characters

SEPARATORS = re.compile(r"[\s\-_\u2010\u2011]+")
_TOKEN = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
"""Letters and digits of ASCII, and whatever lies beyond it."""
_PARTING = (MARK, NEWLINE, SPACE)
_BY_CONTEXT = frozenset("\u0130\u03a3")
"""Capitals whose small letter is several, or depends on what follows."""
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
    return [Token(*match.span()) for match in _TOKEN.finditer(_parted(text))]


def words_of(text: str) -> list[str]:
    """Return the tokens of a text as they are looked up: case aside.

    >>> words_of("It's 5")
    ['it', 's', '5']
    """
    return _TOKEN.findall(_parted(_lowered(text)))


def runs_of(text: str, heads: Mapping[str, int]) -> Iterator[list[Token]]:
    """Yield runs of tokens of a text: from each that reads as one of the heads on, as many as that one has.

    >>> list(runs_of("It's 5, its 6", {"s": 2, "6": 1}))
    [[Token(start=3, end=4), Token(start=5, end=6)], [Token(start=12, end=13)]]
    """
    parted = _parted(_lowered(text))
    for found in _TOKEN.finditer(parted):
        most = heads.get(found[0])
        if most is not None:
            yield [Token(*match.span()) for match in islice(_TOKEN.finditer(parted, found.start()), most)]


def _parted(text: str) -> str:
    """Return a text with spaces for the characters beyond ASCII that part tokens."""
    if text.isascii():
        return text
    classes = characters().classes
    beyond = {code for code in map(ord, set(text)) if code > 127 and classes[code] in _PARTING}
    return text.translate(dict.fromkeys(beyond, " "))


def _lowered(text: str) -> str:
    """Return a text in lower case, character by character."""
    return "".join(map(_lower, text)) if _BY_CONTEXT & set(text) else text.lower()


def shown(text: str) -> str:
    """Return a term as it is written: whatever parts its words as one space."""
    return SEPARATORS.sub(" ", text).replace(_CURLED, "'")


def folded(text: str) -> str:
    """Return a term as it is looked up: case aside.

    >>> folded("Soft-\\nDRUG")
    'soft drug'
    """
    written = shown(text)
    return _lowered(written)


def _lower(character: str) -> str:
    small = character.lower()
    return small if len(small) == 1 else character
