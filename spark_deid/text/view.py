"""A text as a round of detection sees it: what was removed before is one opaque placeholder each."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt32s
from spark_deid.core.overlaps import join_adjacent, resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.text.visible import are_spaces, borders, codes_of, invisible

FIRST_PLACEHOLDER = 0x110000
"""The first code that is not Unicode code point: ``FIRST_PLACEHOLDER + i`` represents ``view.classes[i]``."""


@dataclass(frozen=True, repr=False)
class TextView:
    """Show a text without its removed pieces; features read ``codes`` only, so they see what a release shows.

    ``removed`` holds disjoint spans of the original text in order of start. Each becomes one code above Unicode,
    so a placeholder is known by its place and never by its look; a bracketed word of the text remains text. Characters
    that no one sees have no code (``text.visible``).
    """

    text: str
    removed: tuple[Span, ...] = ()

    def remove(self, spans: Iterable[Span]) -> "TextView":
        """Return the view without these spans too.

        Pieces of one label with at most two spaces between become one (law 3), overlaps are resolved by law 1. Offsets
        are those of the original text.
        """
        return TextView(self.text, join_adjacent(self.text, resolve_overlaps(self.text, (*self.removed, *spans))))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels of the removed pieces, each once, sorted."""
        return tuple(sorted({span.label for span in self.removed}))

    @cached_property
    def codes(self) -> UInt32s:
        """Code points but invisible ones, with one code above Unicode for each removed piece."""
        if self.is_plain:
            return self._text_codes
        index = {label: FIRST_PLACEHOLDER + i for i, label in enumerate(self.classes)}
        shown = self._text_codes[self._kept]
        shown[self._places] = [index[span.label] for span in self.removed]
        return shown

    @property
    def is_plain(self) -> bool:
        """Return whether each code is a character of the text, in its place."""
        return not self.removed and self._hidden is None

    @property
    def starts(self) -> Int32s:
        """The original offset at which each code starts; invisible characters belong to a code beside them."""
        return self._borders[0]

    @property
    def ends(self) -> Int32s:
        """The original offset at which each code ends."""
        return self._borders[1]

    @cached_property
    def _text_codes(self) -> UInt32s:
        return codes_of(self.text)

    @cached_property
    def _hidden(self) -> Bools | None:
        """Which characters outside removed pieces are invisible; None, where none is."""
        hidden = invisible(self._text_codes)
        if hidden is not None:
            for span in self.removed:
                hidden[span.start : span.end] = False
        return hidden

    @cached_property
    def _kept(self) -> Int64s:
        """The original characters that codes represent: what is seen outside removed pieces, and their first ones."""
        kept = np.ones(len(self.text), np.bool_) if self._hidden is None else ~self._hidden
        for span in self.removed:
            kept[span.start + 1 : span.end] = False
        return np.flatnonzero(kept)

    @cached_property
    def _places(self) -> Int64s:
        """The index in ``codes`` of each removed piece."""
        return np.searchsorted(self._kept, np.array([span.start for span in self.removed], np.int64))

    @cached_property
    def _borders(self) -> tuple[Int32s, Int32s]:
        stops = self._kept + 1
        stops[self._places] = [span.end for span in self.removed]
        if self._hidden is None:
            return self._kept.astype(np.int32), stops.astype(np.int32)
        separate = are_spaces(self._text_codes[self._kept])
        separate[self._places] = True
        return borders(self._kept, stops, separate, self._hidden)

    def __reduce__(self) -> tuple[type["TextView"], tuple[str, tuple[Span, ...]]]:
        """Travel without what was computed: it is large, and Spark's encrypted broadcasts take no large arrays."""
        return TextView, (self.text, self.removed)

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters, {len(self.removed)} removed)"
