"""Whether what is written makes terms with the words beside it that tell of what was generalized."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.plausibility.text.mentions import TermMatch, find_telling
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.rewriting.rendering import Written, render_edits

_REACH = 24
_WORD_BEFORE = re.compile(r"[^\W\d_]+\.?\s+\Z")


def find_crossing(
    text: str,
    writings: Sequence[Written],
    known: frozenset[int],
    senses: WordSenses,
    context: UInt16s | None,
    written: set[str],
) -> set[int]:
    """Return the starts of the writings that hold, with words beside them or alone, what tells of a known concept.

    So does a title that stays before one whose name has small letters: "Mrs Vega" tells of no part, "Mrs star" may.
    """
    shown, places = render_edits(text, sorted(writings))
    if not places or not known:
        return set()
    starts, ends = [place[0] for place in places], [place[1] for place in places]
    reached = [_with_word_before(shown, *pair) for pair in zip(starts, [0, *ends], strict=False)]
    result = find_telling(
        shown, known, senses, context, written, np.array([*zip(reached, ends, strict=True)], np.int32)
    )
    return {places[place][2] for match in result for place in _touched(match, starts, ends, reached)}


def _with_word_before(text: str, start: int, earliest: int) -> int:
    """Return where the word begins that stands before a place, no earlier than what was written before."""
    found = _WORD_BEFORE.search(text, max(earliest, start - _REACH), start)
    return found.start() if found else start


def _touched(match: TermMatch, starts: Sequence[int], ends: Sequence[int], reached: Sequence[int]) -> range:
    """Return the places that hold some of a match; where none does, the one that it stands right before."""
    first, last = bisect_right(ends, match.start), bisect_left(starts, match.end)
    if first == last < len(starts) and reached[first] <= match.start:
        return range(first, first + 1)
    return range(first, last)
