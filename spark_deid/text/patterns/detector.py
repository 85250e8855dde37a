"""The pattern detector: a text in, spans out."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate

import numpy as np

from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.text.patterns.broken import BrokenPlaces
from spark_deid.text.patterns.config import CustomPattern, mistakes_in
from spark_deid.text.patterns.kinds import ALL_KINDS, KINDS
from spark_deid.text.patterns.numbers import names_identifier
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.visible import VisibleText, visible

_CATCH_ALL = "CODE"
_NUMBERS = ("PHONE", "CARD")
"""Labels of numbers that are codes after the name of another identifier, such as NHS or IMEI."""


@dataclass(frozen=True)
class PatternDetector:
    """Find what has a form of its own: addresses on the net, telephone and other numbers, dates.

    It is its settings, the kinds to search and the custom patterns, frozen and small to send; all mistakes in them are
    reported at once as one UsageError. Time is linear in the text, also on adversarial text, as long as that holds for
    the custom patterns.
    """

    kinds: tuple[str, ...] = ALL_KINDS
    custom: tuple[CustomPattern, ...] = ()

    def __post_init__(self) -> None:
        mistakes = [
            f"patterns.kinds[{index}]: {NotOneOf(kind, KINDS)}"
            for index, kind in enumerate(self.kinds)
            if kind not in KINDS
        ]
        for index, custom in enumerate(self.custom):
            mistakes += [f"patterns.custom[{index}].{mistake}" for mistake in mistakes_in(custom)]
        if mistakes:
            raise UsageError("\n".join(mistakes))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the kinds and of the custom patterns, in order."""
        return (*self.kinds, *(custom.name for custom in self.custom))

    def detect(self, text: str) -> tuple[Span, ...]:
        """Return the spans of every kind, in order; ``source`` is ``patterns/<kind>``, no score; they may overlap.

        A code that lies within what another kind found is left out: the other says more about it. Characters that
        nobody sees (``text.visible``) are left out of the text and belong to what is found around them.

        >>> PatternDetector(kinds=("email",)).detect("Write to ann@example.org.")
        (Span(start=9, end=24, label='EMAIL', score=None, source='patterns/email', annotation_id=None),)
        """
        if not self.names:
            return ()
        shown = visible(text)
        if shown.is_whole:
            return tuple(sorted(self._found(text)))
        return tuple(sorted({*map(shown.original, self._found(shown.text)), *self._custom_spans(text)}))

    def _found(self, text: str) -> set[Span]:
        spans = self._found_in(text)
        read = unescape_text(text)
        if read is not None:
            looks, places = read
            further = (span for span in self._found_in(looks.text) if _touches(span, places))
            spans |= {looks.original(span) for span in further}
        return spans

    def _found_in(self, text: str) -> set[Span]:
        scan = TextScan(text)
        broken = BrokenPlaces(scan.text)
        spans: set[Span] = set()
        codes: set[Span] = set()
        for kind in self.kinds:
            label, source = KINDS[kind].label, f"patterns/{kind}"
            find = KINDS[kind].find
            places = [*find(scan), *broken.find(kind, find)]
            found = (Span(start, end, label, source=source) for start, end in places)
            (codes if label == _CATCH_ALL else spans).update(found)
        named = {code for code in codes if names_identifier(scan.text, code.start)}
        if named:
            reached = _outside({span for span in spans if span.label in _NUMBERS}, named)
            spans = {span for span in spans if span.label not in _NUMBERS} | reached
        spans |= _outside(codes, spans)
        return spans | set(self._custom_spans(text))

    def _custom_spans(self, text: str) -> Iterator[Span]:
        for index, custom in enumerate(self.custom):
            for found in _find(custom, text, f"patterns.custom[{index}]"):
                yield Span(*found, custom.label, source=f"patterns/{custom.name}")


def _touches(span: Span, places: Sequence[int]) -> bool:
    """Tell whether one of some places, in order, lies in a span."""
    number = bisect_left(places, span.start)
    return number < len(places) and places[number] < span.end


def _outside(codes: set[Span], others: set[Span]) -> set[Span]:
    """Return the spans that are not within one of the others."""
    ordered = sorted(others)
    starts = [span.start for span in ordered]
    reach = [0, *accumulate((span.end for span in ordered), max)]
    return {code for code in codes if code.end > reach[bisect_right(starts, code.start)]}


def _find(custom: CustomPattern, text: str, place: str) -> Iterator[Interval]:
    group = "span" if "span" in custom.expression.groupindex else 0
    for match in custom.finditer(text, place):
        start, end = match.span(group)
        if 0 <= start < end and (not custom.context or _has_context(custom, text, *match.span())):
            yield start, end


def _has_context(custom: CustomPattern, text: str, start: int, end: int) -> bool:
    search = custom.context_expression.search
    return bool(search(text[max(0, start - custom.window) : start]) or search(text[end : end + custom.window]))


# Texts with characters written as entities (``&#64;``, ``&nbsp;``) or with a sign of percent (``%40``), as read.


_ESCAPED = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|nbsp|commat|period|hyphen|dash|ndash|mdash|minus|sol|colon|lowbar|plus|lpar|rpar"
    r"|lsqb|rsqb|shy|zwj|zwnj|ensp|emsp|thinsp|middot|bull);|%(?:40|2[BDEFbdef]|3[0-9])"
)
_MOST_SEEN = 1 << 16


def unescape_text(text: str) -> tuple[VisibleText, list[int]] | None:
    """Return a text with such characters as they are read, and the place of each; None if it has no such character.

    >>> unescape_text("to ann&#64;example.com")[0].text, unescape_text("AT&T; 100%")
    ('to ann@example.com', None)
    """
    if "&" not in text and "%" not in text:
        return None
    written: list[str] = []
    starts: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    places: list[int] = []
    done = length = 0
    for match in _ESCAPED.finditer(text):
        character = unescape(match[0]) if match[0][0] == "&" else chr(int(match[0][1:], 16))
        if len(character) != 1 or len(places) >= _MOST_SEEN:
            continue
        written += (text[done : match.start()], character)
        starts += (np.arange(done, match.start(), dtype=np.int32), np.array([match.start()], np.int32))
        length += match.start() - done
        places.append(length)
        length += 1
        done = match.end()
    if not places:
        return None
    begins = np.concatenate([*starts, np.arange(done, len(text), dtype=np.int32)])
    return VisibleText("".join([*written, text[done:]]), begins, np.append(begins[1:], np.int32(len(text)))), places
