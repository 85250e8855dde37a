"""The tokens with which the words of an ontology begin, so that a text is read only where one may stand."""

from collections.abc import Iterator

import numpy as np

from spark_deid.numerics.arrays import Int32s
from spark_deid.plausibility.kernels.words import ENDINGS
from spark_deid.plausibility.recount.table import Table
from spark_deid.plausibility.recount.tokens import words_of

_WIDTH = 4
_NONE = hash("")
"""Where a word has fewer tokens to begin with; no token of a text is empty."""
_FIRST = 1 << 12
_PAIRS = 1 << 20
"""Marks of the hashes of pairs of tokens."""


class Heads:
    """First tokens of words, hashed; each word is read once a process, when it is first asked for."""

    def __init__(self, table: Table, lemmas: int) -> None:
        self._table = table
        self._rows = np.full(lemmas, -1, np.int32)
        self._hashes = np.zeros((_FIRST, _WIDTH), np.int64)
        self._sizes = np.zeros(_FIRST, np.int32)
        self._number = 0
        self._further: dict[int, dict[int, int]] = {}
        self._pairs = bytearray(_PAIRS)

    def of(self, lemmas: Int32s) -> dict[int, int]:
        """Return the hashes of the tokens with which a text may begin to write these lemmas, in any case or number.

        Beside each stands the most tokens of such a word.
        """
        for lemma in lemmas[self._rows[lemmas] < 0].tolist():
            self._read(lemma)
        rows = self._rows[lemmas]
        hashes, sizes = self._hashes[rows].ravel(), np.repeat(self._sizes[rows], _WIDTH)
        order = np.argsort(sizes, kind="stable")  # of equal hashes the last, that of most tokens, stays
        heads = dict(zip(hashes[order].tolist(), sizes[order].tolist(), strict=True))
        for lemma in self._further.keys() & lemmas.tolist():
            for head, size in self._further[lemma].items():
                heads[head] = max(heads.get(head, 1), size)
        return heads

    def go_on(self, first: str, second: str) -> bool:
        """Tell whether a word that was asked for may begin with two tokens; most that don't are told apart."""
        return bool(self._pairs[hash((first, second)) % _PAIRS])

    def _read(self, lemma: int) -> None:
        """Put the heads of a lemma into a row; those that are more than it holds, or differ in tokens, stand apart."""
        if self._number == len(self._sizes):
            self._hashes, self._sizes = np.tile(self._hashes, (2, 1)), np.tile(self._sizes, 2)
        heads: dict[int, int] = {}
        for each in self._table.alike(lemma):
            for word in (self._table.word(each), *self._table.irregular(each)):
                tokens = words_of(word)
                for head, size in _heads_of(tokens):
                    heads[hash(head)] = max(heads.get(hash(head), 1), size)
                if len(tokens) > 1:
                    for second in _seconds_of(tokens):
                        self._pairs[hash((tokens[0], second)) % _PAIRS] = True
        number = self._rows[lemma] = self._number
        self._number += 1
        if len(heads) > _WIDTH or len(set(heads.values())) > 1:
            self._further[lemma] = heads
            heads = {}
        self._hashes[number] = [*heads, *[_NONE] * (_WIDTH - len(heads))]
        self._sizes[number] = next(iter(heads.values()), 1)


def _heads_of(tokens: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the first token of a word, and those of its plurals by rule if it has no other."""
    if tokens:
        yield tokens[0], len(tokens)
    if len(tokens) == 1:
        yield from ((plural, 1) for plural in _plurals_of(tokens[0]))


def _seconds_of(tokens: list[str]) -> Iterator[str]:
    """Yield the second token of a word, and those of its plurals by rule if it is the last."""
    yield tokens[1]
    if len(tokens) == 2:
        yield from _plurals_of(tokens[1])


def _plurals_of(token: str) -> Iterator[str]:
    for plural, singular in ENDINGS:
        if token.endswith(singular):
            yield token[: len(token) - len(singular)] + plural
