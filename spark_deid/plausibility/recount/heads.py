"""The tokens with which the words of an ontology begin, so that a text is read only where one may occur."""

from collections.abc import Iterator
from threading import Lock

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.plausibility.recount.table import RecountOntology
from spark_deid.plausibility.recount.tokens import words_of

_WIDTH = 4
_NONE = ""
"""Stands where a word has fewer tokens to begin with; no token of a text is empty."""
_FIRST = 1 << 12
_PAIRS = 1 << 20
"""Marks of the hashes of pairs of tokens."""


class WordHeads:
    """First tokens of words, by number; each word is read once a process, when it is first asked for.

    Threads may ask at once: one reads words at a time.
    """

    def __init__(self, table: RecountOntology, lemmas: int) -> None:
        self._table = table
        self._rows = np.full(lemmas, -1, np.int32)
        self._heads = np.zeros((_FIRST, _WIDTH), np.int32)
        self._number = 0
        self._further: dict[int, list[int]] = {}
        self._tokens = [_NONE]
        self._numbers = {_NONE: 0}
        self._sizes = [1]
        self._pairs = bytearray(_PAIRS)
        self._reading = Lock()

    def of(self, lemmas: Int32s) -> frozenset[str]:
        """Return the tokens with which a text may begin to write these lemmas, in any case or number."""
        if (self._rows[lemmas] < 0).any():
            with self._reading:
                for lemma in lemmas[self._rows[lemmas] < 0].tolist():
                    self._read(lemma)
        numbers = set(np.unique(self._heads[self._rows[lemmas]]).tolist())
        numbers.update(*(self._further[lemma] for lemma in self._further.keys() & lemmas.tolist()))
        return frozenset(map(self._tokens.__getitem__, numbers - {0}))

    def most(self, head: str) -> int:
        """Return how many tokens the longest word has, of those that were asked for and begin with a token."""
        return self._sizes[self._numbers[head]]

    def go_on(self, first: str, second: str) -> bool:
        """Return whether a word that was asked for may begin with two tokens; most that don't are distinguished."""
        return bool(self._pairs[hash((first, second)) % _PAIRS])

    def _read(self, lemma: int) -> None:
        """Put the heads of a lemma into a row; those that are more than it holds stand apart."""
        if self._number == len(self._heads):
            self._heads = np.tile(self._heads, (2, 1))
        heads: dict[int, None] = {}
        for each in self._table.alike(lemma):
            for word in (self._table.word(each), *self._table.irregular(each)):
                tokens = words_of(word)
                heads.update(dict.fromkeys(self._number_of(head, len(tokens)) for head in _heads_of(tokens)))
                if len(tokens) > 1:
                    for second in _seconds_of(tokens):
                        self._pairs[hash((tokens[0], second)) % _PAIRS] = True
        if len(heads) > _WIDTH:
            self._further[lemma] = list(heads)
            heads = {}
        self._heads[self._number] = [*heads, *[0] * (_WIDTH - len(heads))]
        self._rows[lemma] = self._number  # last: other threads take what has a row for read
        self._number += 1

    def _number_of(self, head: str, size: int) -> int:
        """Return the number of a head, and keep the tokens of its longest word."""
        number = self._numbers.setdefault(head, len(self._tokens))
        if number == len(self._tokens):
            self._tokens.append(head)
            self._sizes.append(size)
        self._sizes[number] = max(self._sizes[number], size)
        return number


def _heads_of(tokens: list[str]) -> Iterator[str]:
    """Yield the first token of a word, and those of its plurals by rule if it has no other."""
    yield from tokens[:1]
    if len(tokens) == 1:
        yield from _plurals_of(tokens[0])


def _seconds_of(tokens: list[str]) -> Iterator[str]:
    """Yield the second token of a word, and those of its plurals by rule if it is the last."""
    yield tokens[1]
    if len(tokens) == 2:
        yield from _plurals_of(tokens[1])


def _plurals_of(token: str) -> Iterator[str]:
    """Yield all that a word may be in the plural by rule (``singulars_of``)."""
    yield f"{token}s"
    if token.endswith(("s", "x", "z", "ch", "sh", "o")):
        yield f"{token}es"
    for singular, plural in (("man", "men"), ("y", "ies"), ("f", "ves"), ("fe", "ves"), ("sis", "ses")):
        if token.endswith(singular):
            yield token.removesuffix(singular) + plural
