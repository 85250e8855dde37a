"""A text as a round of detection sees it: what was removed before is one opaque placeholder each."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spark_deid.core.adjacency import join_adjacent
from spark_deid.core.span import Span, resolve_overlaps
from spark_deid.numerics.arrays import Bools, Int32s, Int64s, UInt32s

FIRST_PLACEHOLDER = 0x110000
"""The first code that is no Unicode code point: ``FIRST_PLACEHOLDER + i`` stands for ``view.classes[i]``."""


@dataclass(frozen=True, repr=False)
class View:
    """Show a text without its removed pieces; features read ``codes`` alone, so they see what a release shows.

    ``removed`` holds disjoint spans of the original text in order of start. Each becomes one code above Unicode,
    so a placeholder is known by its place and never by its look; a bracketed word of the text stays text.
    """

    text: str
    removed: tuple[Span, ...] = ()

    def remove(self, spans: Iterable[Span]) -> "View":
        """Return the view without these spans too; neighbouring pieces of one label become one (law 3).

        Overlaps are resolved by law 1. Offsets are those of the original text.
        """
        return View(self.text, join_adjacent(self.text, resolve_overlaps(self.text, (*self.removed, *spans))))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels of the removed pieces, each once, sorted."""
        return tuple(sorted({span.label for span in self.removed}))

    @cached_property
    def codes(self) -> UInt32s:
        """Code points with one code above Unicode for each removed piece."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        if not self.removed:
            return codes
        index = {label: FIRST_PLACEHOLDER + i for i, label in enumerate(self.classes)}
        kept = self._kept
        shown = codes[kept]
        shown[self._places] = [index[span.label] for span in self.removed]
        return shown

    @cached_property
    def starts(self) -> Int32s:
        """The original offset at which each code starts."""
        return np.flatnonzero(self._kept).astype(np.int32)

    @cached_property
    def ends(self) -> Int32s:
        """The original offset at which each code ends."""
        ends = self.starts + np.int32(1)
        if self.removed:
            ends[self._places] = [span.end for span in self.removed]
        return ends

    @cached_property
    def _kept(self) -> Bools:
        """Of the original characters: those outside removed pieces, and the first of each piece."""
        kept = np.ones(len(self.text), np.bool_)
        for span in self.removed:
            kept[span.start + 1 : span.end] = False
        return kept

    @cached_property
    def _places(self) -> Int64s:
        """The index in ``codes`` of each removed piece."""
        first = np.array([span.start for span in self.removed], np.int64)
        hidden = np.array([span.end - span.start - 1 for span in self.removed], np.int64)
        return np.asarray(first - np.cumsum(hidden) + hidden, np.int64)

    def __reduce__(self) -> tuple[type["View"], tuple[str, tuple[Span, ...]]]:
        """Travel without what was computed: it is large, and Spark's encrypted broadcasts take no large arrays."""
        return View, (self.text, self.removed)

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters, {len(self.removed)} removed)"
