"""Spans of a model fitted to whole words: "Abernathy" to "Abernathy-Wills", and "Abernathy." without its full stop."""

import re
from collections.abc import Iterator, Sequence

from spark_deid.core.span import Span

_REST = re.compile(r"-[^\W\d_][\w'’]*(?:-[^\W\d_][\w'’]*)*")
_NUMBERS = re.compile(r"/[0-9]{1,2}(?:/[0-9]{2,4})?(?![\w/])")
_LONGEST = 64
_MARKS = ".,;:!?"
"""Tell nobody's name, and readers miss them; inside a span they stay hidden."""


def whole_words(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Widen each span to the words with hyphens at its ends, and to the numbers that go on with what it ends in.

    Half of a name in two parts tells the person as the whole does, and so does "/5" of a day that a span cuts. Parts
    of a word go together where the one beside the span begins with a capital. Marks that a sentence is cut by stay
    in the text where a span begins or ends with them; spans of such marks alone are left out.

    >>> text = "Dear Ann Abernathy-Wills."
    >>> found = (Span(5, 18, "NAME"), Span(9, 25, "NAME"), Span(24, 25, "NAME"))
    >>> [text[span.start : span.end] for span in whole_words(text, found)]
    ['Ann Abernathy-Wills', 'Abernathy-Wills']
    """
    for span in spans:
        start, end = _unmarked(text, span.start, span.end)
        if start == end:
            continue
        start, end = _start(text, start), _end(text, end)
        yield span if (start, end) == (span.start, span.end) else span._replace(start=start, end=end)


def _unmarked(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[end - 1] in _MARKS:
        end -= 1
    while start < end and text[start] in _MARKS:
        start += 1
    return start, end


def _end(text: str, end: int) -> int:
    mark, last = text[end : end + 1], text[end - 1 : end]
    if mark == "-" and last.isalpha() and text[end + 1 : end + 2].isupper():
        rest = _REST.match(text, end, end + _LONGEST)
        return rest.end() if rest else end
    if mark == "/" and last.isdigit():
        rest = _NUMBERS.match(text, end)
        return rest.end() if rest else end
    return end


def _start(text: str, start: int) -> int:
    if text[start - 1 : start] != "-" or not text[start : start + 1].isupper():
        return start
    place = start - 1
    while place > max(0, start - _LONGEST) and (text[place - 1].isalnum() or text[place - 1] in "'’-"):
        place -= 1
    return place if text[place : place + 1].isupper() else start
