"""Annotations that edits leave in clear, at least a word of each."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from spark_deid.core.words import WORD, after_titles

Borders = Sequence[tuple[int, int]]
"""Starts and ends of pieces of a text, in characters."""


def count_unedited(text: str, spans: Borders, edits: Borders) -> int:
    """Count the spans of which some word character stands outside all edits; these are disjoint and in order.

    Titles that a span begins with do not count where an edit touches it. Of a span the edits at its ends alone are
    looked at, however many lie in it.

    >>> count_unedited("Dr. Ann Lee", [(0, 11), (4, 7)], [(4, 11)]), count_unedited("Ann Lee", [(0, 7)], [(4, 7)])
    (0, 1)
    """
    if not spans:
        return 0
    clear = _Clear(text, edits)
    return sum(clear.has_word_of(start, end) for start, end in spans)


class _Clear:
    """What edits leave of a text."""

    def __init__(self, text: str, edits: Borders) -> None:
        self._text = text
        self._starts, self._ends = [start for start, _ in edits], [end for _, end in edits]

    def has_word_of(self, start: int, end: int) -> bool:
        """Tell whether a word character of a span is left."""
        first, stop = bisect_right(self._ends, start), bisect_left(self._starts, end)
        if first < stop:
            start = after_titles(self._text, start, end)
            first = bisect_right(self._ends, start)
        if first >= stop:
            return self._has_word(start, end)
        return (
            self._has_word(start, self._starts[first])
            or self._has_word(self._ends[stop - 1], end)
            or (stop - first > 1 and self._gaps[stop - 1] > self._gaps[first])
        )

    def _has_word(self, start: int, end: int) -> bool:
        return start < end and WORD.search(self._text, start, end) is not None

    @cached_property
    def _gaps(self) -> tuple[int, ...]:
        """Count, up to each edit, the gaps before it that lie between two and have a word."""
        gaps = zip(self._ends[:-1], self._starts[1:], strict=True)
        return tuple(accumulate((self._has_word(*gap) for gap in gaps), initial=0))
