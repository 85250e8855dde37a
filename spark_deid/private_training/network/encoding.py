"""From views to sentences of words, as networks take them: rows of vectors, casings, and where they occur."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt8s
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.pseudonyms.sentence_columns import sentences_of
from spark_deid.text.tokenizer import TokenBorder, ViewTokenizer, ViewTokens
from spark_deid.text.view import TextView

LONGEST = 128
"""Tokens of a sentence; a longer one is cut, so that the time and memory of a batch are bounded."""
TOKENIZER = ViewTokenizer(TokenBorder.MARK | TokenBorder.DIGIT | TokenBorder.IDEOGRAPH, merged=False)
"""Cuts at all marks and between digits and letters ("25yo" is "25", "yo"), so that few words lack a vector."""
_SAMPLE = 50_000


class EncodedText(NamedTuple):
    """A view's tokens: rows of the store (ABSENT without a vector), casings, and the borders of sentences.

    Sentence ``i`` is the tokens from ``borders[i]`` to ``borders[i + 1]``.
    """

    tokens: ViewTokens
    rows: Int64s
    casings: UInt8s
    borders: Int64s


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """Encode views by the vectors of a store; words are looked up once each."""

    store: EmbeddingStore
    _known: dict[str, int] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[type["TextEncoder"], tuple[EmbeddingStore]]:
        return TextEncoder, (self.store,)

    @cached_property
    def scale(self) -> float:
        """Return what vectors are divided by: the root of the mean square of the first words' numbers."""
        sample = np.asarray(self.store.vectors[:_SAMPLE], np.float64)
        return float(np.sqrt(np.square(sample).mean())) or 1.0

    def __call__(self, view: TextView) -> EncodedText:
        """Cut a view into tokens and sentences; a removed piece is a token without a vector, and is never cut."""
        tokens = TOKENIZER(view)
        words = words_of_view(view, tokens)
        hidden = tokens.is_placeholder
        rows, casings = self.rows(words), casings_of(words)
        rows[hidden], casings[hidden] = ABSENT, OTHER
        return EncodedText(tokens, rows, casings, sentence_borders(view, tokens))

    def rows(self, words: Sequence[str]) -> Int64s:
        """Return the row of each word, by any of its spellings."""
        lacking = list(dict.fromkeys(word for word in words if word not in self._known))
        if len(self._known) + len(lacking) > 1 << 20:
            self._known.clear()
            lacking = list(dict.fromkeys(words))
        self._known.update(zip(lacking, self.store.resolve(lacking).tolist(), strict=True))
        return np.fromiter((self._known[word] for word in words), np.int64, len(words))

    def vectors(self, rows: Int64s) -> Float32s:
        """Return the scaled vectors of rows of any shape, of 0 where ABSENT."""
        found = np.asarray(self.store.vectors[np.maximum(rows, 0)], np.float32) / np.float32(self.scale)
        found[rows == ABSENT] = 0
        return found


def words_of_view(view: TextView, tokens: ViewTokens) -> list[str]:
    """Return the text of each token as a release shows it; of removed pieces nothing."""
    if view.is_plain:
        return [view.text[start:end] for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]
    bounds = zip(
        tokens.arrays.starts.tolist(), tokens.arrays.ends.tolist(), tokens.is_placeholder.tolist(), strict=True
    )
    return ["" if hidden else "".join(map(chr, tokens.codes[start:end].tolist())) for start, end, hidden in bounds]


def sentence_borders(view: TextView, tokens: ViewTokens) -> Int64s:
    """Return the first token of each sentence, and the number of tokens at the end; no sentence is longer than LONGEST.

    What was removed is not checked: its characters count as letters of one word.
    """
    text = view.text
    for span in view.removed:
        text = f"{text[: span.start]}{'x' * (span.end - span.start)}{text[span.end :]}"
    starts = np.array([start for start, _ in sentences_of(text, ())], np.int64)
    firsts = np.unique(np.searchsorted(tokens.starts, starts))
    bounds = np.unique(np.concatenate([[0], firsts, [len(tokens)]]))
    cut = [np.arange(one, other, LONGEST) for one, other in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
    return np.concatenate([*cut, [len(tokens)]]).astype(np.int64)


def padded_length(length: int) -> int:
    """Return the length that sentences are padded to: few different ones, so that code is compiled for few.

    >>> [padded_length(length) for length in (1, 16, 17, 100)]
    [16, 16, 32, 128]
    """
    return max(16, 1 << (length - 1).bit_length())


def padded_rows(sequences: Sequence[Int64s | Int32s | UInt8s], length: int, fill: int) -> Int64s:
    """Lay sequences of numbers out as rows of one length."""
    laid = np.full((len(sequences), length), fill, np.int64)
    for row, sequence in zip(laid, sequences, strict=True):
        row[: len(sequence)] = sequence
    return laid


# The casing feature: one of seven kinds of words (Reimers and Gurevych, 2017).


CASINGS = ("numeric", "mainly numeric", "all lower", "all upper", "initial upper", "contains digit", "other")
OTHER = len(CASINGS) - 1
MAINLY = 0.5
"""Of the characters of a word that is mainly numeric more than this share are digits."""


@lru_cache(maxsize=1 << 16)
def casing_of(word: str) -> int:
    """Return the number of a word's casing in CASINGS; the first that fits.

    >>> [CASINGS[casing_of(word)] for word in ("2019", "12th3", "ward", "MRI", "Ann", "mB12", "McDonald", "-")]
    ['numeric', 'mainly numeric', 'all lower', 'all upper', 'initial upper', 'contains digit', 'initial upper', 'other']
    """
    digits = sum(character.isdigit() for character in word)
    fits = (
        bool(word) and digits == len(word),
        digits > MAINLY * len(word),
        word.islower(),
        word.isupper(),
        word[:1].isupper(),
        digits > 0,
    )
    return next((number for number, holds in enumerate(fits) if holds), OTHER)


def casings_of(words: Sequence[str]) -> UInt8s:
    """Return the casing of each word."""
    return np.fromiter(map(casing_of, words), np.uint8, len(words))
