"""Cut long rows of tokens into pieces of bounded length."""

from collections.abc import Iterator

import numpy as np

from spark_deid.text.kernels.tokens import LINE_BREAK, NO_GAP
from spark_deid.text.tokenizer import ViewTokens

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
