"""Cut a document that no shard can hold into segments that are searched by themselves."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spark_deid.repeats.text import Interval


class DocumentSegment(NamedTuple):
    """A segment of a document: bytes, of which the first ``core`` are searched, and excluded intervals of characters.

    Behind the core are as many bytes as any substring is followed, so that all that begins in it is seen whole.
    """

    data: bytes
    core: int
    excluded: list[Interval]


def cut_segments(data: bytes, excluded: Sequence[Interval], *, max_bytes: int, cap: int) -> Iterator[DocumentSegment]:
    """Cut a text in UTF-8 into segments of about equal size whose cores have ``max_bytes`` at most, or one character.

    ``excluded`` are intervals of characters, disjoint and in order.
    """
    number = max(1, -(-len(data) // max_bytes))
    starts = np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)

    def character(place: int) -> int:
        return int(np.searchsorted(starts, place))

    def border(place: int) -> int:
        """Return the begin of the first character from ``place`` on."""
        return int(starts[character(place)]) if place < len(data) and character(place) < len(starts) else len(data)

    borders = [border(len(data) * i // number) for i in range(number + 1)]
    for begin, end in pairwise(borders):
        after = border(min(len(data), end + cap))
        first, last = character(begin), character(after)
        inside = [(max(a, first) - first, min(b, last) - first) for a, b in excluded if a < last and b > first]
        yield DocumentSegment(data[begin:after], end - begin, inside)
