"""Tokens of a text, and how words are written in the same way."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from spark_deid.text.kernels.characters import MARK, NEWLINE, SPACE, characters

SEPARATORS = re.compile(r"[\s\-_\u2010\u2011]+")
_TOKEN = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
"""Letters and digits of ASCII, and whatever lies beyond it."""
_SPACED = bytes(code if code > 127 or _TOKEN.fullmatch(chr(code)) else 32 for code in range(256))
"""A space for each character of ASCII that parts tokens, by byte of UTF-8."""
_WORD = re.compile("[^ ]+")
_AS_IT_IS = "surrogatepass"
_PARTING = (MARK, NEWLINE, SPACE)
_ASCII = bytes(range(128))
_KEPT = 1 << 10
_BY_CONTEXT = frozenset("\u0130\u03a3")
"""Uppercase letters whose lowercase is several letters, or depends on the following ones."""
_CURLED = "\u2019"


class WordToken(NamedTuple):
    """A run of letters, digits and what combines with them."""

    start: int
    end: int


def tokens_of(text: str) -> list[WordToken]:
    """Return the tokens of a text.

    >>> tokens_of("It's 5")
    [WordToken(start=0, end=2), WordToken(start=3, end=4), WordToken(start=5, end=6)]
    """
    return [WordToken(*match.span()) for match in _TOKEN.finditer(_parted(text))]


def words_of(text: str) -> list[str]:
    """Return the tokens of a text as they are looked up: case aside.

    >>> words_of("It's 5")
    ['it', 's', '5']
    """
    return space_tokens(text).split()


def space_tokens(text: str) -> str:
    """Return the tokens of a text, case aside, one place behind their own, and spaces before, between and behind them.

    >>> space_tokens("It's 5!")
    ' it s 5  '
    """
    written = _parted(_lowered(text)).encode("utf-8", _AS_IT_IS).translate(_SPACED)
    return f" {written.decode('utf-8', _AS_IT_IS)} "


def runs_of(parted: str, head: str, most: int, go_on: Callable[[str, str], bool]) -> Iterator[list[WordToken]]:
    """Yield the runs of tokens of a text that begin with one, as they occur: as many tokens as ``most``.

    ``parted`` is as ``space_tokens`` gives it; runs have their places in the text. A run is the first token only where
    ``go_on`` states that no word continues with the next.

    >>> list(runs_of(space_tokens("It's 5, its 6, it"), "it", 2, lambda first, second: second == "s"))
    [[WordToken(start=0, end=2), WordToken(start=3, end=4)], [WordToken(start=15, end=17)]]
    """
    written = f" {head} "
    start = parted.find(written)
    while start >= 0:
        end = start + len(head)
        if most > 1 and (second := _WORD.search(parted, end + 1)) and go_on(head, second[0]):
            yield [
                WordToken(match.start() - 1, match.end() - 1) for match in islice(_WORD.finditer(parted, start), most)
            ]
        else:
            yield [WordToken(start, end)]
        start = parted.find(written, end + 1)


def _parted(text: str) -> str:
    """Return a text with spaces for the characters beyond ASCII that part tokens."""
    if text.isascii():
        return text
    beyond = text.encode("utf-8", _AS_IT_IS).translate(None, _ASCII).decode("utf-8", _AS_IT_IS)
    parting = _separators(frozenset(beyond))
    return parting.sub(" ", text) if parting else text


@lru_cache(_KEPT)
def _separators(beyond: frozenset[str]) -> re.Pattern[str] | None:
    """Return a pattern of those of some characters that part tokens, if any do; texts have few different ones."""
    classes = characters().classes
    parting = "".join(sorted(re.escape(each) for each in beyond if classes[ord(each)] in _PARTING))
    return re.compile(f"[{parting}]") if parting else None


def _lowered(text: str) -> str:
    """Return a text in lower case, character by character."""
    is_by_context = not text.isascii() and any(each in text for each in _BY_CONTEXT)
    return "".join(map(_lower, text)) if is_by_context else text.lower()


def single_spaced(text: str) -> str:
    """Return a term as it is written: whatever parts its words as one space."""
    return SEPARATORS.sub(" ", text).replace(_CURLED, "'")


def fold_term(text: str) -> str:
    """Return a term as it is looked up: case aside.

    >>> fold_term("Soft-\\nDRUG")
    'soft drug'
    """
    written = single_spaced(text)
    return _lowered(written)


def _lower(character: str) -> str:
    small = character.lower()
    return small if len(small) == 1 else character
