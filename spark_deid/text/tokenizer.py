"""Cut a view into tokens, without changing it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt32s
from spark_deid.text.kernels.characters import DIGIT, MARK, PLACEHOLDER, characters
from spark_deid.text.kernels.cutting import cut_text
from spark_deid.text.kernels.lookup import LookupTable
from spark_deid.text.kernels.token_arrays import TokenArrays, apart_from_before
from spark_deid.text.kernels.tokens import BORDER_CASE, BORDER_DIGIT, BORDER_IDEOGRAPH, BORDER_MARK, LINE_BREAK, NO_GAP
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import MAX_GROUPS, NO_WORDS, WORD_SEED, WordVocabulary

NO_PATTERNS = np.zeros((0, 3 + MAX_GROUPS), np.int64)


class TokenBorder(IntFlag):
    """Where a token ends besides whitespace and placeholders."""

    MARK = BORDER_MARK
    """Around each mark."""
    DIGIT = BORDER_DIGIT
    """Between digits and letters."""
    CASE = BORDER_CASE
    """Between a lower-case and an upper-case letter, in words of three letters and more."""
    IDEOGRAPH = BORDER_IDEOGRAPH
    """Around each character of scripts written without spaces; else they are cut between scripts only."""


ALL_BORDERS = TokenBorder.MARK | TokenBorder.DIGIT | TokenBorder.CASE | TokenBorder.IDEOGRAPH


@dataclass(frozen=True, repr=False)
class ViewTokens:
    """The tokens of a view: arrays over tokens, and over codes what every later step needs of them."""

    codes: UInt32s
    lower: UInt32s
    classes: UInt8s
    arrays: TokenArrays
    starts: Int32s
    """Start of each token in the original text."""
    ends: Int32s
    """End of each token in the original text."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def is_placeholder(self) -> Bools:
        """Which tokens are removed pieces."""
        return np.asarray(self.arrays.kinds == PLACEHOLDER)

    @property
    def is_word(self) -> Bools:
        """Which tokens consist of letters: no marks, numbers, removed pieces, mail addresses and the like."""
        kinds = self.arrays.kinds
        return np.asarray((kinds != MARK) & (kinds != DIGIT) & (kinds != PLACEHOLDER) & (self.arrays.merged == 0))

    @property
    def is_apart(self) -> Bools:
        """Which tokens begin a line or a field: what is before them joins no pieces (contract, law 3)."""
        return apart_from_before(self.arrays, self.codes)

    @property
    def visible(self) -> tuple[Int32s, Int32s]:
        """The starts and ends of the tokens that are not removed pieces."""
        chosen = ~self.is_placeholder
        return self.starts[chosen], self.ends[chosen]


@dataclass(frozen=True)
class ViewTokenizer:
    """Cut a view at whitespace, placeholders and borders, then make one token of each mail, date and the like.

    Every character but whitespace is in exactly one token, a removed piece is a separate token, and a combining
    mark remains with the character before it.
    """

    borders: TokenBorder = ALL_BORDERS
    vocabulary: WordVocabulary = NO_WORDS
    merged: bool = True

    def __call__(self, view: TextView) -> ViewTokens:
        """Return the tokens in order."""
        lower, classes, arrays = cut_text(
            view.codes,
            characters(),
            int(self.borders),
            WORD_SEED,
            self._flags,
            self._numbers if self.merged else NO_PATTERNS,
            self.merged,
        )
        if view.is_plain:
            return ViewTokens(view.codes, lower, classes, arrays, arrays.starts, arrays.ends)
        return ViewTokens(view.codes, lower, classes, arrays, view.starts[arrays.starts], view.ends[arrays.ends - 1])

    @cached_property
    def _flags(self) -> LookupTable:
        return self.vocabulary.flags()

    @cached_property
    def _numbers(self) -> Int64s:
        return self.vocabulary.number_rows()


# Cut long rows of tokens into pieces of bounded length.


_ENDS = np.array([ord(mark) for mark in ".!?…。！？"], np.uint32)


def cut_tokens(tokens: ViewTokens, max_tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the first token and the end of consecutive pieces of at most ``max_tokens`` tokens.

    A piece ends at the last line break of its second half, else at the last end of a sentence, else anywhere.
    """
    n = len(tokens)
    first = 0
    while n - first > max_tokens:
        end = _last_border(tokens, first + max_tokens // 2 + 1, first + max_tokens)
        yield first, end
        first = end
    if first < n:
        yield first, n


def _last_border(tokens: ViewTokens, low: int, high: int) -> int:
    """Return the best token between ``low`` and ``high``, both included, to begin the next piece with."""
    gaps = tokens.arrays.gaps[low : high + 1]
    lines = np.flatnonzero(gaps == LINE_BREAK)
    if len(lines):
        return low + int(lines[-1])
    sentences = np.flatnonzero(np.isin(tokens.arrays.marks[low - 1 : high], _ENDS) & (gaps != NO_GAP))
    return low + int(sentences[-1]) if len(sentences) else high
