"""Mentions and the word tokens that they touch: what scores are made of."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from spark_deid.core.span import Span
from spark_deid.core.words import word_borders


class WordOffsets:
    r"""Index the word tokens (``\w+``) of a text by offset.

    >>> WordOffsets("I am Ann Lee.").touched(4, 8)
    range(2, 3)
    """

    def __init__(self, text: str) -> None:
        starts, ends = word_borders(text)
        self._starts: list[int] = starts.tolist()
        self._ends: list[int] = ends.tolist()

    def __len__(self) -> int:
        return len(self._starts)

    def touched(self, start: int, end: int) -> range:
        """Return the numbers of the words that share a character with ``[start, end)``."""
        return range(bisect_right(self._ends, start), bisect_left(self._starts, end))

    def touched_by(self, intervals: Iterable[tuple[int, int]]) -> frozenset[int]:
        """Return the numbers of the words that share a character with any interval."""
        return frozenset(word for start, end in intervals for word in self.touched(start, end))


def mentions(spans: Iterable[Span]) -> tuple[tuple[Span, ...], ...]:
    """Group spans into mentions: the pieces of a discontinuous annotation are one, every other span stands alone.

    Equal spans are one mention.

    >>> pieces = [Span(3, 4, "N", annotation_id="T1"), Span(6, 7, "N", annotation_id="T1")]
    >>> [len(mention) for mention in mentions([Span(0, 2, "N"), *pieces])]
    [1, 2]
    """
    groups: dict[tuple[object, ...], list[Span]] = {}
    for span in sorted(set(spans), key=lambda s: (s.start, s.end, s.label)):
        own = (span.start, span.end) if span.annotation_id is None else (span.annotation_id, span.source)
        groups.setdefault((span.label, *own), []).append(span)
    return tuple(tuple(group) for group in groups.values())
