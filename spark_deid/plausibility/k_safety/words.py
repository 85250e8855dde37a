"""Terms of a table in a text: the longest from left to right, over whole words and signs, case aside.

Texts and terms are read as they look (``text.visible``), letters as their base letters (``text.base_letters``), and
apostrophes and digits as ASCII's.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from spark_deid.text.base_letters import same_letters
from spark_deid.text.patterns.scan import fold_signs
from spark_deid.text.visible import visible

_TOKEN = re.compile(r"[^\W_]+|[^\w\s\-\u2010-\u2015]")
"""A word, or a separate sign: ``021**`` has three. Whitespace, hyphens and underscores part words, and are equal."""


class TermPlace(NamedTuple):
    """Where a term occurs, and its number."""

    start: int
    end: int
    term: int


def key_of(term: str) -> str:
    """Return a term as it is compared: its words and signs with a space between; nothing for one without a word.

    >>> key_of("New-York"), key_of("021**"), key_of("*"), key_of("Łódź")
    ('new york', '021 * *', '', 'lodz')
    """
    tokens = _tokens(term)
    return " ".join(tokens) if any(token[0].isalnum() for token in tokens) else ""


def grams_of(text: str, most: int) -> set[str]:
    """Return all runs of one to ``most`` words and signs of a text, as terms are compared."""
    tokens = _tokens(text)
    return {" ".join(tokens[at : at + size]) for size in range(1, most + 1) for at in range(len(tokens) - size + 1)}


def _tokens(text: str) -> list[str]:
    return [same_letters(token) for token in _TOKEN.findall(fold_signs(visible(text).text))]


class LabelEdges:
    """What terms labels may make together with the words beside them, once they are written; all as ``key_of`` has it.

    >>> edges = LabelEdges(["new york"])
    >>> [edges.meet(key) for key in ("york city", "old new", "new haven", "new york", "a new york b")]
    [True, True, False, False, True]
    """

    def __init__(self, labels: Iterable[str]) -> None:
        words = [tuple(label.split(" ")) for label in labels]
        self._whole = frozenset(words)
        self._begins = frozenset(each[:size] for each in words for size in range(1, len(each) + 1))
        self._ends = frozenset(each[-size:] for each in words for size in range(1, len(each) + 1))

    def meet(self, key: str) -> bool:
        """Return whether a term may be read where a label is written next to a word."""
        words = tuple(key.split(" "))
        inner = range(1, len(words))
        return any(words[:at] in self._ends or words[at:] in self._begins for at in inner) or any(
            words[at:end] in self._whole for at in inner for end in range(at + 1, len(words))
        )


class TermFinder:
    """Terms by number, to be found in texts; ``keys`` are as ``key_of`` gives them, each once."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.numbers = {key: number for number, key in enumerate(keys)}
        self._most: dict[str, int] = {}
        for key in self.numbers:
            tokens = key.split(" ")
            self._most[tokens[0]] = max(self._most.get(tokens[0], 0), len(tokens))

    def find(self, text: str) -> list[TermPlace]:
        """Return the terms of a text, disjoint and in order.

        >>> TermFinder(["york", "new york"]).find("York, New  York")
        [TermPlace(start=0, end=4, term=0), TermPlace(start=6, end=15, term=1)]
        """
        shown = visible(text)
        tokens = [
            (match.start(), match.end(), same_letters(match[0])) for match in _TOKEN.finditer(fold_signs(shown.text))
        ]
        found: list[TermPlace] = []
        at = 0
        while at < len(tokens):
            place = self._longest(tokens[at : at + self._most.get(tokens[at][2], 0)])
            if place is not None:
                found.append(place[0])
            at += place[1] if place is not None else 1
        return found if shown.is_whole else [shown.original(place) for place in found]

    def _longest(self, tokens: list[tuple[int, int, str]]) -> tuple[TermPlace, int] | None:
        """Return the longest term with which these words begin, and how many it takes."""
        for size in range(len(tokens), 0, -1):
            number = self.numbers.get(" ".join(token for _, _, token in tokens[:size]))
            if number is not None:
                return TermPlace(tokens[0][0], tokens[size - 1][1], number), size
        return None
