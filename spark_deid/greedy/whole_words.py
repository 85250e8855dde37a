"""Spans of a model widened to whole words, where tokens end within one: "Abernathy" of "Abernathy-Wills"."""

import re
from collections.abc import Iterator, Sequence

from spark_deid.core.span import Span

_REST = re.compile(r"-[^\W\d_][\w'’]*(?:-[^\W\d_][\w'’]*)*")
_NUMBERS = re.compile(r"/[0-9]{1,2}(?:/[0-9]{2,4})?(?![\w/])")
_LONGEST = 64


def whole_words(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Widen each span to the words with hyphens at its ends, and to the numbers that go on with what it ends in.

    Half of a name in two parts tells the person as the whole does, and so does "/5" of a day that a span cuts. Parts
    of a word go together where the one beside the span begins with a capital.

    >>> [text[s.start : s.end] for text in ("Ann Abernathy-Wills",) for s in whole_words(text, [Span(0, 13, "NAME")])]
    ['Ann Abernathy-Wills']
    """
    for span in spans:
        start, end = _start(text, span.start), _end(text, span.end)
        yield span if (start, end) == (span.start, span.end) else span._replace(start=start, end=end)


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
