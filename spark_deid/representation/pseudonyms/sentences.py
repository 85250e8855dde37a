"""Cut texts into sentences, never inside a span, so that they can be put in another order."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

import regex

Interval = tuple[int, int]
MOST = 2_000
"""Characters of a sentence; a longer one is cut at white space outside of spans, so that no document stays whole."""
_TITLES = "Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Rev|No|vs|Fig|Dra|Sra|Srta|approx|etc"
_BORDER = regex.compile(
    rf"""
    \n[ \t\r]*(?:\n\s*)+                                             # blank lines
    | \n(?=[ \t]*(?:[-*•·–]|\d{{1,3}}[.)])[ \t])                      # items of lists
    | (?<=[.:;!?])[ \t]*\n                                           # lines that end as sentences do
    | (?<![\p{{Lu}}]\.)(?<!\b(?:{_TITLES})\.)(?<=[.!?]["')\]»”]?)\s+(?=["'(\[«“¿¡]?[\p{{Lu}}\p{{Nd}}])
    """,
    regex.VERBOSE,
)
_MAY_BEGIN = re.compile(r"""\s(?:(?<=\n)|(?<=[.:;!?"')\]»”]\s))""")
"""White space with which a border may begin: to look at that alone takes a third of the time."""
_SPACE = regex.compile(r"\s+")


def sentences_of(text: str, spans: Sequence[Interval]) -> Iterator[Interval]:
    """Yield where sentences begin and end, in order, without the white space around them.

    ``spans`` are disjoint and sorted; none is cut.

    >>> text = "Seen by Dr. Lee. Fever.\\n\\n- Cough"
    >>> [text[start:end] for start, end in sentences_of(text, [(8, 15)])]
    ['Seen by Dr. Lee.', 'Fever.', '- Cough']
    """
    position = 0
    for start, end in [*_outside(_borders(text), spans), (len(text), len(text))]:
        piece = text[position:start]
        if len(piece) > MOST or piece.strip() != piece:
            yield from _stripped(text, _pieces(text, position, start, spans))
        elif piece:
            yield position, start
        position = end


def _borders(text: str) -> Iterator[Interval]:
    """Yield what ``_BORDER`` finds in a text."""
    position = 0
    for likely in _MAY_BEGIN.finditer(text):
        if likely.start() >= position and (found := _BORDER.match(text, likely.start())):
            yield found.span()
            position = found.end()


def _outside(borders: Iterator[Interval], spans: Sequence[Interval]) -> Iterator[Interval]:
    """Yield the borders that touch no span's inside; both are in order."""
    place = 0
    for start, end in borders:
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if place == len(spans) or spans[place][0] >= end:
            yield start, end


def _pieces(text: str, start: int, end: int, spans: Sequence[Interval]) -> Iterator[Interval]:
    """Cut a stretch that is longer than MOST at the last white space before, or else at the next one."""
    if end - start > MOST:
        first = bisect_right(spans, start, key=itemgetter(1))
        last: Interval | None = None
        for border in _outside((found.span() for found in _SPACE.finditer(text, start, end)), spans[first:]):
            if border[0] - start > MOST and last is not None:
                yield start, last[0]
                start, last = last[1], None
            if border[0] - start > MOST:
                yield start, border[0]
                start = border[1]
            else:
                last = border
    yield start, end


def _stripped(text: str, pieces: Iterator[Interval]) -> Iterator[Interval]:
    for start, end in pieces:
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        stop = start + len(piece.rstrip())
        if begin < stop:
            yield begin, stop
