"""Cut texts into sentences, never inside a span, so that they can be put in another order."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import regex

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt32s
from spark_deid.core.words import characters_of
from spark_deid.private_training.kernels.sentences import (
    BEGINNING,
    CAPITAL,
    ENDING,
    SPACE,
    STRIPPED,
    WORD,
    find_sentences,
)
from spark_deid.text.visible import codes_of

Interval = tuple[int, int]
MOST = 2_000
"""Characters of a sentence; a longer one is cut at white space outside of spans, so that no document stays whole."""
_ENGLISH_TITLES = ("Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Sr", "Jr", "Rev")
_TITLES = (*_ENGLISH_TITLES, "No", "vs", "Fig", "Dra", "Sra", "Srta", "approx", "etc")
_FLAGS = {
    SPACE: regex.compile(r"\s+"),
    STRIPPED: re.compile(r"\s+"),
    CAPITAL: regex.compile(r"\p{Lu}+"),
    BEGINNING: regex.compile(r"[\p{Lu}\p{Nd}]+"),
    WORD: regex.compile(r"\w+"),
    ENDING: re.compile(r"[.:;!?\"')\]»”]+"),
}


class TextSentences(NamedTuple):
    """Sentences of texts: where each begins and ends, and how many there are before each text, and in all."""

    places: Int64s
    before: Int64s


def sentences_of(text: str, spans: Sequence[Interval]) -> Iterator[Interval]:
    """Yield where sentences begin and end, in order, without the white space around them.

    ``spans`` are disjoint and sorted; none is cut.

    >>> text = "Seen by Dr. Lee. Fever.\\n\\n- Cough"
    >>> [text[start:end] for start, end in sentences_of(text, [(8, 15)])]
    ['Seen by Dr. Lee.', 'Fever.', '- Cough']
    """
    codes = codes_of(text)
    marked = np.array(spans, np.int64).reshape(-1, 2)
    found = cut_sentences(codes, np.array([[0, len(codes)]]), marked, np.array([0, len(spans)]))
    yield from ((start, end) for start, end in found.places.tolist())


def cut_sentences(codes: UInt32s, borders: Int64s, spans: Int64s, lists: Int64s) -> TextSentences:
    """Cut many texts; a row of ``borders`` tells where one begins and ends among the code points.

    A row of ``spans`` tells the same of a span; text i has those numbered ``lists[i]`` to ``lists[i + 1]``, in order
    and disjoint.
    """
    flags = character_flags()
    found = np.empty((np.count_nonzero(flags[codes] & SPACE) + len(borders), 2), np.int64)
    starts, ends = (np.ascontiguousarray(column) for column in spans.T)
    before = find_sentences(codes, flags, _titles(), borders, starts, ends, lists, MOST, found)
    return TextSentences(found[: before[-1]], before)


@lru_cache(maxsize=1)
def character_flags() -> UInt8s:
    """Return what compiled code asks of every code point, once a process."""
    flags = sum(characters_of(pattern) * np.uint8(flag) for flag, pattern in _FLAGS.items())
    return np.asarray(flags, np.uint8)


@lru_cache(maxsize=1)
def _titles() -> UInt32s:
    """Return the titles from behind, a row each."""
    titles = np.zeros((len(_TITLES), max(map(len, _TITLES))), np.uint32)
    for row, title in zip(titles, _TITLES, strict=True):
        row[: len(title)] = codes_of(title[::-1])
    return titles
