"""A corpus laid out for counting: one array of bytes, with marks where there is no text."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s
from spark_deid.core.numerics.compilation import in_threads
from spark_deid.repeats.kernels.characters import character_bounds
from spark_deid.repeats.kernels.layout import hide_characters, hide_stars, mark_excluded
from spark_deid.repeats.kernels.loading import WORD
from spark_deid.repeats.kernels.marks import EXCLUDED

Interval = tuple[int, int]


@dataclass(frozen=True, repr=False)
class TextLayout:
    """Documents one after another in UTF-8, each followed by a mark.

    ``data`` has marks for a whole load behind the last document; document i is ``data[bounds[i] : bounds[i + 1] - 1]``.
    Of what is excluded and what is hidden, the bytes are marks, so that no substring crosses it and no substring of
    it is counted. ``units[i]`` numbers the person or document that document i counts for.
    """

    data: UInt8s
    bounds: Int64s
    units: Int32s

    @property
    def size(self) -> int:
        """Return the number of bytes, every document's end included."""
        return int(self.bounds[-1])

    @cached_property
    def characters(self) -> Int64s:
        """Return the documents' bounds in characters, every document's end counted as one."""
        return character_bounds(self.data, self.bounds)

    def hiding(self, hidden: Bools) -> "TextLayout":
        """Return the corpus as it is where these characters are hidden."""
        data = self.data.copy()
        hide_characters(data, self.size, hidden)
        return TextLayout(data, self.bounds, self.units)


def lay_out(texts: Iterable[str], units: Sequence[int] | Int32s = ()) -> TextLayout:
    """Lay texts out; ``units`` are numbered from 0, and without them every text counts for itself."""
    return lay_out_bytes([text.encode("utf-8", "surrogatepass") for text in texts], units)


def lay_out_bytes(texts: Sequence[bytes], units: Sequence[int] | Int32s = ()) -> TextLayout:
    """Lay out texts in UTF-8; a star of the input, which would look like a hidden run, is hidden from the start."""
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) + 1 for text in texts], out=bounds[1:])
    end = bytes([EXCLUDED])
    data = np.frombuffer(end.join(texts) + end * (WORD + 1), np.uint8).copy()
    hide_stars(data, int(bounds[-1]))
    numbers = np.asarray(units, np.int32) if len(units) else np.arange(len(texts), dtype=np.int32)
    return TextLayout(data, bounds, numbers)


def exclude_characters(text: TextLayout, intervals: Iterable[tuple[int, Sequence[Interval]]]) -> None:
    """Mark intervals of characters, disjoint and in order, of numbered documents as no text; changes ``text``."""
    for document, pairs in intervals:
        if len(pairs):
            borders = np.asarray(pairs, np.int32).reshape(-1, 2)
            begin = int(text.bounds[document])
            mark_excluded(text.data, begin, borders[:, 0].copy(), borders[:, 1].copy())


def number_units(names: Sequence[object]) -> Int32s:
    """Number what counts as one: equal names are one unit.

    Documents of which the person is not known (None) are one unit together, since nothing shows that they are several.
    """
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int32)


def in_documents(work: Callable[[int, int], object], text: TextLayout, *, threads: int) -> None:
    """Call ``work`` with the numbers of the first document and the one behind the last, in parts of equal size."""
    cuts = np.searchsorted(text.bounds, text.size * np.arange(threads + 1) // threads)
    bounds = np.unique(np.append(cuts, len(text.units))).tolist()
    in_threads(work, bounds[:-1], bounds[1:], threads=threads)


# Cut a document that no shard can hold into segments that are searched separately.


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
