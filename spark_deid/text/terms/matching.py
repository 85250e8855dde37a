"""Terms in a text: the longest from left to right, whole words, in time linear in the text whatever the list."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u3005-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\uaa7f"
_UNSPACED += "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af"
"""Scripts without spaces between words, or with endings that follow them: each character is a token."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f])+|[^\w\s]")


class TermToken(NamedTuple):
    """A word, a character of a script without spaces, or a mark, as it is compared; and where it stands."""

    key: str
    start: int
    end: int


def tokens_of(text: str, *, match_case: bool) -> Iterator[TermToken]:
    """Yield the tokens of a text: compared in one composed form of each letter, in lower case where case is nothing.

    >>> [token.key for token in tokens_of("New  York's", match_case=False)]
    ['new', 'york', "'", 's']
    """
    for match in _TOKEN.finditer(text):
        key = unicodedata.normalize("NFKC", match[0])
        yield TermToken(key if match_case else unicodedata.normalize("NFKC", key.casefold()), *match.span())


@dataclass(frozen=True)
class TermIndex:
    """Terms by their first token, and how long those are that begin with it, the longest first."""

    terms: frozenset[tuple[str, ...]]
    lengths: dict[str, tuple[int, ...]]
    match_case: bool

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where terms stand; of those that begin at one place the longest, and none within another.

        >>> list(index_terms(["New York", "York"], match_case=False).find("In new\\nyork, York."))
        [(3, 11), (13, 17)]
        """
        tokens = list(tokens_of(text, match_case=self.match_case))
        place = 0
        while place < len(tokens):
            length = self._longest(tokens, place)
            if length:
                yield tokens[place].start, tokens[place + length - 1].end
            place += length or 1

    def _longest(self, tokens: list[TermToken], place: int) -> int:
        for length in self.lengths.get(tokens[place].key, ()):
            keys = tuple(token.key for token in tokens[place : place + length])
            if len(keys) == length and keys in self.terms:
                return length
        return 0


def index_terms(terms: Iterable[str], *, match_case: bool) -> TermIndex:
    """Index terms for search."""
    keys = frozenset(tuple(token.key for token in tokens_of(term, match_case=match_case)) for term in terms)
    lengths: dict[str, set[int]] = {}
    for each in keys:
        lengths.setdefault(each[0], set()).add(len(each))
    return TermIndex(keys, {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}, match_case)
