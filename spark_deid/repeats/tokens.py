"""Tokens of a laid-out corpus, and how much of each is hidden."""

from collections.abc import Iterator
from re import Pattern

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s
from spark_deid.core.words import WORD
from spark_deid.repeats.kernels.marks import CONTINUED, HIDDEN
from spark_deid.repeats.text import TextLayout

NEVER_HIDDEN = frozenset(" \t\n'\"#(),.-/:;[]")
"""The characters that the paper's experiments never hide, to keep the borders of tokens."""


def yield_documents(text: TextLayout) -> Iterator[str]:
    """Yield every document, with a space for each character that is not text."""
    for i in range(len(text.units)):
        data = text.data[text.bounds[i] : text.bounds[i + 1] - 1]
        data = data[data != CONTINUED]
        yield np.where(data >= HIDDEN, 32, data).astype(np.uint8).tobytes().decode("utf-8", "surrogatepass")


def word_tokens(text: TextLayout) -> Int64s:
    """Return begin and end of every word token (n x 2), in characters from the begin of the corpus."""
    return tokens_of(text, WORD)


def tokens_of(text: TextLayout, pattern: Pattern[str]) -> Int64s:
    """Return begin and end of every match (n x 2), in characters from the begin of the corpus."""
    found = [
        (int(begin) + match.start(), int(begin) + match.end())
        for begin, document in zip(text.characters, yield_documents(text), strict=False)
        for match in pattern.finditer(document)
    ]
    return np.array(found, np.int64).reshape(-1, 2)


def hidden_share(tokens: Int64s, hidden: Bools) -> Float64s:
    """Return the fraction of each token's characters that is hidden."""
    until = np.concatenate([[0], np.cumsum(hidden)])
    shares: Float64s = (until[tokens[:, 1]] - until[tokens[:, 0]]) / (tokens[:, 1] - tokens[:, 0])
    return shares


def hide_tokens(tokens: Int64s, hidden: Bools) -> Bools:
    """Return the flags with these tokens hidden as well."""
    borders = np.zeros(len(hidden) + 1, np.int64)
    np.add.at(borders, tokens[:, 0], 1)
    np.add.at(borders, tokens[:, 1], -1)
    return hidden | (np.cumsum(borders[:-1]) > 0)


def hide_whole(tokens: Int64s, hidden: Bools, share: float) -> Bools:
    """Hide tokens whole of which more than ``share`` is hidden; at 1 none is."""
    return hide_tokens(tokens[hidden_share(tokens, hidden) > share], hidden)


def show_always(text: TextLayout, hidden: Bools, characters: frozenset[str] = NEVER_HIDDEN) -> Bools:
    """Return the flags with these characters shown, for evaluation only: what remains breaks the guarantee."""
    visible = np.zeros(len(hidden), np.bool_)
    for begin, document in zip(text.characters, yield_documents(text), strict=False):
        visible[begin : begin + len(document)] = [character in characters for character in document]
    return hidden & ~visible
